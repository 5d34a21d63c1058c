//! `--policy`: what a team requires of every model.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches};

use crate::manners::{CommandError, read, reason};
use crate::policy::{Policies, Policy};

/// The option.
pub fn arg() -> Arg {
    Arg::new("policy")
        .long("policy")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(PathBuf))
        .help("Also check a team's policies: a YAML file of their names and settings; may be repeated")
}

/// Reads the value of [`arg`], with the policies that are `known`.
///
/// # Errors
/// If a file cannot be read, or is not a file of policies.
pub fn policies(matches: &ArgMatches, known: &[Policy]) -> Result<Policies, CommandError> {
    let mut all = Policies::default();
    for file in matches.get_many::<PathBuf>("policy").into_iter().flatten() {
        all.extend(of_file(file, known)?);
    }
    Ok(all)
}

fn of_file(file: &Path, known: &[Policy]) -> Result<Policies, CommandError> {
    let shown = file.display();
    let text = read(file)
        .map_err(|error| CommandError::usage(format!("cannot read the policies `{shown}`: {}", reason(&error))))?;
    Policies::read(&text, known).map_err(|refused| {
        let failure = CommandError::usage(format!("the policies `{shown}` cannot be used: {}", refused.message));
        let failure = match refused.at {
            Some(at) => failure.note(format!("at {shown}:{at}")),
            None => failure,
        };
        refused.help.into_iter().fold(failure, CommandError::help)
    })
}
