//! `wattle lower`: converts an extended template to the inputs of Heat and the data space.

use clap::{Arg, ArgMatches, Command};
use wattle::check::has_errors;
use wattle::cli::{emission, emission_args, emit};
use wattle::lower::{Lowering, Options, lower, native};
use wattle::model::{Model, Name};
use wattle::view;
use wattle_heat::Loaded;
use wattle_heat::files::join;

use wattle_hot::model::placed;

use super::decisions;
use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::paint::width;
use crate::cli::parameters;

pub(in crate::cli) fn command() -> Command {
    Command::new("lower")
        .about("Write the plain template, the environment and the seed of an extended template")
        .args(given::args())
        .args(emission_args())
        .arg(wattle::cli::messages("message-format").help("Format of errors and warnings"))
        .arg(
            Arg::new("stack")
                .long("stack")
                .value_name("STACK")
                .value_parser(stack_name)
                .help("Name of the stack. Defaults to the name of the template or of its file"),
        )
        .arg(args::flag("explain", "Explain who resolves each reference and when, and write nothing"))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let emission = emission(matches)?;
    let mut given = Given::read(matches)?;
    let diagnostics = given.diagnostics(true, emission.lowering);
    let format = *matches.get_one("message-format").expect("INVARIANT: the argument has a default");
    if let Some(summary) = view::summary(&diagnostics) {
        let mut text = given.render(&diagnostics, format, &console.err.options());
        if format != view::Format::Json {
            text.push_str(&summary);
            text.push_str(if has_errors(&diagnostics) { "; nothing was written\n" } else { "\n" });
        }
        console.err.write(&text)?;
    }
    if has_errors(&diagnostics) {
        return Ok(Exit::Failed);
    }
    let mut model = given.take_model();
    if let Some(name) = matches.get_one::<String>("stack") {
        model.stack = name.as_str().into();
    }
    if matches.get_flag("explain") {
        let is_native = emission.lowering == Lowering::HeatNative;
        let decisions =
            if is_native { native::lower(&model).decisions } else { lower(&model, &Options::default()).decisions };
        let decisions = placed(&given.loaded, decisions);
        let width = width(console.out.is_terminal);
        console.out.write(&decisions::shown(&decisions, console.out.color, width))?;
        return Ok(Exit::Fine);
    }
    stand_there(&given.loaded, &model)?;
    let emitted = emit(&model, &emission)?;
    console.err.write(&emitted.notes)?;
    if ["environment"].into_iter().chain(parameters::OPTIONS).any(|option| matches.contains_id(option)) {
        console.err.write(
            "the values of parameters were only used for checking: give them to Heat, and to `wattle up` or `seed apply`, \
             as well\n",
        )?;
    }
    console.out.write(&emitted.tree)?;
    Ok(Exit::Fine)
}

/// Refuses files of the template that are links to elsewhere, because their targets may not belong to the template's
/// author.
fn stand_there(loaded: &Loaded, model: &Model) -> Result<(), CommandError> {
    let leads_out = |name: &&Name| loaded.library.led_out.contains(&join(&loaded.template.file, name));
    let Some(name) = model.files.keys().find(leads_out) else { return Ok(()) };
    let failure =
        CommandError::files(format!("`{name}` is not in the template's folder: it is reached through a link"));
    Err(failure.note("nothing was written").help("put the file itself there"))
}

/// Returns the name of a stack, if Heat and the data space accept it.
fn stack_name(text: &str) -> Result<String, String> {
    let mut characters = text.chars();
    let is_name = characters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let wrong = || "a stack's name begins with a letter, and has letters, digits, `_` and `-`".to_owned();
    if is_name { Ok(text.to_owned()) } else { Err(wrong()) }
}
