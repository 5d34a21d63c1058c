//! The command `wattle`.
//!
//! What lives here: commands, options, what is printed and how it looks; one file a command. What must not: what a
//! command is about. That is the business of `space`, `agent` and `local`.

mod agent;
mod args;
mod console;
mod down;
mod entries;
mod explain;
mod exports;
mod failure;
mod get;
mod here;
mod ls;
mod paint;
mod progress;
mod recipe;
mod screen;
mod seed;
mod set;
mod status;
mod target;
mod template;
mod up;
mod watch;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;

use console::Console;
use failure::Exit;

pub(crate) use failure::Failure;

/// Runs the command line and returns the program's exit code. What was asked for goes to the standard output, everything
/// else to the standard error.
///
/// | exit code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | it could not be done, or what runs has failed |
/// | 2 | wrong usage: a command, an option or a name that does not exist or fit; nothing was done |
pub fn main() -> ExitCode {
    let mut console = Console::of_process();
    run(std::env::args_os().collect(), &mut console).into()
}

fn run(args: Vec<OsString>, console: &mut Console) -> Exit {
    let matches = match args::parse(&args, console) {
        Ok(matches) => matches,
        Err(exit) => return exit,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("INVARIANT: the system has threads and timers for a program to begin with");
    let exit = runtime.block_on(execute(&matches, console)).unwrap_or_else(|failure| {
        let text = wattle::view::failure(&failure.message, &failure.notes, &failure.help, &console.err.options());
        // Nothing is left to tell it to when the error stream is gone.
        let _ = console.err.write(&text);
        failure.exit
    });
    // Whoever still waits for something that will not come is not waited for.
    runtime.shutdown_background();
    exit
}

async fn execute(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let (name, given) = matches.subcommand().expect("INVARIANT: a command is required");
    match name {
        "up" => up::run(given, console).await,
        "down" => down::run(given, console).await,
        "status" => status::run(given, console).await,
        "seed" => seed::run(given, console).await,
        "get" => get::run(given, console).await,
        "set" => set::run(given, console).await,
        "watch" => watch::run(given, console).await,
        "ls" => ls::run(given, console).await,
        "agent" => agent::run(given, console).await,
        "check" => template::check::run(given, console),
        "lower" => template::lower::run(given, console),
        "graph" => template::graph::run(given, console),
        "import" => template::import::run(given, console),
        "explain" => explain::run(given, console),
        other => unreachable!("INVARIANT: `{other}` is no command"),
    }
}
