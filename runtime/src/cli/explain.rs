//! `wattle explain`: what the code of a finding means.

use clap::{Arg, ArgMatches, Command};
use wattle::check::{self, Severity};
use wattle::names::nearest;

use super::console::Console;
use super::failure::{Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain the code of an error or a warning; without a code, list them all")
        .arg(Arg::new("code").value_name("CODE").help("The code, such as W0101"))
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let Some(code) = matches.get_one::<String>("code") else {
        let list = all().map(|(code, severity, summary)| format!("{code}  {:7}  {summary}\n", severity.to_string()));
        console.out.write(&list.collect::<String>())?;
        return Ok(Exit::Fine);
    };
    let Some(page) = check::explain(code).or_else(|| wattle_hot::explain(code)) else {
        let near = check::nearest_code(code).or_else(|| nearest(code, all().map(|(code, ..)| code)));
        // Every code is like every other: only what is no code at all can be a slip.
        let is_code = code.len() == 5 && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let near = near.filter(|_| !is_code).map(|near| format!("did you mean `{near}`?"));
        return Err(Failure::usage(format!("unknown code `{code}`"))
            .help_if(near)
            .help("`explain` without a code lists them all"));
    };
    console.out.write(&page)?;
    Ok(Exit::Fine)
}

/// Every code, with how bad its findings are and what they are, sorted.
fn all() -> impl Iterator<Item = (&'static str, Severity, &'static str)> {
    let ours = check::CHECKS.iter().map(|check| (check.code, check.severity, check.summary));
    ours.chain(wattle_hot::check::CHECKS.iter().map(|check| (check.code, check.severity, check.summary)))
}
