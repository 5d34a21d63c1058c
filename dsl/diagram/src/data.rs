//! What is drawn, as plain data: the format `wattle-picture/1`.
//!
//! Names are those of the model: a resource's is qualified by its modules, a component's key is `SERVER/COMPONENT`. Fields
//! that are empty are left out; a reader takes fields that it does not know for later ones and ignores them.

use serde::{Deserialize, Serialize, Serializer};

use wattle_model::{IndexMap, Name};

/// The format of [`Diagram`] as JSON.
pub const FORMAT: &str = "wattle-picture/1";

/// A topology as it is drawn. Its long lists are there as a whole, or made [one part after the other](Each) while they are
/// written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagram<R: Parts = Vec<Resource>, C: Parts = Vec<Component>, E: Parts = Vec<Edge>> {
    /// [`FORMAT`].
    pub format: Name,
    /// Name of the stack.
    pub stack: Name,
    /// What the blueprint's documentation says.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub description: Name,
    /// Where the blueprint stands, as `file:line:column`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
    /// The modules, outer ones before those within.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<Module>,
    /// What Heat creates, and networks that exist already and have servers on them.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub resources: R,
    /// What components are, by the path of the kind's Rust type.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub kinds: IndexMap<Name, Kind>,
    /// Software on servers, in the order in which it was declared.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub components: C,
    /// Who waits for whom.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub edges: E,
    /// What is chosen at deployment.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<Name, Parameter>,
    /// What other stacks and the operator may read.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub exports: IndexMap<Name, Exported>,
    /// Texts of recipes, each once; [`File::text`] is an index of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Name>,
    /// Where states come from, if the page is served by what knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

impl Diagram {
    /// An empty picture of the stack `stack`.
    pub fn new(stack: impl Into<Name>) -> Self {
        Self { format: FORMAT.into(), stack: stack.into(), ..Self::default() }
    }
}

/// A list of a diagram's parts, or what makes one.
pub trait Parts: Serialize {
    /// Whether there are none.
    fn is_empty(&self) -> bool;
}

impl<T: Serialize> Parts for Vec<T> {
    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

/// Parts that exist one after the other, each only while it is written.
pub struct Each<F>(pub F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Parts for Each<F> {
    fn is_empty(&self) -> bool {
        (self.0)().next().is_none()
    }
}

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// A frame around resources: a module, or a nested stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Its qualified name.
    pub name: Name,
    /// The module around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Name>,
    /// The Rust type of the module; of a nested stack its file.
    pub kind: Name,
    /// Where it was added.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// How a resource is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A box with components inside.
    #[serde(rename = "server")]
    ServerBox,
    /// A band.
    Network,
    /// A small box.
    #[default]
    Other,
}

/// What Heat creates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Its qualified name.
    pub name: Name,
    /// The module around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Name>,
    /// Heat's resource type; empty where it exists already.
    #[serde(rename = "type", default, skip_serializing_if = "str::is_empty")]
    pub ty: Name,
    /// How it is drawn.
    pub role: Role,
    /// What it is.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// The networks that a server is on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Name>,
    /// Its properties, in words.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub properties: IndexMap<Name, Name>,
    /// Where it was added.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

impl Resource {
    /// A resource of which nothing else is known.
    pub fn new(name: impl Into<Name>, ty: impl Into<Name>, role: Role) -> Self {
        Self {
            name: name.into(),
            module: None,
            ty: ty.into(),
            role,
            doc: Name::default(),
            networks: Vec::new(),
            properties: IndexMap::default(),
            at: Name::default(),
        }
    }
}

/// What a kind of component declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name.
    pub name: Name,
    /// What its documentation says.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// What runs its recipe: the name of a `wattle_model::Tool`.
    pub tool: Name,
    /// What is run.
    pub recipe: Name,
    /// What is run when it leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Name>,
    /// The recipe's files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// What it reads.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, Port>,
    /// What it writes.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, Port>,
    /// On what it listens: `tcp port`, `udp 53`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<Name>,
    /// Seconds that one run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// Seconds that its inputs may be awaited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// Where it was declared.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// A file of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Its path.
    pub path: Name,
    /// Its text, as an index of [`Diagram::texts`]; none where it is no text, or texts are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<usize>,
}

/// An input or an output of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// Its type in short: `string`, `list of url`, `secret string`.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What its documentation says.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// Whether it need not be wired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Its value when it is not wired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Name>,
}

/// One piece of software on one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// `SERVER/COMPONENT`.
    pub key: Name,
    /// The server.
    pub server: Name,
    /// Its name on the server.
    pub name: Name,
    /// Its kind: a key of [`Diagram::kinds`].
    pub kind: Name,
    /// What its inputs are wired to.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, WiredInput>,
    /// Where it was declared to run.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// What an input is wired to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WiredInput {
    /// The value in words: `db/postgres/url`, `parameter image`, `"8080"`. Constants of a secret are masked.
    pub value: Name,
    /// Where it was wired.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// Why one waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// An input reads an output.
    Data,
    /// Both run on one server, one declared before the other.
    RunList,
    /// An order that was given.
    After,
    /// One resource refers to another, or Heat makes it before.
    Infrastructure,
}

impl Why {
    /// Whether it is an order between components that exchange nothing.
    pub fn is_order(self) -> bool {
        matches!(self, Self::RunList | Self::After)
    }
}

/// That `to` waits for `from`: values go this way, and time does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// What is there first: a component's key or a resource's name.
    pub from: Name,
    /// What waits for it.
    pub to: Name,
    /// Why.
    pub why: Why,
    /// The output that is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Name>,
    /// The input that reads it; between resources the property, or what else refers to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// The input's type in short.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<Name>,
    /// The promise between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Name>,
    /// Where it was said.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

impl Edge {
    /// An edge of which nothing else is known.
    pub fn new(from: Name, to: Name, why: Why) -> Self {
        Self { from, to, why, output: None, input: None, ty: None, promise: None, at: Name::default() }
    }

    /// The input and its type, as an edge of data is labelled: `upstream: url`.
    pub fn label(&self) -> Option<String> {
        let input = self.input.as_ref().filter(|_| self.why == Why::Data)?;
        Some(self.ty.as_ref().map_or_else(|| input.to_string(), |ty| format!("{input}: {ty}")))
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What it is.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// Its default; none where it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Name>,
}

/// An export or an output of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// Its value in words.
    pub value: Name,
    /// Its type in short.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<Name>,
    /// Where it was exported.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// Where states come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Address of the stream of events, relative to the page's.
    pub events: Name,
}

/// Heat's types of networks.
const NETWORKS: [&str; 2] = ["OS::Neutron::Net", "OS::Neutron::ProviderNet"];

impl Role {
    /// How a resource of Heat's type `ty` is drawn.
    pub fn of(ty: &str) -> Self {
        match ty {
            wattle_model::Resource::SERVER => Self::ServerBox,
            ty if NETWORKS.contains(&ty) => Self::Network,
            _ => Self::Other,
        }
    }
}
