//! The source of a deployment: the emitted directory, the environments, and the files that these name.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use wattle::cli::{beside, read_brought};
use wattle::manners;
use wattle::model::Value;
use wattle_heat::Loaded;
use wattle_heat::environment::Environment;
use wattle_heat::files::{Files, Missing};
use wattle_heat::parameters::Inputs;

use crate::cli::error::CommandError;
use crate::cli::seed::{self, Work};
use crate::openstack::TemplateSource;

/// The source of the target.
pub(in crate::cli) fn source(work: &Work, matches: &ArgMatches) -> Result<TemplateSource, CommandError> {
    let unreadable =
        |what: &str, error: &io::Error| CommandError::usage(format!("cannot read {what}: {}", manners::reason(error)));
    let named = matches.get_many::<PathBuf>("environment").into_iter().flatten().cloned();
    let mut environments = Vec::new();
    for file in beside(&work.directory).into_iter().chain(named) {
        let read = manners::read(&file).and_then(|text| Ok((within(&work.directory, &file)?, text)));
        environments.push(read.map_err(|error| unreadable(&format!("the environment `{}`", file.display()), &error))?);
    }
    let template = seed::template_in(&work.directory).unwrap_or("template.yaml");
    let mut files = work.options.files.templates.clone();
    for (path, text) in named_by(&environments, template, work) {
        let text = text.map_err(|Missing(why)| {
            CommandError::usage(format!("cannot read `{path}`, which a template or an environment names: {why}"))
        })?;
        files.entry(path).or_insert_with(|| text.to_string());
    }
    // The servers' credentials override the environments.
    let (space, ca) = work.address.for_servers().map_err(|error| CommandError::usage(error.to_string()))?;
    let credentials = work.options.credentials.text_for(&work.seed, &work.stack(), &space, &ca);
    environments.push((work.credentials.display().to_string(), credentials));
    let given = work.assigned.clone();
    Ok(TemplateSource {
        template: template.to_owned(),
        files,
        environments,
        given: given.into_iter().map(|(name, value)| (name.into(), Value::Str(value.into()))).collect(),
        stack: work.stack(),
        seed: seed(work).map_err(|error| unreadable("the seed", &error))?,
        settings: work.options.files.settings.clone(),
        diagram: work.options.files.diagram.clone(),
    })
}

/// The text of the seed. A plain template has none.
fn seed(work: &Work) -> io::Result<String> {
    match manners::read(&work.directory.join("seed.yaml")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut text = Vec::new();
            work.seed.write(&mut text).map_err(io::Error::other)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        }
        read => read,
    }
}

/// The files that environments name as definitions of types, and the files that these name in turn, by their paths
/// relative to the directory.
fn named_by(
    environments: &[(String, String)],
    template: &str,
    work: &Work,
) -> Vec<(String, Result<Arc<str>, Missing>)> {
    let texts = environments.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let inputs = Inputs { environment: Arc::new(Environment::read(texts)), ..Inputs::default() };
    let beside = environments.iter().map(|(name, _)| folder(name).to_owned()).collect();
    let text = work.options.files.templates.get(template).map_or("", String::as_str);
    let loaded = Loaded::load(text, template, &Beside { directory: &work.directory, folders: beside }, &inputs);
    let contents = loaded.library.contents.iter();
    contents.map(|(path, text)| (path.clone(), text.clone())).collect()
}

/// The folder of a file, with a trailing slash. Empty for the directory itself.
fn folder(name: &str) -> &str {
    name.rfind('/').map_or("", |end| &name[..=end])
}

/// The files of the directory and of the folders with environments.
#[derive(Debug)]
struct Beside<'d> {
    directory: &'d Path,
    folders: Vec<String>,
}

impl Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        let folders = std::iter::once("").chain(self.folders.iter().map(String::as_str));
        let below = |folder: &'_ str| path.strip_prefix(folder).filter(|rest| is_within(rest)).map(str::to_owned);
        let found = folders.into_iter().find_map(|folder| Some((self.directory.join(folder), below(folder)?)));
        let Some((folder, rest)) = found else {
            return Err(Missing("it is neither in the folder nor beside an environment".to_owned()));
        };
        read_brought(&folder, &rest).map_err(|error| Missing(manners::reason(&error)))
    }
}

/// Whether a path stays inside the directory.
fn is_within(path: &str) -> bool {
    !path.starts_with('/') && !path.contains("://") && path.split('/').all(|part| part != "..")
}

/// The path of `file` relative to `directory`, whatever both are relative to.
fn within(directory: &Path, file: &Path) -> io::Result<String> {
    let directory = directory.canonicalize()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = folder.canonicalize()?.join(file.file_name().unwrap_or_default());
    let common = directory.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = directory.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(common)).collect();
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_directory() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("out/env")).expect("makes");
        std::fs::create_dir_all(at("other")).expect("makes");
        for (file, expected) in [
            ("out/environment.yaml", "environment.yaml"),
            ("out/env/a.yaml", "env/a.yaml"),
            ("other/a.yaml", "../other/a.yaml"),
            ("out/../other/a.yaml", "../other/a.yaml"),
        ] {
            assert_eq!(within(&at("out"), &at(file)).expect("a path"), expected);
        }
        assert!(within(&at("out"), &at("nowhere/a.yaml")).is_err());
    }

    #[test]
    fn files_are_read_beside_environments_and_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["out", "other", "secret"] {
            std::fs::create_dir(folder.path().join(name)).expect("makes");
            std::fs::write(folder.path().join(name).join("a.yaml"), name).expect("writes");
        }
        let directory = folder.path().join("out");
        let files = Beside { directory: &directory, folders: vec![String::new(), "../other/".to_owned()] };
        assert_eq!(files.read("a.yaml").expect("reads"), b"out");
        assert_eq!(files.read("../other/a.yaml").expect("reads"), b"other");
        for path in ["../secret/a.yaml", "../other/../secret/a.yaml", "/etc/passwd", "https://a/b.yaml"] {
            assert!(files.read(path).is_err_and(|why| why.0.contains("neither in the folder")), "{path}");
        }
    }
}
