//! Errors about seeds, with advice.

use wattle::model::{Name, Type};
use wattle::shown::{self, argument};

use super::super::error::{CHANGED, CommandError};
use crate::seed::{Beside, SeedError, lacking};

/// How to fix a seed.
pub(super) const EMIT_AGAIN: &str =
    "emit it again, with the blueprint's program as it is now and built with this version of wattle";

/// The reason why a data space differs from what its operator wrote, and the advice.
const REWRITTEN: (&str, &str) = (CHANGED, "rewrite everything: `wattle seed apply DIR --restore`");

/// Like [`REWRITTEN`], for content that was valid once.
const PUT_BACK: (&str, &str) = (
    "someone has put back an earlier state, or the store has lost what came after it; in that state, servers are known \
     by the \
     keys that they had then",
    "rewrite everything: `wattle seed apply DIR --restore`; add `--renew` if a server was rebuilt or has got another \
     key since",
);

/// The option that selects the file.
fn named(file: &Beside) -> String {
    match file {
        Beside::Key(path) => format!("--key {}", shown::path(path.display())),
        Beside::Credentials(path) => format!("--credentials {}", shown::path(path.display())),
    }
}

impl From<SeedError> for CommandError {
    fn from(error: SeedError) -> Self {
        let message = error.to_string();
        match error {
            SeedError::Parameters { missing, faults } if !missing.is_empty() => {
                let mut failure = faults.into_iter().fold(Self::usage(lacking(missing.len())), Self::note);
                for (name, ty) in &missing {
                    failure = failure.note(format!("`{name}`, {ty}"));
                }
                // Other users of the machine can read a command line.
                let flag = |(name, ty): (&Name, &Type)| {
                    if ty.is_secret() {
                        format!("--parameter-file {}", argument(format!("{name}=FILE")))
                    } else {
                        format!("--parameter {}", argument(format!("{name}=VALUE")))
                    }
                };
                let flags: Vec<String> = missing.iter().map(flag).collect();
                let help =
                    "or fill in `environment.yaml` beside the seed, or name another such file with `--environment`";
                failure.help(format!("add `{}`", flags.join(" "))).help(help)
            }
            SeedError::Parameters { faults, .. } | SeedError::Imports { faults } => {
                match <[String; 1]>::try_from(faults) {
                    Ok([one]) => Self::usage(one),
                    Err(faults) => faults.iter().fold(
                        Self::usage(format!("{} things are wrong with the given values", faults.len())),
                        Self::note,
                    ),
                }
            }
            SeedError::Tampered { stack, nodes } => {
                let message = format!("the contents of `{stack}` in the data space are not what its operator wrote");
                let (shown, more) = nodes.split_at(nodes.len().min(8));
                let failure = shown.iter().fold(Self::new(message), |failure, node| failure.note(node.to_string()));
                let failure = if more.is_empty() { failure } else { failure.note(format!("and {} more", more.len())) };
                let (why, help) = if nodes.iter().any(|node| node.is_former) { PUT_BACK } else { REWRITTEN };
                failure.note(why).help(help)
            }
            SeedError::Unknown { files, .. } => {
                let named: Vec<String> = files.iter().map(named).collect();
                let (them, others) =
                    if files.len() == 1 { ("it is", "remove it") } else { ("they are", "remove them") };
                Self::usage(message)
                    .note("if someone else put that into the folder, they can open everything")
                    .help(format!("if {them} yours, say so: `{}`", named.join(" ")))
                    .help(format!("if not, {others}: `seed apply` makes its own"))
            }
            SeedError::Malformed { .. } => Self::usage(message).help(
                "it is a file that the first `wattle seed apply` or `wattle deploy` wrote: `operator.key` or \
                 `credentials.yaml`",
            ),
            SeedError::Space(error) => error.into(),
            SeedError::Credentials { .. }
            | SeedError::OtherKey { .. }
            | SeedError::NoServer { .. }
            | SeedError::InModel { .. }
            | SeedError::Name { .. } => Self::usage(error.to_string()),
            SeedError::OtherAnnounced { .. } => Self::new(message)
                .note("nothing was admitted: someone else may have the credential of the server's user data")
                .help("the log of the server's agent says which key is its own; restart the agent, and it announces that one again"),
            SeedError::Acting { .. } => Self::new(message)
                .help("wait until `wattle status` no longer shows it, or forget it anyway with `--force`"),
            SeedError::Format { .. } | SeedError::Damaged { .. } => Self::usage(error.to_string()).help(EMIT_AGAIN),
            other => Self::new(other.to_string()),
        }
    }
}
