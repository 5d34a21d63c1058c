//! The command line of a blueprint: what `main` runs, and what other commands share with it.
//!
//! This module contains commands, options, settings, and all of the crate's I/O. It makes no decisions about the model,
//! which are up to `check` and `lower`. How diagnostics look is up to `view`.

mod args;
mod chosen;
mod console;
mod copied;
mod deployed;
mod emit;
mod environment;
mod explain;
mod files;
mod graph;
mod help;
mod plan;
mod policy;
mod reserved;
pub(crate) mod settings;
mod shape;
mod sources;
mod tree;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::author::Blueprint;
use crate::check::{self, Diagnostic, Limits, Severity};
use crate::model::Model;
use crate::policy::{Policies, Policy};
use crate::view;

use args::{Command, Request};
use console::Console;

use crate::manners::{CommandError, Exit};
pub use args::{emission, emission_args, messages};
pub use chosen::Chosen;
pub use copied::{Copied, write_files};
pub use emit::{Emission, Emitted, TemplateFormat, emit};
pub use environment::{beside, environment};
pub use explain::explained;
pub use graph::{DiagramFormat, Drawing, drawing, drawing_args};
pub use plan::{is_json, plan_against, plan_format, planned, planned_of, state_of, values};
pub use policy::{arg as policy_arg, policies};
pub use reserved::{is_reserved, is_reserved_file, leads_out, read_brought};
pub use sources::Sources;
pub use tree::of_model;

/// Runs the command line of a blueprint and returns the program's exit code.
///
/// The commands are `emit` (the default), `check`, `graph`, `plan` and `explain CODE`; `--help` describes the rest. The
/// requested result goes to the standard output: the tree of the files that `emit` wrote, the diagnostics of `check`, or the
/// page that `explain` shows. Everything else goes to the standard error, including the errors and warnings that precede an
/// `emit`.
///
/// The exit codes are those of [`Exit`]; 101 is a panic of the blueprint, with nothing written.
///
/// `emit` replaces either all of its files or none. It first writes everything beside the old files, and only then
/// moves each new file to its place by a rename, the seed last. Only a process that is killed between the first of
/// these renames and the last leaves old files beside new ones, each of them whole. The next run takes the new ones
/// back before it begins.
pub fn main<B: Blueprint>(blueprint: B) -> ExitCode {
    main_with(blueprint, &[])
}

/// Like [`main`], for a blueprint whose team has its own policies. `check --policy FILE` accepts them by name in the file,
/// besides [the built-in ones](crate::policy::ALL).
#[expect(clippy::needless_pass_by_value, reason = "a blueprint is a function, given by its name")]
pub fn main_with<B: Blueprint>(blueprint: B, policies: &[Policy]) -> ExitCode {
    let mut console = Console::of_process();
    let sources = sources::Sources::default();
    let known = [crate::policy::ALL, policies].concat();
    let code = run(&blueprint, std::env::args_os(), &known, &mut console, &|file| sources.read(file));
    code.into()
}

/// Implements [`main`], with every input from outside passed in.
fn run<B: Blueprint>(
    blueprint: &B,
    args: impl IntoIterator<Item = std::ffi::OsString>,
    known: &[Policy],
    console: &mut Console<'_>,
    read: view::Read<'_>,
) -> Exit {
    let request = match args::parse::<B>(args, known, console) {
        Ok(request) => request,
        Err(exit) => return exit,
    };
    execute(blueprint, &request, console, read).unwrap_or_else(|failure| {
        let text = view::failure(&failure.message, &failure.notes, &failure.help, &console.err.options());
        // If the error stream is gone, there is nowhere left to report it.
        let _ = console.err.out.write_all(text.as_bytes());
        failure.exit
    })
}

fn execute<B: Blueprint>(
    blueprint: &B,
    request: &Request,
    console: &mut Console<'_>,
    read: view::Read<'_>,
) -> Result<Exit, CommandError> {
    match &request.command {
        Command::Explain { code } => explain::explain(code.as_deref(), console),
        Command::Check { format, policies } => {
            let (model, _) = model(blueprint, request)?;
            let diagnostics = diagnostics(&model, policies, request);
            let options = console.out.options();
            let text = view::render(&diagnostics, *format, read, &options);
            console.out.write(&text)?;
            if *format != view::Format::Json {
                let summary = view::summary(&diagnostics).unwrap_or_else(|| "no errors, no warnings".into());
                console.out.write(&format!("{summary} in {}\n", tree::of_model(&model)))?;
            }
            Ok(exit(&diagnostics))
        }
        Command::Graph { drawing } => {
            let (model, _) = model(blueprint, request)?;
            if let Some(summary) = view::summary(&errors(diagnostics(&model, &Policies::default(), request))) {
                let message =
                    format!("{summary} in the model, which `check` reports; some of the diagram may be missing\n");
                console.err.write(&message)?;
            }
            console.out.write(&drawing.write(drawing.draw(&crate::diagram::of(&model))?)?)?;
            Ok(Exit::Fine)
        }
        Command::Plan { planning } => {
            let (model, settings) = model(blueprint, request)?;
            let diagnostics = errors(diagnostics(&model, &Policies::default(), request));
            report(&diagnostics, view::Format::Full, "nothing was compared", console, read);
            if diagnostics.is_empty() { planning.with(settings).run(&model, console) } else { Ok(Exit::Failed) }
        }
        Command::Emit { emission, messages } => {
            let (model, settings) = model(blueprint, request)?;
            let diagnostics = diagnostics(&model, &Policies::default(), request);
            report(&diagnostics, *messages, "nothing was written", console, read);
            if check::has_errors(&diagnostics) {
                return Ok(Exit::Failed);
            }
            let (settings, deny_warnings) = (Some(settings), request.deny_warnings);
            let emitted = emit::emit(&model, &Emission { settings, deny_warnings, ..emission.clone() })?;
            console.err.write(&emitted.notes)?;
            console.out.write(&emitted.tree)?;
            // The process is about to end. Freeing a large model piece by piece would only take time.
            std::mem::forget(model);
            Ok(Exit::Fine)
        }
    }
}

/// Runs the blueprint. Returns its model, and the settings it was given.
fn model<B: Blueprint>(blueprint: &B, request: &Request) -> Result<(Model, Chosen), CommandError> {
    struct Building(&'static str);
    impl Drop for Building {
        fn drop(&mut self) {
            if std::thread::panicking() {
                let _ = writeln!(
                    io::stderr(),
                    "error: the blueprint `{}` panicked while it was run; nothing was written",
                    self.0
                );
            }
        }
    }
    let (config, settings) = settings::config::<B>(request.config.as_deref(), &request.set)?;
    let building = Building(B::NAME);
    let model = blueprint.model(config);
    std::mem::forget(building);
    Ok((model, settings))
}

fn diagnostics(model: &Model, policies: &Policies, request: &Request) -> Vec<Diagnostic> {
    let limits = Limits { lowering: request.lowering, ..Limits::default() };
    let mut diagnostics = check::check(model, &limits);
    diagnostics.extend(policies.look(model));
    diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    if request.deny_warnings {
        for diagnostic in &mut diagnostics {
            diagnostic.severity = Severity::Error;
        }
    }
    diagnostics
}

fn errors(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    diagnostics
}

fn exit(diagnostics: &[Diagnostic]) -> Exit {
    if check::has_errors(diagnostics) { Exit::Failed } else { Exit::Fine }
}

/// Reports the diagnostics of a model, and the consequence of errors: `refused`.
fn report(
    diagnostics: &[Diagnostic],
    format: view::Format,
    refused: &str,
    console: &mut Console<'_>,
    read: view::Read<'_>,
) {
    let Some(summary) = view::summary(diagnostics) else { return };
    let mut text = view::render(diagnostics, format, read, &console.err.options());
    if format != view::Format::Json {
        text.push_str(&summary);
        if check::has_errors(diagnostics) {
            text.push_str(&format!("; {refused}"));
        }
        text.push('\n');
    }
    // The exit code reports errors, even if nothing reads the error stream.
    let _ = console.err.out.write_all(text.as_bytes());
}
