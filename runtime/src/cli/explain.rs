//! `wattle explain`: describes the code of a diagnostic.

use clap::{Arg, ArgMatches, Command};
use wattle::check::About;
use wattle::cli::explained;

use super::console::Console;
use super::error::{CommandError, Exit};

pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain the code of an error or a warning, or list all codes")
        .arg(Arg::new("code").value_name("CODE").help("Code to explain, such as W0101"))
}

/// All checks of models and of templates.
pub(super) fn checks() -> Vec<&'static About> {
    let mut all = wattle::check::all();
    all.extend(wattle_hot::check::all());
    all.extend(wattle_deploy::codes::all());
    all.extend(wattle::policy::all());
    all.extend(wattle_place::codes::all());
    all
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let code = matches.get_one::<String>("code").map(String::as_str);
    console.out.write(&explained(code, &checks())?)?;
    Ok(Exit::Fine)
}
