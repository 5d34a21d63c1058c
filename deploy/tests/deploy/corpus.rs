//! The repository's templates.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wattle_heat::Loaded;
use wattle_heat::environment::Environment;
use wattle_heat::evaluate::Value;
use wattle_heat::files::{Files, Missing};
use wattle_heat::parameters::{Inputs, Origin};
use wattle_heat::template::Map;
use wattle_model::ParameterType;

#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        fs::read(path).map_err(|error| Missing(error.to_string()))
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(name)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn load(text: &str, name: &str, environment: Environment) -> Loaded {
    let mut inputs = Inputs { environment: Arc::new(environment), stack: Some("shop".to_owned()), ..Inputs::default() };
    let loaded = Loaded::load(text, name, &Disk, &inputs);
    let missing = |(_, valued): &(&String, &wattle_heat::parameters::Valued)| valued.origin == Origin::Missing;
    let given = loaded.parameters.values.iter().filter(missing).map(|(name, _)| {
        let value = match loaded.template.parameters[name].kind {
            Some(ParameterType::Number) => "1".into(),
            Some(ParameterType::Boolean) => "true".into(),
            Some(ParameterType::Json) => Value::from("{}"),
            _ => Value::from(&**name),
        };
        (name.clone(), value)
    });
    inputs.given = given.collect::<Map<_>>();
    Loaded::load(text, name, &Disk, &inputs)
}

/// The templates that Heat accepts, by file name. Parameters without a value get one.
pub(crate) fn good() -> Vec<(String, Loaded)> {
    let folder = folder("templates/good");
    let mut paths: Vec<_> = fs::read_dir(&folder).expect("templates").map(|entry| entry.expect("one").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    let load = |path: PathBuf| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let beside = folder.join("environments").join(&name);
        let of = beside.exists().then(|| (beside.display().to_string(), text(&beside)));
        let environment = Environment::read(of.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        (name, load(&text(&path), &path.display().to_string(), environment))
    };
    paths.into_iter().map(load).collect()
}

/// The lowered examples.
pub(crate) fn examples() -> Vec<(String, Loaded)> {
    let of = |name: &str| {
        let snapshot = text(&folder("tests/goldens").join(format!("{name}-template.yaml.snap")));
        let (_, template) = snapshot[3..].split_once("\n---\n").expect("a head");
        (name.to_owned(), load(template, "template.yaml", Environment::default()))
    };
    ["connections", "hello", "three_tier"].map(of).into()
}

/// Small templates, including some that Heat refuses.
pub(crate) fn forms() -> Vec<(String, Loaded)> {
    let all = text(&folder("templates/forms.txt"));
    let forms = all.split("=== ").filter_map(|form| form.split_once('\n'));
    forms.map(|(name, text)| (name.to_owned(), load(text, "template.yaml", Environment::default()))).collect()
}
