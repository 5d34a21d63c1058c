//! Common to all commands: colours, suggestions, failures, and the wording of system errors.

mod error;
mod exit;
mod reading;

use std::ffi::OsString;
use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::names::nearest;

pub use error::CommandError;
pub use exit::{Exit, all_exit_codes, exit_codes, panic_exit_code};
pub use reading::{must_end, open, read, read_bytes, text, whole};

/// The option `--color`.
pub fn color() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .default_value("auto")
        .value_parser(["auto", "always", "never"])
        .help("When to use colours; auto: on a terminal, unless NO_COLOR is set")
        // Every command has it, so it is listed after the command's own options, wherever clap adds it.
        .display_order(900)
}

/// The value of `--color` among `args`, before they are parsed, so that clap's own output is coloured as requested, too.
pub fn forced_color(args: &[OsString]) -> Option<bool> {
    let mut args = args.iter().map(|arg| arg.to_string_lossy());
    let mut color = None;
    while let Some(arg) = args.next() {
        match arg.strip_prefix("--color") {
            Some("") => color = args.next().map(Into::into),
            Some(rest) => color = rest.strip_prefix('=').map(str::to_owned).or(color),
            None => {}
        }
    }
    match color.as_deref() {
        Some("always") => Some(true),
        Some("never") => Some(false),
        _ => None,
    }
}

/// Whether output is coloured if the user does not specify it: on a terminal that supports it, unless `NO_COLOR` is set and
/// not empty (<https://no-color.org>).
pub fn wants_color(is_terminal: bool, var: impl Fn(&str) -> Option<OsString>) -> bool {
    is_terminal && var("NO_COLOR").is_none_or(|value| value.is_empty()) && var("TERM").is_none_or(|term| term != "dumb")
}

/// Suggests an option or a command of `command` if clap finds none. Clap does not find `--ot` similar enough to `--out`.
#[must_use]
pub fn suggest(mut error: clap::Error, command: &Command) -> clap::Error {
    let given = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(given)) => Some(given.clone()),
        _ => None,
    };
    if error.kind() == ErrorKind::UnknownArgument
        && error.get(ContextKind::SuggestedArg).is_none()
        && let Some(given) = given(&error, ContextKind::InvalidArg)
    {
        let given = given.split('=').next().unwrap_or_default().trim_start_matches('-');
        if let Some(near) = nearest(given, command.get_arguments().filter_map(Arg::get_long)) {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{near}")));
        }
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(given) = given(&error, ContextKind::InvalidSubcommand)
        && let Some(near) = nearest(&given, command.get_subcommands().map(Command::get_name))
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
    }
    error
}

/// Words that users of other tools look for, and the message about them.
pub type Sought = (&'static [&'static str], &'static str);

/// Like [`suggest`]. But if the unknown command is one of `words`, only says where to find what the user looks for.
pub fn seek(mut error: clap::Error, command: &Command, words: &[Sought]) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand)
        && let Some((_, hint)) = words.iter().find(|(words, _)| words.contains(&given.as_str()))
    {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*hint).into()]));
        return error;
    }
    suggest(error, command)
}

/// Why `error` happened, in the style of our messages: without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut rest = text.chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}
