//! The settings that were given to an emission. They are kept beside its output, because their effects are deployed: an
//! emission that omits one would revert it.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde_yaml::Mapping;
use wattle_heat::emit::EmitError;

use crate::manners::{CommandError, Exit, read, reason};
use crate::model::{IndexMap, Model, Name};
use crate::plan::{SETTINGS, between, flat, plan};
use crate::shown::argument;

use super::emit::Emission;
use super::files::File;
use super::plan::{PlanOptions, state_of};
use super::tree::count;

/// Settings that were given while building, except those with their default values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen(pub(super) Mapping);

impl Chosen {
    /// Reads the settings of the last emission to this directory.
    pub(super) fn last(directory: &Path) -> Result<Self, CommandError> {
        let path = directory.join(SETTINGS);
        let refuse = |why: String| {
            CommandError::files(format!(
                "the settings of the last emission, in `{}`, cannot be read: {why}",
                path.display()
            ))
            .note("nothing was changed")
            .help("restore the file, or remove it and give every setting that you want to keep")
        };
        match read(&path) {
            Ok(text) => serde_yaml::from_str(&text).map(Self).map_err(|error| refuse(error.to_string())),
            // If something other than a file is in the way, the error occurs when it is replaced.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) =>
            {
                Ok(Self::default())
            }
            Err(error) => Err(refuse(reason(&error))),
        }
    }

    /// The file that keeps them. `None` if there are none.
    pub(super) fn file(&self) -> Option<File<'_>> {
        let number = flat(&self.0).len();
        let write = move |file: &mut fs::File| {
            let text = serde_yaml::to_string(&self.0).map_err(|error| EmitError::Value(error.to_string()))?;
            file.write_all(b"# The settings that were given: `--config` takes this file.\n")?;
            Ok(file.write_all(text.as_bytes())?)
        };
        let content = count(number, "setting");
        (number > 0).then(|| File { name: SETTINGS.into(), content, write: Box::new(write) })
    }

    /// The settings of the last emission that are not given this time, in the form that `--set` accepts.
    fn left_out(&self, last: &Self) -> IndexMap<Name, String> {
        let changed = between(&flat(&last.0), &flat(&self.0));
        let left = changed.into_iter().filter(|(name, plan)| plan.to.is_none() && !self.has_part_of(name));
        left.filter_map(|(name, plan)| Some((name, plan.from?))).collect()
    }

    /// Whether a setting within `name`, or one that contains it, is given, as a list or a map in its place.
    fn has_part_of(&self, name: &str) -> bool {
        let within = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        flat(&self.0).keys().any(|given| within(given, name) || within(name, given))
    }
}

/// Reports the `last` settings that the emission `of` a model to the directory `own` leaves out, and what that would
/// change. Empty if it leaves out none.
///
/// # Errors
/// The same, if warnings are errors.
pub(super) fn report(model: &Model, emission: &Emission, own: &Path, last: &Chosen) -> Result<String, CommandError> {
    let Some(given) = &emission.settings else { return Ok(String::new()) };
    let left = given.left_out(last);
    if left.is_empty() {
        return Ok(String::new());
    }
    let names: Vec<String> = left.iter().map(|(name, value)| format!("`{name}` was {value}")).collect();
    let message = format!("settings of the last emission are missing: {}", names.join(", "));
    let flags: Vec<String> =
        left.iter().map(|(name, value)| format!("--set {}", argument(format!("{name}={value}")))).collect();
    let keep = format!("to keep them, add `{}`", flags.join(" "));
    let changes = changes(model, emission, own);
    if emission.deny_warnings {
        let failure = CommandError { exit: Exit::Failed, ..CommandError::usage(message) };
        let failure = changes.into_iter().fold(failure, CommandError::note);
        return Err(failure.note("nothing was written").help(keep));
    }
    let changes = changes.map(|changes| format!("  {changes}\n")).unwrap_or_default();
    Ok(format!("warning: {message}\n{changes}  {keep}\n"))
}

/// What the emission would change compared with the last one. Unknown if that cannot be read.
fn changes(model: &Model, emission: &Emission, own: &Path) -> Option<String> {
    let before = state_of(own, None).ok()?;
    let planning = PlanOptions { against: None, emission: emission.clone(), is_json: false };
    let plan = plan(Some(&before), &planning.state(model, own).ok()?);
    Some(format!("compared with that emission: {}", plan.summary))
}
