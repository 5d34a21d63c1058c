//! Components: software on servers, and what their kinds declare.

use std::borrow::Cow;
use std::fmt;

use crate::IndexMap;
use serde::{Deserialize, Serialize};
use wattle_recipe::Tool;

use super::{Binding, Name, Source, Type, Value};

/// One piece of software on one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its name on its server.
    pub name: Name,
    /// The resource that it was put on; a sound model has a server there.
    pub server: Name,
    /// Its kind: a key of [`super::Model::declarations`].
    pub declaration: Name,
    /// What its inputs are wired to. An input that is not here takes its default, or is absent.
    pub inputs: IndexMap<Name, Binding>,
    /// Where it was declared to run.
    pub at: Source,
}

impl Component {
    /// A component with nothing wired.
    pub fn new(name: Name, server: Name, declaration: Name, at: Source) -> Self {
        Self { name, server, declaration, inputs: IndexMap::default(), at }
    }
}

/// `component` runs only when `predecessor` has finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct After {
    /// Who waits, as `SERVER/COMPONENT`.
    pub component: Name,
    /// For whom, as `SERVER/COMPONENT`.
    pub predecessor: Name,
    /// Where the order was given.
    pub at: Source,
}

/// What a kind of component reads, writes and runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// The kind's name: `Db2`.
    pub name: Name,
    /// What its documentation says.
    #[serde(default)]
    pub doc: String,
    /// The automation that installs it.
    pub recipe: Recipe,
    /// What it reads.
    pub inputs: IndexMap<Name, Input>,
    /// What it writes.
    pub outputs: IndexMap<Name, OutputDeclaration>,
    /// On what it listens: what must be let in for it to be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<Listen>,
    /// Seconds that one run may take, waiting for inputs not counted.
    #[serde(default)]
    pub deadline: Option<u64>,
    /// Seconds that its inputs may be awaited, from the time on at which it could run but for them.
    #[serde(default)]
    pub wait: Option<u64>,
    /// Where the kind was declared.
    pub at: Source,
}

/// Ports on which a kind of component listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listen {
    /// The protocol.
    pub protocol: Protocol,
    /// The ports.
    pub ports: Ports,
}

/// A protocol with ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        })
    }
}

/// Which ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ports {
    /// The one that an input tells.
    OfInput(Name),
    /// Always the same.
    Fixed {
        /// The first.
        first: u16,
        /// The last.
        last: u16,
    },
}

/// One input of a kind of component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Whether it must be wired.
    pub required: bool,
    /// Its value when it is not wired.
    #[serde(default)]
    pub default: Option<Value>,
    /// What its documentation says.
    #[serde(default)]
    pub doc: String,
    /// Where a Chef recipe reads it: `[db2, port]` for `node['db2']['port']`. Empty for other tools.
    #[serde(default)]
    pub path: Vec<Name>,
    /// Where it was declared.
    pub at: Source,
}

/// One output of a kind of component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputDeclaration {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Whether the recipe writes it in a way that reading the recipe does not show.
    #[serde(default)]
    pub dynamic: bool,
    /// Whether a Chef recipe publishes it as soon as it is written, even while recipes are compiled.
    #[serde(default)]
    pub early: bool,
    /// What its documentation says.
    #[serde(default)]
    pub doc: String,
    /// Where a Chef recipe writes it. Empty for other tools.
    #[serde(default)]
    pub path: Vec<Name>,
    /// Where it was declared.
    pub at: Source,
}

/// The automation of a kind of component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// What runs it.
    #[serde(with = "super::tool")]
    pub tool: Tool,
    /// What is run: a path among `files`, or Chef's `COOKBOOK::RECIPE`.
    pub entry: Name,
    /// What is run, by the same tool, when the component has left the model: as `entry`.
    #[serde(default)]
    pub teardown: Option<Name>,
    /// Everything that it needs, by path.
    pub files: Vec<File>,
}

/// One file that a recipe needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path, relative to the blueprint's crate.
    pub path: Cow<'static, str>,
    /// What it holds.
    pub content: Content,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// UTF-8 text.
    Text(Cow<'static, str>),
    /// Anything else; written as base64.
    Binary(#[serde(with = "super::bytes")] Cow<'static, [u8]>),
}

impl Content {
    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}
