//! Errors in bringing up a topology.

use std::io;
use std::path::PathBuf;

use wattle::lower::computed_by_heat;
use wattle::model::{IndexMap, Name};

use crate::seed::SeedError;
use crate::space::SpaceError;
use crate::store::StoreError;
use crate::store::embedded::ServerError;

use super::imports::Unimported;

/// Why a topology cannot be started on this machine.
#[derive(Debug, thiserror::Error)]
pub enum UpError {
    /// A necessary file or folder cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Some attributes are known only to OpenStack.
    #[error("{} {} not known here", missing_values(.names), if .names.len() == 1 { "is" } else { "are" })]
    Attributes {
        /// The attributes as `RESOURCE.ATTRIBUTE.PATH`, each with a server that reads it.
        names: IndexMap<Name, Name>,
    },
    /// Given attributes are unused, each as a message.
    #[error("{}", .faults.join("\n"))]
    UnknownAttributes {
        /// The error for each.
        faults: Vec<String>,
    },
    /// Imports have no value, or an invalid one.
    #[error("{}", unimported(.missing, .faults))]
    Imports {
        /// The imports without a value, by `STACK:EXPORT`.
        missing: IndexMap<Name, Unimported>,
        /// The errors in given values, each as a message.
        faults: Vec<String>,
    },
    /// There are more servers than addresses.
    #[error("one machine does not have enough addresses for {servers} servers")]
    Addresses {
        /// The number of servers.
        servers: usize,
    },
    /// No block of addresses is available.
    #[error("no addresses in 127.0.0.0/8 can be taken for the servers: {source}")]
    Block {
        /// The reason.
        source: io::Error,
    },
    /// The servers' network cannot be created.
    #[error("cannot give the servers networks of their own: {reason}")]
    Network {
        /// The reason.
        reason: String,
    },
    /// The servers cannot get file systems of their own.
    #[error("{what}")]
    Sandbox {
        /// The obstacle.
        what: String,
        /// How to fix that.
        help: String,
    },
    /// The seed cannot be applied.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// The store cannot be started.
    #[error(transparent)]
    Store(#[from] ServerError),
    /// An error of the data space.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl UpError {
    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}

impl From<StoreError> for UpError {
    fn from(error: StoreError) -> Self {
        Self::Space(error.into())
    }
}

/// Lists the attributes without a value, as a message.
fn missing_values(names: &IndexMap<Name, Name>) -> String {
    let of_heat = names.keys().filter(|name| computed_by_heat(name).is_some()).count();
    let attributes = || format!("{} of OpenStack", plural(names.len() - of_heat, "attribute"));
    let values = || format!("{} that only Heat computes", plural(of_heat, "value"));
    match of_heat {
        0 => attributes(),
        all if all == names.len() => values(),
        _ => format!("{} and {}", attributes(), values()),
    }
}

fn plural(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// Lists the imports without a value, and other errors in imports, as a message.
fn unimported(missing: &IndexMap<Name, Unimported>, faults: &[String]) -> String {
    let mut lines = Vec::new();
    if !missing.is_empty() {
        let names: Vec<String> = missing.keys().map(|name| format!("`{name}`")).collect();
        let (verb, it) = if names.len() == 1 { ("has", "it") } else { ("have", "them") };
        lines.push(format!("{} {verb} no value: no other stack is up here that could export {it}", names.join(", ")));
    }
    lines.extend(faults.iter().cloned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_heat_computes_is_no_attribute() {
        let text = |names: &[&'static str]| {
            let names = names.iter().map(|name| (Name::from(*name), Name::from("web"))).collect();
            UpError::Attributes { names }.to_string()
        };
        assert_eq!(text(&["net.mtu"]), "1 attribute of OpenStack is not known here");
        assert_eq!(text(&["repeat.9c1a53a3"]), "1 value that only Heat computes is not known here");
        assert_eq!(
            text(&["net.mtu", "net.name", "repeat.9c1a53a3"]),
            "2 attributes of OpenStack and 1 value that only Heat computes are not known here"
        );
    }
}
