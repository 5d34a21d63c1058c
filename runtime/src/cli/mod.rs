//! The commands `wattle` and `wattle-agent`.
//!
//! This module contains commands, options, and their output, with one file for each command. The substance of a command
//! belongs in `space`, `agent` and `local`.

mod admit;
mod agent;
mod args;
mod ca;
mod cloud;
mod command_line;
mod completions;
mod console;
mod crates;
mod delete;
mod deploy;
mod down;
mod entries;
mod error;
mod explain;
mod exports;
mod forget;
mod get;
mod here;
mod hosts;
mod log;
mod logs;
mod ls;
mod lsp;
mod man;
mod new;
mod paint;
mod parameters;
mod placement;
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
mod silence;
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
use error::Exit;

/// Runs the command line and returns the program's exit code. The requested result goes to the standard output, and
/// everything else to the standard error. The exit codes are those of [`wattle::manners::Exit`].
pub fn main() -> ExitCode {
    run(&program::OPERATOR)
}

/// Runs the command line of the program that servers download. It is like [`main`], but has only the commands that a
/// server needs, so that the program is small.
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
        // If the stream is gone, there is nowhere left to report it.
        let _ = console.err.write(&text);
        failure.exit
    });
    // Does not wait for tasks that are still blocked.
    runtime.shutdown_background();
    exit
}
