//! `wattle explain`: what the code of a finding means.

use clap::{Arg, ArgMatches, Command};
use wattle::cli::explained;

use super::console::Console;
use super::failure::{Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain the code of an error or a warning; without a code, list them all")
        .arg(Arg::new("code").value_name("CODE").help("The code, such as W0101"))
}

/// Every code that has a page.
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    wattle::check::CHECKS.iter().map(|check| check.code).chain(wattle_hot::check::all().map(|(code, ..)| code))
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let code = matches.get_one::<String>("code").map(String::as_str);
    let of_templates: Vec<_> = wattle_hot::check::all().collect();
    console.out.write(&explained(code, &of_templates, &wattle_hot::explain)?)?;
    Ok(Exit::Fine)
}
