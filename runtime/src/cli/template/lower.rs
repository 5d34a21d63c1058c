//! `wattle lower`: an extended template as what Heat and the data space get.

use clap::{ArgMatches, Command};
use wattle::check::has_errors;
use wattle::cli::{emission, emission_args, emit};
use wattle::lower::{Options, lower};
use wattle::view;

use wattle_hot::model::placed;

use super::decisions;
use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure};
use crate::cli::paint::width;

pub(in crate::cli) fn command() -> Command {
    Command::new("lower")
        .about("Write the stripped template, the environment and the seed of an extended template")
        .args(given::args())
        .args(emission_args())
        .arg(wattle::cli::messages("message-format").help("How to write errors and warnings"))
        .arg(args::flag("explain", "Tell of each reference who resolves it and when, and write nothing"))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let emission = emission(matches)?;
    let given = Given::read(matches)?;
    let findings = given.findings(true);
    let format = *matches.get_one("message-format").expect("INVARIANT: the argument has a default");
    if let Some(summary) = view::summary(&findings) {
        let mut text = given.render(&findings, format, &console.err.options());
        if format != view::Format::Json {
            text.push_str(&summary);
            text.push_str(if has_errors(&findings) { "; nothing was written\n" } else { "\n" });
        }
        console.err.write(&text)?;
    }
    if has_errors(&findings) {
        return Ok(Exit::Failed);
    }
    let model = given.model();
    if matches.get_flag("explain") {
        let decisions = placed(&given.loaded, lower(&model, &Options::default()).decisions);
        let width = width(console.out.is_terminal);
        console.out.write(&decisions::shown(&decisions, console.out.color, width))?;
        return Ok(Exit::Fine);
    }
    let emitted = emit(&model, &emission)?;
    console.err.write(&emitted.told)?;
    console.out.write(&emitted.tree)?;
    Ok(Exit::Fine)
}
