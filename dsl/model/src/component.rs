//! Components: software on servers, and what their types declare.

use std::borrow::Cow;
use std::fmt;

use crate::IndexMap;
use serde::{Deserialize, Serialize};
use wattle_recipe::Tool;
use wattle_words::Bandwidth;

use super::{Binding, Name, Source, Type, Value};

/// One piece of software on one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its name on its server.
    pub name: Name,
    /// The resource it runs on. In a valid model this is a server.
    pub server: Name,
    /// Its component type: a key of [`super::Model::declarations`].
    pub declaration: Name,
    /// What its inputs are wired to. An input that is missing here takes its default, or is absent.
    pub inputs: IndexMap<Name, Binding>,
    /// Where it was declared.
    pub at: Source,
}

impl Component {
    /// A component whose inputs are not wired.
    pub fn new(name: Name, server: Name, declaration: Name, at: Source) -> Self {
        Self { name, server, declaration, inputs: IndexMap::default(), at }
    }
}

/// An explicit order: `component` runs only after `predecessor` has finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct After {
    /// The component that waits, as `SERVER/COMPONENT`.
    pub component: Name,
    /// The component it waits for, as `SERVER/COMPONENT`.
    pub predecessor: Name,
    /// Where the order was declared.
    pub at: Source,
}

/// What a component type reads, writes and runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// The name of the component type, such as `Db2`.
    pub name: Name,
    /// Its documentation.
    #[serde(default)]
    pub doc: String,
    /// The automation that installs it.
    pub recipe: Recipe,
    /// Its inputs.
    pub inputs: IndexMap<Name, Input>,
    /// Its outputs.
    pub outputs: IndexMap<Name, OutputDeclaration>,
    /// The ports it listens on, which must be open for it to be reachable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<Listen>,
    /// What it is expected to exchange with each component that reads its outputs.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "super::bandwidth")]
    pub bandwidth: Option<Bandwidth>,
    /// The most seconds that one run may take, not counting the wait for inputs.
    #[serde(default)]
    pub deadline: Option<u64>,
    /// The most seconds to wait for its inputs, counted from the moment when only inputs keep it from running.
    #[serde(default)]
    pub wait: Option<u64>,
    /// Where the component type was declared.
    pub at: Source,
}

/// Ports on which a component type listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listen {
    /// The protocol.
    pub protocol: Protocol,
    /// The ports.
    pub ports: Ports,
}

/// A transport protocol with ports.
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

/// Which ports a component type listens on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ports {
    /// The port that an input holds.
    OfInput(Name),
    /// A fixed range.
    Fixed {
        /// The first port.
        first: u16,
        /// The last port.
        last: u16,
    },
}

/// One input of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Whether it must be wired.
    pub required: bool,
    /// The value of an unwired input.
    #[serde(default)]
    pub default: Option<Value>,
    /// Its documentation.
    #[serde(default)]
    pub doc: String,
    /// The attribute path where a Chef recipe reads it: `[db2, port]` for `node['db2']['port']`. Empty for other tools.
    #[serde(default)]
    pub path: Vec<Name>,
    /// Where it was declared.
    pub at: Source,
}

/// One output of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputDeclaration {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// What the component is expected to exchange with each component that reads it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "super::bandwidth")]
    pub bandwidth: Option<Bandwidth>,
    /// Whether the recipe writes it in a way that static analysis of the recipe cannot see.
    #[serde(default)]
    pub dynamic: bool,
    /// Whether a Chef recipe publishes it as soon as it is written, even while Chef is still compiling recipes.
    #[serde(default)]
    pub early: bool,
    /// Its documentation.
    #[serde(default)]
    pub doc: String,
    /// The attribute path where a Chef recipe writes it. Empty for other tools.
    #[serde(default)]
    pub path: Vec<Name>,
    /// Where it was declared.
    pub at: Source,
}

/// The automation of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The tool that runs it.
    #[serde(with = "super::tool")]
    pub tool: Tool,
    /// The entry point: a path among `files`, or Chef's `COOKBOOK::RECIPE`.
    pub entry: Name,
    /// The entry point that the same tool runs once the component has left the model. It has the same form as `entry`.
    #[serde(default)]
    pub teardown: Option<Name>,
    /// Every file it needs, by path.
    pub files: Vec<File>,
}

/// One file that a recipe needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path, relative to the blueprint's crate.
    pub path: Cow<'static, str>,
    /// Its content.
    pub content: Content,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// UTF-8 text.
    Text(Cow<'static, str>),
    /// Any other bytes, written as base64.
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
