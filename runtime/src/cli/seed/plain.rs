//! The seed of a plain template: one without software, which Heat can deploy as it is.

use std::path::Path;

use wattle::lower::Seed;
use wattle::lower::seed::{FORMAT, SeedParameter};
use wattle::manners::{self, reason};
use wattle::model::Parameter;
use wattle::shown;
use wattle_heat::parameters::Inputs;
use wattle_hot::model::{is_extended, read};

use super::super::error::CommandError;
use super::super::template::Disk;
use super::template_in;

/// The template of a directory without a seed.
pub(super) fn template(directory: &Path) -> Option<&'static str> {
    template_in(directory).filter(|_| !directory.join("seed.yaml").exists())
}

/// Creates the seed of the plain template with this name: its parameters, and no server that runs anything. The stack
/// is named after the directory by default.
pub(super) fn seed(directory: &Path, template: &str, stack: Option<&str>) -> Result<Seed, CommandError> {
    let path = directory.join(template);
    let name = path.display().to_string();
    let text = manners::read(&path)
        .map_err(|error| CommandError::usage(format!("cannot read the template `{name}`: {}", reason(&error))))?;
    let loaded = wattle_hot::load(&text, &name, &Disk, &Inputs::default());
    if is_extended(&loaded.template) {
        return Err(CommandError::usage(format!("`{name}` describes software, and there is no seed beside it"))
            .help(format!("write both, and give the folder that this writes: `wattle lower {}`", shown::path(&name))));
    }
    let stack = match stack {
        Some(stack) => stack.to_owned(),
        None => called(directory)?,
    };
    let parameter =
        |Parameter { ty, default, constraints, hidden, .. }| SeedParameter { ty, default, constraints, hidden };
    let parameters = read(&loaded).model.parameters.into_iter().map(|(name, given)| (name, parameter(given)));
    let mut seed =
        Seed { format: FORMAT.into(), stack: stack.into(), parameters: parameters.collect(), ..Seed::default() };
    seed.digest = seed.compute_digest();
    Ok(seed)
}

/// The name of the directory, if it is valid for a stack.
fn called(directory: &Path) -> Result<String, CommandError> {
    let whole = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_letter) {
        return Ok(name);
    }
    Err(CommandError::usage(format!("`{name}`, the name of the template's folder, cannot be the name of a stack"))
        .note("a stack's name begins with a letter, and has letters, digits, `_` and `-`")
        .help("name the stack: `--stack NAME`"))
}
