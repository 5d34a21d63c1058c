//! `plan`: what the current blueprint would change compared with an earlier emission.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use crate::lower;
use crate::lower::hot::Template;
use crate::manners::{CommandError, Exit, read_bytes, reason};
use crate::model::{Content, IndexMap, Model, Name, Value};
use crate::plan::{Found, State, flat, plan_of};
use wattle_heat::emit;
use wattle_heat::environment::Environment;

use super::chosen::Chosen;
use super::console::Console;
use super::emit::Emission;
use super::environment::{beside, environment};

/// The other side of the comparison, and the format of the plan.
#[derive(Debug)]
pub(super) struct PlanOptions {
    pub(super) against: Option<PathBuf>,
    pub(super) emission: Emission,
    pub(super) is_json: bool,
}

/// The option for the format of a plan.
pub fn plan_format() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .default_value("plain")
        .value_parser(["plain", "json"])
        .help("Output format, for people or for programs")
}

/// Whether `--format`, as in [`plan_format`], requests JSON.
pub fn is_json(matches: &ArgMatches) -> bool {
    matches.get_one::<String>("format").is_some_and(|format| format == "json")
}

/// The option `--against`.
pub fn plan_against() -> Arg {
    Arg::new("against")
        .long("against")
        .value_name("DIR")
        .value_parser(clap::value_parser!(PathBuf))
        .help("Compare with what was emitted to this folder")
}

/// The steps from one state to the other, in the requested format, and the exit code, which tells whether anything would
/// change.
pub fn planned(before: Option<&State>, after: &State, is_json: bool, color: bool) -> (String, Exit) {
    planned_of(before, after, &[], is_json, color)
}

/// The same for a state that was `found` to differ from what was deployed.
pub fn planned_of(
    before: Option<&State>,
    after: &State,
    found: &[Found],
    is_json: bool,
    color: bool,
) -> (String, Exit) {
    let plan = plan_of(before, after, found);
    let text = if is_json { plan.to_json() } else { plan.to_text(color) };
    (text, if plan.is_empty() { Exit::Fine } else { Exit::Changes })
}

/// The values that an environment gives to parameters.
pub fn values(environment: &Environment) -> IndexMap<Name, Value> {
    environment.values().map(|(name, given)| (name.as_str().into(), given.value.constant())).collect()
}

/// The state in a directory, with the given values of its parameters, or otherwise with those from its environment.
///
/// # Errors
/// If nothing was emitted to the directory, or if its content cannot be read.
pub fn state_of(directory: &Path, parameters: Option<IndexMap<Name, Value>>) -> Result<State, CommandError> {
    if !directory.is_dir() {
        return Err(CommandError::usage(format!("there is no folder `{}`", directory.display())));
    }
    let parameters = match parameters {
        Some(parameters) => parameters,
        None => values(&environment(&beside(directory))?),
    };
    let mut failed = None;
    let mut read = |name: &str| match read_bytes(&directory.join(name)) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => {
            if !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) {
                failed.get_or_insert_with(|| format!("`{}`: {}", directory.join(name).display(), reason(&error)));
            }
            None
        }
    };
    let state = State::of_folder(&mut read, parameters);
    match (failed, state) {
        (Some(why), _) => Err(CommandError::usage(format!("cannot read {why}"))),
        (None, Ok(state)) => Ok(state),
        (None, Err(error)) => Err(CommandError::usage(format!("`{}` was not emitted: {error}", directory.display()))
            .help("a blueprint's program writes it, to `out/STACK` by default: give that folder")),
    }
}

/// A template as text.
fn json(template: &Template) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    emit::json(template, &mut bytes).map_err(|error| CommandError::new(format!("cannot be emitted: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl PlanOptions {
    /// The same for a model built with these settings.
    pub(super) fn with(&self, settings: Chosen) -> Self {
        let emission = Emission { settings: Some(settings), ..self.emission.clone() };
        Self { against: self.against.clone(), emission, is_json: self.is_json }
    }

    /// Reports what a model without errors would change.
    pub(super) fn run(&self, model: &Model, console: &mut Console<'_>) -> Result<Exit, CommandError> {
        let own = self.emission.out.join(&*model.stack);
        let earlier = self.against.as_deref().or_else(|| own.exists().then_some(&*own));
        let before = if let Some(directory) = earlier {
            let before = state_of(directory, None)?;
            if self.against.is_none() {
                console.err.write(&format!("compared with what was emitted to `{}`\n", directory.display()))?;
            }
            Some(before)
        } else {
            let text = format!("nothing was emitted to `{}` yet: this is a first deployment\n", own.display());
            console.err.write(&text)?;
            None
        };
        let after = self.state(model, &own)?;
        let (text, exit) = planned(before.as_ref(), &after, self.is_json, console.out.color);
        console.out.write(&text)?;
        Ok(exit)
    }

    /// The state that `emit` would write, with the values that an operator has filled in.
    pub(super) fn state(&self, model: &Model, own: &Path) -> Result<State, CommandError> {
        let mut files: IndexMap<String, String> = IndexMap::default();
        for (name, content) in &model.files {
            files.insert(name.to_string(), String::from_utf8_lossy(Content::bytes(content)).into_owned());
        }
        let (options, identified) = (self.emission.options(own)?, lower::identified(model));
        let mut stages = lower::Stages::of(self.emission.lowering, model, &identified, &options);
        let seed = stages.seed();
        let lower::Templates { template, nested, .. } = stages.templates();
        for (name, nested) in &nested {
            files.insert(name.clone(), json(nested)?);
        }
        files.insert("template.yaml".to_owned(), json(&template)?);
        let state = State::new(&files, values(&environment(&beside(own))?), seed);
        let settings = self.emission.settings.as_ref().map(|settings| flat(&settings.0)).unwrap_or_default();
        Ok(state.map_err(|error| CommandError::new(error.to_string()))?.with_settings(settings))
    }
}
