//! Why a seed was not written, or a stack not removed.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wattle::lower::seed::FORMAT;
use wattle::model::{IndexMap, Name, Type};
use wattle_agent_core::planning::{Fault, Why};

use crate::space::{CredentialError, SealError, SpaceError};
use crate::store::{MAX_DATA, StoreError};

/// Why a seed was not written, or a stack not removed.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// A seed of another format.
    #[error("the seed is of the format `{format}`, and this program reads `{FORMAT}`")]
    Format {
        /// Its format.
        format: String,
    },
    /// A name that has no place in a data space.
    #[error("`{}` cannot be the name of {}: {why}", wattle::shown::one_line(name), a(of))]
    Name {
        /// Of what it was to be.
        of: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Parameters that are missing, unknown, of another type, or not as is required: all of them.
    #[error("{}", parameters(missing, faults))]
    Parameters {
        /// Those without a value, and their types.
        missing: IndexMap<Name, Type>,
        /// What is wrong with what is given, each in one line.
        faults: Vec<String>,
    },
    /// Values of other stacks that cannot be had: all of them, one a line.
    #[error("{}", .faults.join("\n"))]
    Imports {
        /// What is wrong with each.
        faults: Vec<String>,
    },
    /// Functions of Heat's that do not take what they are given: all of them, one a line.
    #[error("{}", .faults.join("\n"))]
    Functions {
        /// Of what, and what the function does not take.
        faults: Vec<String>,
    },
    /// What the data space holds of a stack is not what its operator has written.
    #[error("{}", tampered(stack, nodes))]
    Tampered {
        /// The stack.
        stack: String,
        /// What is not.
        nodes: Vec<Tampered>,
    },
    /// Somebody else has made nodes where the stack is to be, and keeps them.
    #[error(
        "somebody else has made `{path}`, and keeps it: nothing there is this operator's. Apply the seed under another name, \
         by `--stack`, or have ZooKeeper's superuser remove it, by `deleteall`"
    )]
    Squatted {
        /// Where.
        path: String,
    },
    /// Servers that believe another operator.
    #[error(
        "the credentials of {} were made with another operator's key, so these servers would do nothing that is written with \
         this one: give that key, by `--key`, or ask for new credentials, by `--renew`",
        names(.servers)
    )]
    OtherKey {
        /// The servers.
        servers: Vec<String>,
    },
    /// Files beside a seed that hold keys of which the data space knows nothing, and that nobody has named.
    #[error("{}", unknown(.files, .stack))]
    Unknown {
        /// The stack.
        stack: String,
        /// Which.
        files: Vec<Beside>,
    },
    /// Something that is more than one node takes.
    #[error("{what} takes {bytes} bytes, more than the {MAX_DATA} that a data space takes at once: {help}")]
    TooLarge {
        /// What: the plan of a server, an entry's readers, a file of a recipe.
        what: String,
        /// How many bytes.
        bytes: usize,
        /// What can be done about it.
        help: &'static str,
    },
    /// A seed that contradicts itself.
    #[error("the seed is damaged: {what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// Servers that run with credentials that were not given.
    #[error(
        "the credentials of {} are not given, and with new ones Heat would replace what runs: give the file \
         `credentials.yaml` that the first `seed apply` wrote, or ask for new credentials",
        names(.servers)
    )]
    Credentials {
        /// The servers.
        servers: Vec<String>,
    },
    /// What was deployed by a version of before operators could read it again.
    #[error(
        "`{server}` was deployed by a version of wattle of before servers had keys of their own: `wattle seed apply DIR` once, \
         then this"
    )]
    Unreadable {
        /// A server that has it.
        server: String,
    },
    /// Servers that are not there.
    #[error("`{stack}` has no server {}", names(.servers))]
    NoServer {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Servers that are to be forgotten and are in the model.
    #[error("{} is in the model of `{stack}`: only one that has left it can be forgotten", names(.servers))]
    InModel {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Servers that are to be forgotten and still do something.
    #[error("the agent of {} runs still: it may be tearing down what it has", names(.servers))]
    Acting {
        /// The servers.
        servers: Vec<String>,
    },
    /// A stack of which no seed was applied.
    #[error(
        "no seed of `{stack}` was applied to its end by a version of wattle that knows of servers' own keys: `wattle seed apply \
         DIR`, then this"
    )]
    Incomplete {
        /// The stack.
        stack: String,
    },
    /// Servers without a key of their own.
    #[error(
        "{} of `{stack}` has no key of its own that could be renewed: it lives on the credential of its user data until \
         `wattle seed admit`", names(.servers)
    )]
    NoKey {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// Someone else writes a seed of the same stack.
    #[error("another `seed apply` or `seed delete` of `{stack}` came between: try again once it is done")]
    Busy {
        /// The stack.
        stack: String,
    },
    /// Servers that still run.
    #[error("agents still act for {} of `{stack}`: delete the stack in Heat first, or force it", names(.servers))]
    Alive {
        /// The stack.
        stack: String,
        /// The servers.
        servers: Vec<String>,
    },
    /// What servers have made where only they may.
    #[error(
        "`{stack}` is deleted, but for what its servers have made so that nobody else may remove it, below {}: \
         ZooKeeper's superuser may, by `deleteall`",
        names(.paths)
    )]
    Left {
        /// The stack.
        stack: String,
        /// The topmost nodes that are left.
        paths: Vec<String>,
    },
    /// Stacks that read from this one.
    #[error("{} still read from `{stack}`: delete or change them first, or force it", names(.importers))]
    Imported {
        /// The stack.
        stack: String,
        /// Who reads from it.
        importers: Vec<String>,
    },
    /// A file that cannot be read or written.
    #[error("cannot use `{}`: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of credentials that holds none.
    #[error("`{}` does not hold what it should: {reason}", .path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A credential that is none.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// A secret that cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// What the data space says.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl From<StoreError> for SeedError {
    fn from(error: StoreError) -> Self {
        Self::Space(error.into())
    }
}

/// A seed that does not become plans. Functions are reported all at once, anything else alone.
impl From<Vec<Fault<SeedError>>> for SeedError {
    fn from(faults: Vec<Fault<SeedError>>) -> Self {
        let mut functions = Vec::new();
        for fault in faults {
            let told = fault.to_string();
            match fault.why {
                Why::Function(_) => functions.push(told),
                Why::Damaged(what) => return Self::Damaged { what: format!("{what} for {}", fault.of) },
                Why::Sealing(error) => return error,
            }
        }
        Self::Functions { faults: functions }
    }
}

/// A seed that speaks of a server that it does not have.
pub(super) fn unknown_server(server: &str) -> SeedError {
    SeedError::Damaged { what: format!("it has no server `{server}`, of which it speaks") }
}

/// A node that is not what the operator has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tampered {
    /// Where.
    pub node: String,
    /// Why that is known.
    pub why: String,
    /// The server whose signature is on what stands there, if one's is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<Name>,
    /// Whether the operator has written it, and something newer since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_former: bool,
}

impl fmt::Display for Tampered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.node, self.why)?;
        self.writer.iter().try_for_each(|writer| write!(f, "; what stands there is signed by the server `{writer}`"))
    }
}

/// A file that lies beside a seed, which may be of whoever made the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// One with the operator's key.
    Key(PathBuf),
    /// One with the servers' credentials.
    Credentials(PathBuf),
}

impl Beside {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Key(path) | Self::Credentials(path) => path,
        }
    }
}

/// Which files nobody knows, in one line.
fn unknown(files: &[Beside], stack: &str) -> String {
    let all = files.iter().map(|file| format!("`{}`", file.path().display()));
    let (lie, are, them) = if files.len() == 1 { ("lies", "it is", "it") } else { ("lie", "they are", "them") };
    let all = wattle_words::names::join(all, "and");
    format!(
        "{all} {lie} beside the seed, and the data space knows nothing of {them} as of `{stack}`: nobody says whose {are}"
    )
}

/// What is wrong with a stack, one node a line.
fn tampered(stack: &str, nodes: &[Tampered]) -> String {
    let nodes = nodes.iter().map(|node| format!("\n{node}"));
    format!("what the data space holds of `{stack}` is not what its operator has written{}", nodes.collect::<String>())
}

fn a(what: &str) -> String {
    format!("{} {what}", if what.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

/// Names as a message lists them, but not thousands.
fn names(names: &[String]) -> String {
    wattle_words::names::some(names.iter().map(String::as_str), 5)
}

/// How many parameters have no value, in one line.
pub(crate) fn lacking(parameters: usize) -> String {
    match parameters {
        1 => "1 parameter of the stack has no value".to_owned(),
        more => format!("{more} parameters of the stack have no value"),
    }
}

/// What is lacking in one line, what is wrong one a line.
fn parameters(missing: &IndexMap<Name, Type>, faults: &[String]) -> String {
    let lacking = (!missing.is_empty()).then(|| lacking(missing.len()));
    lacking.into_iter().chain(faults.iter().cloned()).collect::<Vec<_>>().join("\n")
}
