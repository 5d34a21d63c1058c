//! Which nested stack each resource is deployed in, from the templates that `emit` wrote before.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Arg;

use crate::lower::{Moved, Places};
use crate::manners::{CommandError, read_bytes, reason};

/// The largest number of resources that are listed one by one.
const SHOWN: usize = 5;

/// The option for the directory of the deployed templates.
pub(super) fn deployed() -> Arg {
    Arg::new("deployed").long("deployed").value_name("DIR").value_parser(clap::value_parser!(PathBuf)).help(
        "Keep servers in the nested stacks in which the templates in DIR have them [default: what was emitted last]",
    )
}

/// The places of the resources according to `given`, or otherwise according to `own`, if anything is there.
///
/// If something there cannot be read.
pub(super) fn places(given: Option<&Path>, own: &Path) -> Result<Places, CommandError> {
    let places = read(given.unwrap_or(own))?;
    match given.filter(|_| places.is_empty()) {
        Some(directory) => Err(CommandError::usage(format!("there is no template in `{}`", directory.display()))
            .help("`--deployed` takes a folder that `emit` wrote to: the one with `template.yaml`")),
        None => Ok(places),
    }
}

fn read(directory: &Path) -> Result<Places, CommandError> {
    let mut failed = None;
    let mut read = |name: &str| match read_bytes(&directory.join(name)) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => {
            // If something other than a file is in the way, the error occurs when it is replaced.
            let is_none =
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory);
            if !is_none {
                failed.get_or_insert_with(|| format!("`{name}`: {}", reason(&error)));
            }
            None
        }
    };
    let places = Places::read(&mut read);
    let why = match (failed, places) {
        (None, Ok(places)) => return Ok(places),
        (Some(why), _) => why,
        (None, Err(error)) => error.to_string(),
    };
    let failure = format!("`{}` does not say in which nested stacks servers are: {why}", directory.display());
    Err(CommandError::files(failure).note("nothing was changed").help(
        "restore what was emitted there; without any template there, servers are assigned to nested stacks from \
         scratch, and Heat replaces those that are deployed in another one",
    ))
}

/// The warning about resources that leave the stack in which they are deployed.
pub(super) fn warning(moved: &[Moved]) -> String {
    if moved.is_empty() {
        return String::new();
    }
    let what = if moved.len() == 1 { "1 resource" } else { &format!("{} resources", moved.len()) };
    let mut text = format!("warning: {what} must move to another stack, so Heat replaces what is deployed\n");
    for Moved { name, from, to } in moved.iter().take(SHOWN) {
        text += &format!("  `{name}` goes from {from} to {to}\n");
    }
    if moved.len() > SHOWN {
        text += &format!("  and {} more; `plan` shows the consequences\n", moved.len() - SHOWN);
    }
    text
}

/// The note about a stack that was cut although no earlier deployment is known.
pub(super) fn unknown(directory: &Path) -> String {
    format!(
        "there was no template in `{}`, so each server's name decides its nested stack; if the stack is deployed, pass \
         the folder that it was deployed from: `--deployed DIR`\n",
        directory.display()
    )
}
