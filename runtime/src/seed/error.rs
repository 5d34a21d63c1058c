//! Why a seed was not written, or a stack not removed.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wattle::lower::seed::FORMAT;
use wattle::model::{IndexMap, Name, Type};
use wattle_agent_core::planning::{Fault, Why};

use crate::space::{CredentialError, Fingerprint, SealError, SpaceError};
use crate::store::{MAX_DATA, StoreError, parent, short};

/// Why a seed was not written, or a stack not removed.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The seed has an unsupported format.
    #[error("the seed has the format `{format}`, and this program reads `{FORMAT}`")]
    Format {
        /// Its format.
        format: String,
    },
    /// A name is not allowed in a data space.
    #[error("`{}` cannot be the name of {}: {why}", wattle::shown::one_line(name), a(of))]
    Name {
        /// What it names.
        of: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Parameters are missing, unknown, of another type, or do not meet the requirements. Lists all of them.
    #[error("{}", parameters(missing, faults))]
    Parameters {
        /// The parameters without a value, and their types.
        missing: IndexMap<Name, Type>,
        /// The errors in the given values, one line each.
        faults: Vec<String>,
    },
    /// Values of other stacks are not available. Lists all of them, one per line.
    #[error("{}", .faults.join("\n"))]
    Imports {
        /// The error for each.
        faults: Vec<String>,
    },
    /// Heat functions do not accept their arguments. Lists all of them, one per line.
    #[error("{}", .faults.join("\n"))]
    Functions {
        /// Where each function is used, and the argument that it does not accept.
        faults: Vec<String>,
    },
    /// The contents of a stack in the data space differ from what its operator has written.
    #[error("{}", tampered(stack, nodes))]
    Tampered {
        /// The stack.
        stack: String,
        /// The nodes.
        nodes: Vec<Tampered>,
    },
    /// Another user has created nodes in the place of the stack, and denies access to them.
    #[error(
        "someone else has made `{}`, and owns it: nothing there belongs to this operator. Apply the seed under \
         another name with `--stack`, or have ZooKeeper's superuser remove it with `deleteall`",
        short(.path)
    )]
    Squatted {
        /// The path of the node.
        path: String,
    },
    /// Servers trust another operator.
    #[error(
        "the credentials of {} were made with another operator's key, so these servers would ignore everything that is \
         written with this one: give that key with `--key`, or request new credentials with `--renew`",
        names(.servers)
    )]
    OtherKey {
        /// The servers.
        servers: Vec<String>,
    },
    /// Files beside a seed contain keys that the data space does not know and that the operator has not named.
    #[error("{}", unknown(.files, .stack))]
    Unknown {
        /// The stack.
        stack: String,
        /// The files.
        files: Vec<Beside>,
    },
    /// Something is too large for one node.
    #[error("{what} takes {bytes} bytes, more than the {MAX_DATA} that a data space accepts at once: {help}")]
    TooLarge {
        /// What it is: the plan of a server, the readers of an entry, a recipe file.
        what: String,
        /// Its size in bytes.
        bytes: usize,
        /// What to do about it.
        help: &'static str,
    },
    /// A seed contradicts itself.
    #[error("the seed is damaged: {what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// Running servers have credentials that were not given.
    #[error(
        "the credentials of {} are not given, and with new ones Heat would replace what runs: give the file \
         `credentials.yaml` that the first `seed apply` wrote, or request new credentials",
        names(.servers)
    )]
    Credentials {
        /// The servers.
        servers: Vec<String>,
    },
    /// Something was deployed by an earlier version, which did not let operators read it back.
    #[error(
        "`{server}` was deployed by a version of wattle in which servers had no keys of their own: run `wattle seed \
         apply DIR` once, then this"
    )]
    Unreadable {
        /// A server to which this applies.
        server: String,
    },
    /// Servers do not exist.
    #[error("`{stack}` has no server {}", names(.servers))]
    NoServer {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// A server has announced a different key than the one to admit.
    #[error("`{server}` has announced another key: {announced}")]
    OtherAnnounced {
        /// The server.
        server: String,
        /// The key that it has announced.
        announced: Fingerprint,
    },
    /// Servers to forget are still in the model.
    #[error("{} is in the model of `{stack}`: only a server that has left it can be forgotten", names(.servers))]
    InModel {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Agents of servers to forget are still running.
    #[error("the agent of {} still runs: it may be tearing down what it has", names(.servers))]
    Acting {
        /// The servers.
        servers: Vec<String>,
    },
    /// No seed of the stack was applied.
    #[error(
        "no seed of `{stack}` was applied completely by a version of wattle that knows servers' own keys: run `wattle \
         seed apply DIR`, then this"
    )]
    Incomplete {
        /// The stack.
        stack: String,
    },
    /// Servers have no key of their own.
    #[error(
        "{} of `{stack}` has no key of its own that could be renewed: it uses the credential of its user data until \
         `wattle seed admit`", names(.servers)
    )]
    NoKey {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Another `seed apply` of the same stack is running.
    #[error("another `seed apply` or `seed delete` of `{stack}` came in between: try again once it is done")]
    Busy {
        /// The stack.
        stack: String,
    },
    /// Agents of servers are still running.
    #[error("agents still act for {} of `{stack}`: delete the stack in Heat first, or use `--force`", names(.servers))]
    Alive {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Some nodes were created by servers, and only they can remove them.
    #[error(
        "`{stack}` is deleted, except for what its servers have made below {} and no one else may remove: ZooKeeper's \
         superuser can, with `deleteall`",
        names(&removable(.paths))
    )]
    Left {
        /// The stack.
        stack: String,
        /// The topmost remaining nodes.
        paths: Vec<String>,
    },
    /// Other stacks read from this one.
    #[error(
        "{} still {} from `{stack}`: delete or change {} first, or use `--force`",
        names(.importers),
        if .importers.len() == 1 { "reads" } else { "read" },
        if .importers.len() == 1 { "it" } else { "them" }
    )]
    Imported {
        /// The stack.
        stack: String,
        /// These other stacks.
        importers: Vec<String>,
    },
    /// A file cannot be read or written.
    #[error("cannot use `{}`: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file of credentials does not contain any.
    #[error("`{}` is malformed: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A credential is malformed.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// A secret cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// An error of the data space.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl From<StoreError> for SeedError {
    fn from(error: StoreError) -> Self {
        Self::Space(error.into())
    }
}

/// Converts errors in planning a seed. All errors in functions are reported together, any other error alone.
impl From<Vec<Fault<SeedError>>> for SeedError {
    fn from(faults: Vec<Fault<SeedError>>) -> Self {
        let mut functions = Vec::new();
        for fault in faults {
            let text = fault.to_string();
            match fault.why {
                Why::Function(_) => functions.push(text),
                Why::Damaged(what) => return Self::Damaged { what: format!("{what} for {}", fault.of) },
                Why::Sealing(error) => return error,
            }
        }
        Self::Functions { faults: functions }
    }
}

/// The seed refers to a server that it does not have.
pub(super) fn unknown_server(server: &str) -> SeedError {
    SeedError::Damaged { what: format!("it mentions the server `{server}`, which it does not have") }
}

/// A node that differs from what the operator has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tampered {
    /// Its path.
    pub node: String,
    /// The evidence.
    pub why: String,
    /// The server whose signature is on it, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<Name>,
    /// Whether it is an older version that the operator has since replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_former: bool,
}

impl fmt::Display for Tampered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.node, self.why)?;
        self.writer.iter().try_for_each(|writer| write!(f, "; what is there is signed by the server `{writer}`"))
    }
}

/// A file beside a seed, which may come from the author of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The file of the operator's key.
    Key(PathBuf),
    /// The file of the servers' credentials.
    Credentials(PathBuf),
}

impl Beside {
    /// Its path.
    pub fn path(&self) -> &Path {
        match self {
            Self::Key(path) | Self::Credentials(path) => path,
        }
    }
}

/// The unknown files, in one line.
fn unknown(files: &[Beside], stack: &str) -> String {
    let all = files.iter().map(|file| format!("`{}`", file.path().display()));
    let (lie, are, them) = if files.len() == 1 { ("lies", "it is", "it") } else { ("lie", "they are", "them") };
    let all = wattle_words::names::join(all, "and");
    format!(
        "{all} {lie} beside the seed, and the data space knows neither {them} nor `{stack}`: it is not known whose \
         {are}"
    )
}

/// Lists the errors of a stack, one node per line.
fn tampered(stack: &str, nodes: &[Tampered]) -> String {
    let nodes = nodes.iter().map(|node| format!("\n{node}"));
    format!("the contents of `{stack}` in the data space are not what its operator wrote{}", nodes.collect::<String>())
}

fn a(what: &str) -> String {
    format!("{} {what}", if what.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

/// The paths to show to the person who should remove `paths`. A path that is too long is replaced by that of a node
/// above it.
fn removable(paths: &[String]) -> Vec<String> {
    let mut named: Vec<String> = Vec::with_capacity(paths.len());
    for path in paths {
        let mut whole = path.as_str();
        while short(whole) != whole {
            whole = parent(whole).unwrap_or_default();
        }
        if named.last().is_none_or(|last| last != whole) {
            named.push(whole.to_owned());
        }
    }
    named
}

fn names(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| short(name)).collect();
    wattle_words::names::some(names.iter().map(|name| &**name), 5)
}

/// Describes the number of parameters without a value, in one line.
pub(crate) fn lacking(parameters: usize) -> String {
    match parameters {
        1 => "1 parameter of the stack has no value".to_owned(),
        more => format!("{more} parameters of the stack have no value"),
    }
}

/// Lists what is missing in one line, and the errors in one line each.
fn parameters(missing: &IndexMap<Name, Type>, faults: &[String]) -> String {
    let lacking = (!missing.is_empty()).then(|| lacking(missing.len()));
    lacking.into_iter().chain(faults.iter().cloned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::removable;

    #[test]
    fn what_is_too_long_to_be_shown_is_removed_with_the_node_that_it_is_below() {
        let long = |name: &str| format!("/wattle/shop/agents/web/{}", name.repeat(500_000));
        let left = [long("a"), long("b"), "/wattle/shop/agents/web/short".to_owned()];
        assert_eq!(removable(&left), ["/wattle/shop/agents/web", "/wattle/shop/agents/web/short"]);
    }
}
