//! The templates, with their environments.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use wattle_heat::environment::Environment;
use wattle_heat::files::{Files, Missing};
use wattle_heat::parameters::Inputs;
use wattle_heat::{Loaded, template};
use wattle_tests::oracle::Oracle;

/// A template and its environment.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) path: PathBuf,
    pub(crate) environment: Option<PathBuf>,
}

/// Files on the disk, as the command reads them.
#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        fs::read(path).map_err(|error| Missing(error.to_string()))
    }
}

impl Case {
    /// The template at `path`; its environment has the same name in the folder `environments` beside it.
    pub(crate) fn of(path: PathBuf) -> Self {
        let name = path.file_name().expect("a file");
        let environment = path.with_file_name("environments").join(name);
        let environment = environment.exists().then_some(environment);
        Self { path, environment }
    }

    pub(crate) fn name(&self) -> String {
        self.path.file_name().expect("a file").to_string_lossy().into_owned()
    }

    /// Our reading of it.
    pub(crate) fn load(&self) -> Loaded {
        self.load_with(template::Map::default())
    }

    /// The same, with the given parameter values.
    pub(crate) fn load_with(&self, given: template::Map<wattle_heat::evaluate::Value>) -> Loaded {
        let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
        let environments: Vec<_> =
            self.environment.iter().map(|path| (path.display().to_string(), text(path))).collect();
        let environment = Environment::read(environments.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let inputs = Inputs { given, environment: Arc::new(environment), ..Inputs::default() };
        Loaded::load(&text(&self.path), &self.path.display().to_string(), &Disk, &inputs)
    }

    /// Heat's verdict.
    pub(crate) fn ask(&self, oracle: &mut Oracle) -> Value {
        let environment: Vec<_> = self.environment.iter().collect();
        oracle.ask(&json!({ "template": self.path, "environment": environment }))
    }
}

/// The templates in `folder`, which is relative to the folder of the tests.
pub(crate) fn all(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.into_iter().map(Case::of).collect()
}

#[test]
fn the_corpus_uses_all_of_hot() {
    let mut text = String::new();
    for case in all("templates/good").into_iter().chain(all("templates/good/nested")) {
        text.push_str(&fs::read_to_string(&case.path).expect("a template"));
    }
    for version in template::Version::names() {
        assert!(text.contains(&format!("heat_template_version: {version}\n")), "no template of {version}");
    }
    for function in template::FUNCTIONS {
        // `Fn::GetAZs` asks the cloud for its zones, and there is none here.
        let name = function.name();
        let used = text.contains(&format!("{name}: ")) || text.contains(&format!("\"{name}\": "));
        assert_eq!(used || text.contains(&format!("{name}:\n")), name != "Fn::GetAZs", "{name}");
    }
    // Nested stacks at URLs are not read here, and each cloud defines what AWS's load balancer consists of.
    let unused: Vec<_> = wattle_catalog::types().filter(|ty| !text.contains(ty)).collect();
    assert_eq!(unused, ["AWS::CloudFormation::Stack", "AWS::ElasticLoadBalancing::LoadBalancer"]);
}
