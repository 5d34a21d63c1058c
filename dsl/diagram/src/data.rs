//! The content of a diagram as plain data: the format `wattle-picture/1`.
//!
//! Names are those of the model: a resource's name is qualified by its modules, and a component's key is `SERVER/COMPONENT`.
//! Empty fields are omitted. A reader ignores fields that it does not know, because later versions may add some.

use serde::{Deserialize, Serialize, Serializer};

use wattle_model::{IndexMap, Name};

use super::Place;

/// The format of [`Diagram`] as JSON.
pub const FORMAT: &str = "wattle-picture/1";

/// The diagram of a topology. Its long lists are either held as a whole, or produced [one part after the other](Each) while
/// they are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagram<R: Parts = Vec<Resource>, C: Parts = Vec<Component>, E: Parts = Vec<Edge>> {
    /// [`FORMAT`].
    pub format: Name,
    /// The name of the stack.
    pub stack: Name,
    /// The blueprint's documentation.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub description: Name,
    /// Where the blueprint is defined, as `file:line:column`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
    /// The modules, each before the modules within it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<Module>,
    /// The resources that Heat creates, and existing networks with servers on them.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub resources: R,
    /// The component types, by the path of their Rust type.
    // The name in the format `wattle-picture/1`.
    #[serde(rename = "kinds", default, skip_serializing_if = "IndexMap::is_empty")]
    pub component_types: IndexMap<Name, ComponentType>,
    /// Software on servers, in declaration order.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub components: C,
    /// The dependencies.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub edges: E,
    /// Values chosen at deployment.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<Name, Parameter>,
    /// Values that other stacks and the operator can read.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub exports: IndexMap<Name, Exported>,
    /// The texts of recipes, without duplicates. [`File::text`] is an index into this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Name>,
    /// The places of servers, by name, as far as they are known.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<Name, Place>,
    /// The source of live states, if a program that knows them serves the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

impl Diagram {
    /// An empty diagram of the stack `stack`.
    pub fn new(stack: impl Into<Name>) -> Self {
        Self { format: FORMAT.into(), stack: stack.into(), ..Self::default() }
    }
}

/// A list of a diagram's parts, or something that produces one.
pub trait Parts: Serialize {
    /// Whether the list is empty.
    fn is_empty(&self) -> bool;
}

impl<T: Serialize> Parts for Vec<T> {
    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

/// Parts that are produced one after the other. Each exists only while it is written.
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

/// A frame around resources: a module, a nested stack, or a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Its qualified name.
    pub name: Name,
    /// The module around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Name>,
    /// The Rust type of the module. For a nested stack, its file.
    pub kind: Name,
    /// The title of the frame. `None` for the last part of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Name>,
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

/// A resource that Heat creates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Its qualified name.
    pub name: Name,
    /// The module around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<Name>,
    /// Heat's resource type. Empty if the resource exists already.
    #[serde(rename = "type", default, skip_serializing_if = "str::is_empty")]
    pub ty: Name,
    /// How it is drawn.
    pub role: Role,
    /// Its documentation.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// The networks that a server is on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Name>,
    /// Its properties, each worded for people.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub properties: IndexMap<Name, Name>,
    /// Where it was added.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

impl Resource {
    /// A resource with only a name, a type and a role.
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

/// The declaration of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComponentType {
    /// Its name.
    pub name: Name,
    /// Its documentation.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// The tool that runs its recipe, as the name of a `wattle_model::Tool`.
    pub tool: Name,
    /// The recipe's entry point.
    pub recipe: Name,
    /// The entry point that runs when the component leaves the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Name>,
    /// The recipe's files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// Its inputs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, Port>,
    /// Its outputs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, Port>,
    /// The ports it listens on: `tcp port`, `udp 53`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<Name>,
    /// The most seconds that one run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// The most seconds to wait for its inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// What it is expected to exchange with each component that reads its outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Name>,
    /// Where it was declared.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// A file of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Its path.
    pub path: Name,
    /// Its text, as an index into [`Diagram::texts`]. `None` if the file is not text, or if texts are omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<usize>,
}

/// An input or an output of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// A short form of its type: `string`, `list of url`, `secret string`.
    #[serde(rename = "type")]
    pub ty: Name,
    /// For an output, what the component is expected to exchange with each component that reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Name>,
    /// Its documentation.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// Whether it can stay unwired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The value of an unwired input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Name>,
}

/// One piece of software on one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// `SERVER/COMPONENT`.
    pub key: Name,
    /// Its server.
    pub server: Name,
    /// Its name on the server.
    pub name: Name,
    /// Its component type: a key of [`Diagram::component_types`].
    // The name in the format `wattle-picture/1`.
    #[serde(rename = "kind")]
    pub component_type: Name,
    /// The values that its inputs are wired to.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, WiredInput>,
    /// Where it was declared.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// The value that an input is wired to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WiredInput {
    /// The value, worded for people: `db/postgres/url`, `parameter image`, `"8080"`. Secret constants are masked.
    pub value: Name,
    /// Where it was wired.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// Why one node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// An input reads an output.
    Data,
    /// Both run on one server, in declaration order.
    RunList,
    /// An explicit order.
    After,
    /// One resource refers to the other, or Heat creates it first.
    Infrastructure,
}

impl Why {
    /// Whether it only orders components that exchange no values.
    pub fn is_order(self) -> bool {
        matches!(self, Self::RunList | Self::After)
    }
}

/// `to` waits for `from`. Values flow in the direction of the edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The node that comes first: a component's key or a resource's name.
    pub from: Name,
    /// The waiting node.
    pub to: Name,
    /// Why it waits.
    pub why: Why,
    /// The output being read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Name>,
    /// The input that reads it. Between resources, the property or other field that refers to the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Name>,
    /// A short form of the input's type.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<Name>,
    /// The bandwidth expected between both ends, if the output declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Name>,
    /// The forward reference through which it is wired.
    // The name in the format `wattle-picture/1`.
    #[serde(rename = "promise", default, skip_serializing_if = "Option::is_none")]
    pub forward_reference: Option<Name>,
    /// Where the dependency was declared.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

impl Edge {
    /// An edge with only its ends and its reason.
    pub fn new(from: Name, to: Name, why: Why) -> Self {
        Self {
            from,
            to,
            why,
            output: None,
            input: None,
            ty: None,
            bandwidth: None,
            forward_reference: None,
            at: Name::default(),
        }
    }

    /// The input, its type and the bandwidth, which label a data edge: `upstream: url, 2 Gbit/s`.
    pub fn label(&self) -> Option<String> {
        let input = self.input.as_ref().filter(|_| self.why == Why::Data)?;
        let label = self.ty.as_ref().map_or_else(|| input.to_string(), |ty| format!("{input}: {ty}"));
        Some(self.bandwidth.as_ref().map_or_else(|| label.clone(), |bandwidth| format!("{label}, {bandwidth}")))
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// A short form of its type.
    #[serde(rename = "type")]
    pub ty: Name,
    /// Its description.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub doc: Name,
    /// Its default. `None` if it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Name>,
}

/// An export or an output of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// Its value, worded for people.
    pub value: Name,
    /// A short form of its type.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<Name>,
    /// Where it was exported.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub at: Name,
}

/// The source of live states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// The URL of the event stream, relative to the page.
    pub events: Name,
}

/// Heat's network types.
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
