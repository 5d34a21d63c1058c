//! `wattle check`: reports the errors in a template.

use clap::{ArgMatches, Command};
use wattle::check::{Severity, has_errors};
use wattle::lower::Lowering;
use wattle::view;
use wattle_heat::environment::Implementation;
use wattle_heat::schema::is_type;

use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};

pub(in crate::cli) fn command() -> Command {
    Command::new("check")
        .about("Report what is wrong with a template: what Heat would refuse, and wrong wiring of its software")
        .args(given::args())
        .arg(wattle::cli::messages("format").help("Output format"))
        .arg(wattle::cli::policy_arg())
        .arg(args::flag("deny-warnings", "Treat warnings as errors"))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let policies = wattle::cli::policies(matches, wattle::policy::ALL)?;
    let given = Given::read(matches)?;
    let mut diagnostics = given.diagnostics(false, Lowering::default());
    if !policies.is_empty() && given.loaded.unreadable.is_none() {
        let implementation = |resource: &str, ty: &str| match given.loaded.implementation(resource, ty, &is_type)? {
            Implementation::Template(path) => Some(path),
            Implementation::Type(ty) => Some(ty),
        };
        diagnostics.extend(policies.look_behind(given.model(), &implementation));
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    }
    if matches.get_flag("deny-warnings") {
        for diagnostic in &mut diagnostics {
            diagnostic.severity = Severity::Error;
        }
    }
    let format = *matches.get_one("format").expect("INVARIANT: the argument has a default");
    console.out.write(&given.render(&diagnostics, format, &console.out.options()))?;
    if format != view::Format::Json {
        let summary = view::summary(&diagnostics).unwrap_or_else(|| "no errors, no warnings".into());
        console.out.write(&format!("{summary}{}\n", given.about()))?;
    }
    Ok(if has_errors(&diagnostics) { Exit::Failed } else { Exit::Fine })
}
