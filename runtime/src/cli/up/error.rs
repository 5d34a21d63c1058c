//! Errors that prevent `up`.

use wattle::lower::computed_by_heat;
use wattle::manners::reason;
use wattle::model::Type;

use crate::cli::error::CommandError;
use crate::local::UpError;
use crate::seed::SeedError;

impl From<UpError> for CommandError {
    fn from(error: UpError) -> Self {
        let text = error.to_string();
        match error {
            UpError::Attributes { names } => {
                let mut failure = Self::usage(text);
                for (name, server) in &names {
                    failure = failure.note(match computed_by_heat(name) {
                        Some(function) => {
                            format!(
                                "`{name}`, the result of a `{function}`, which {server} reads; `lower --explain` shows \
                                 where"
                            )
                        }
                        None => format!("`{name}`, which {server} reads"),
                    });
                }
                let flags: Vec<String> = names.keys().map(|name| format!("--attribute {name}=VALUE")).collect();
                failure.help(format!("add `{}`", flags.join(" ")))
            }
            UpError::Imports { missing, .. } => {
                let failure = missing
                    .iter()
                    .fold(of_lines(&text), |failure, (name, import)| failure.note(format!("`{name}` is {import}")));
                let flags: Vec<String> = missing.keys().map(|name| format!("--import {name}=VALUE")).collect();
                if flags.is_empty() {
                    failure.help("write `--import STACK:EXPORT=VALUE`")
                } else {
                    failure.help(format!("add `{}`", flags.join(" ")))
                }
            }
            UpError::UnknownAttributes { .. } => of_lines(&text).help("write `--attribute RESOURCE.ATTRIBUTE=VALUE`"),
            UpError::Seed(error) => {
                let has_secrets = matches!(&error, SeedError::Parameters { missing, .. }
                    if missing.values().any(Type::is_secret));
                let failure = Self::from(error);
                if has_secrets { failure.help("or `--generate-secrets`, which generates secrets") } else { failure }
            }
            UpError::Space(error) => error.into(),
            UpError::Sandbox { help, .. } => Self::new(text).help(help),
            UpError::Network { .. } => Self::new(text).help("`--network loopback` does not need that"),
            UpError::File { path, source } => {
                Self::new(format!("cannot use `{}`: {}", path.display(), reason(&source)))
            }
            _ => Self::new(text),
        }
    }
}

/// An error with several sentences, each on its own line.
fn of_lines(text: &str) -> CommandError {
    let mut lines = text.lines();
    let first = CommandError::usage(lines.next().unwrap_or_default());
    lines.fold(first, CommandError::note)
}
