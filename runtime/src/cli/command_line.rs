//! A program's command line: its commands, and its parser.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use futures_util::future::LocalBoxFuture;
use wattle::manners::{Sought, all_exit_codes, color, forced_color, seek};
use wattle::shown;

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit};

/// A program. Only the dependencies of its commands are linked into it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) examples: &'static str,
    pub(super) commands: &'static [Named],
}

/// A command.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) command: fn() -> Command,
    pub(super) run: Run,
}

/// What people who know other tools look for, and where it is. None of this is an alias: what ends a topology on this
/// machine does not delete a stack in OpenStack.
const SOUGHT: [Sought; 12] = [
    (&["help"], "`wattle --help` lists the commands, `wattle COMMAND --help` explains one"),
    (
        &["apply", "create", "start", "run"],
        "`wattle up DIR` brings it up on this machine, `wattle deploy DIR` on OpenStack",
    ),
    (
        &["delete", "remove", "rm", "stop", "teardown"],
        "`wattle down` ends what `wattle up` started, `wattle destroy` deletes what `wattle deploy` has deployed",
    ),
    (&["preview", "diff", "changes"], "`wattle plan DIR` shows what would change"),
    (
        &["log", "tail"],
        "`wattle logs SERVER --console` shows a server's console, `wattle status --why` the last lines of what failed",
    ),
    (&["ps", "show", "list", "describe"], "`wattle status` shows the components, `wattle ls` the values"),
    (&["output", "outputs"], "`wattle ls` shows the values, `wattle get ENTRY` one of them"),
    (
        &["validate", "lint", "verify"],
        "`wattle check` reports what is wrong with a template, `cargo run -- check` with a blueprint",
    ),
    (&["init"], "`wattle new NAME` writes a crate to start from"),
    (&["emit", "build", "synth"], "`cargo run` emits a blueprint, `wattle lower` an extended template"),
    (&["test"], "`cargo test` runs the tests of a blueprint, `wattle up DIR` brings it up on this machine"),
    (&["refresh"], "`wattle drift` shows what in the cloud is not as it was deployed"),
];

type Run = for<'a> fn(&'a ArgMatches, &'a mut Console) -> LocalBoxFuture<'a, Result<Exit, CommandError>>;

impl Program {
    /// The whole command line.
    pub(super) fn command_line(&self) -> Command {
        let commands = self.commands.iter().map(|named| (named.command)().arg(color().global(true)));
        Command::new(self.name)
            .bin_name(self.name)
            .version(env!("CARGO_PKG_VERSION"))
            .about(self.about)
            .after_help(args::section(&[("Examples", self.examples), ("Exit codes", &all_exit_codes(&[]))]))
            .disable_help_subcommand(true)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .max_term_width(120)
            .subcommands(commands)
    }

    pub(super) fn find(&self, name: &str) -> Option<&'static Named> {
        self.commands.iter().find(|named| named.name == name)
    }
}

/// Parses the command line, and sets the console's colours. Help and usage errors are written at once.
pub(super) fn parse(args: &[OsString], console: &mut Console) -> Result<ArgMatches, Exit> {
    if let Some(forced) = forced_color(args) {
        (console.out.color, console.err.color) = (forced, forced);
    }
    let mut command = console.program.command_line();
    command.try_get_matches_from_mut(args).map_err(|error| {
        // A program without `up` is an agent's, whose callers are not looking for another tool's commands.
        let words = if command.get_subcommands().any(|own| own.get_name() == "up") { &SOUGHT[..] } else { &[] };
        let error = named_directory(seek(error, active(&command, args), words), active(&command, args));
        let (stream, exit) =
            if error.use_stderr() { (&mut console.err, Exit::Usage) } else { (&mut console.out, Exit::Fine) };
        let text = error.render();
        let text = if stream.color { text.ansi().to_string() } else { text.to_string() };
        // If the stream is gone, there is nowhere left to report it.
        let _ = stream.write(&text);
        exit
    })
}

/// Explains how to name a directory to a command that takes it as an option.
fn named_directory(mut error: clap::Error, command: &Command) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && !given.starts_with('-')
        && command.get_arguments().any(|arg| arg.get_long() == Some("dir"))
    {
        let tip = format!("`--dir {}` names the folder that was given to `up`", shown::path(given));
        let other = "`--space ADDRESS` names another data space, `--stack NAME` a stack in it";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into(), other.into()]));
    }
    error
}

/// The innermost command that `args` name.
fn active<'c>(command: &'c Command, args: &[OsString]) -> &'c Command {
    args.iter()
        .skip(1)
        .filter_map(|arg| arg.to_str())
        .fold(command, |command, arg| command.find_subcommand(arg).unwrap_or(command))
}
