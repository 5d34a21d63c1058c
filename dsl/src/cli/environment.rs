//! Environment files, read as Heat reads them, for every command that takes them.

use std::path::{Path, PathBuf};

use wattle_heat::environment::{Environment, Fault};

use crate::manners::{CommandError, read, reason};

/// The environment that `emit` wrote to a directory, if there is one.
pub fn beside(directory: &Path) -> Option<PathBuf> {
    Some(directory.join(FILE)).filter(|file| file.is_file())
}

/// The name of the environment file that `emit` writes.
pub(super) const FILE: &str = "environment.yaml";

/// How many faults of environments are reported at once.
const SHOWN: usize = 20;

/// The environment that these files make together. A later file overrides an earlier one.
///
/// # Errors
/// The first file that cannot be read, or everything that Heat would refuse in them.
pub fn environment<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Result<Environment, CommandError> {
    let mut texts = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let refuse = |error| CommandError::usage(format!("cannot read the environment `{name}`: {}", reason(&error)));
        let text = read(file).map_err(refuse)?;
        texts.push((name, text));
    }
    let environment = Environment::read(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    match environment.faults().as_slice() {
        [] => Ok(environment),
        [fault] => {
            let failure = CommandError::usage(format!("Heat refuses the environment: {}", fault.message));
            Err(failure.note(format!("at {}", fault.at)).help(&*fault.help))
        }
        faults => {
            let failure = CommandError::usage(format!("Heat refuses the environment: {} errors", faults.len()));
            let described = |fault: &Fault| format!("at {}: {}; {}", fault.at, fault.message, fault.help);
            let failure = faults.iter().take(SHOWN).fold(failure, |failure, fault| failure.note(described(fault)));
            Err(match faults.len().saturating_sub(SHOWN) {
                0 => failure,
                more => failure.note(format!("and {more} more")),
            })
        }
    }
}
