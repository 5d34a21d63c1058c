//! The commands `wattle` and `wattle-agent`.
//!
//! What lives here: commands, options, what is printed and how it looks; one file a command. What must not: what a
//! command is about. That is the business of `space`, `agent` and `local`.

mod admit;
mod agent;
mod args;
mod ca;
mod cloud;
mod command_line;
mod completions;
mod console;
mod crates;
mod deploy;
mod down;
mod entries;
mod explain;
mod exports;
mod failure;
mod forget;
mod get;
mod here;
mod log;
mod ls;
mod man;
mod new;
mod paint;
mod plan;
mod program;
mod progress;
mod question;
mod recipe;
mod rotate;
mod screen;
mod seed;
mod set;
mod signal;
mod signals;
mod space;
mod status;
mod target;
mod template;
mod timeline;
mod ui;
mod up;
mod watch;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use command_line::{Program, parse};
use console::Console;
use failure::Exit;

/// Runs the command line and returns the program's exit code. What was asked for goes to the standard output, everything
/// else to the standard error.
/// The exit codes are those of [`wattle::manners::Exit`].
pub fn main() -> ExitCode {
    run(&program::OPERATOR)
}

/// Runs the command line of the program that servers fetch: as [`main`], with the commands alone that a server needs, so
/// that the program is small.
pub fn agent_main() -> ExitCode {
    run(&program::SERVER)
}

fn run(program: &'static Program) -> ExitCode {
    let mut console = Console::of_process(program);
    execute(&std::env::args_os().collect::<Vec<_>>(), &mut console).into()
}

fn execute(args: &[OsString], console: &mut Console) -> Exit {
    let matches = match parse(args, console) {
        Ok(matches) => matches,
        Err(exit) => return exit,
    };
    let (name, given) = matches.subcommand().expect("INVARIANT: a command is required");
    let run = console.program.find(name).expect("INVARIANT: the command line has the program's commands alone").run;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("INVARIANT: the system has threads and timers for a program to begin with");
    let exit = runtime.block_on(run(given, console)).unwrap_or_else(|failure| {
        let text = wattle::view::failure(&failure.message, &failure.notes, &failure.help, &console.err.options());
        // Nothing is left to tell it to when the stream is gone.
        let _ = console.err.write(&text);
        failure.exit
    });
    // Whoever still waits for something that will not come is not waited for.
    runtime.shutdown_background();
    exit
}
