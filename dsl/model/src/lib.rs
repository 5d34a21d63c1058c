//! The integrated model: software and infrastructure of one stack as plain, serialisable data.
//!
//! What lives here: data and its serde form; values and how they fit their types; predicates and their one judge; what a
//! diagnostic and a check are; names in messages. What must not: I/O, Heat's rules, and anything that decides for a
//! whole model. This crate depends on none of ours but `wattle-recipe`, whose `Tool` is the model's.

mod bytes;
pub mod check;
mod component;
mod cycles;
mod diagnostic;
mod expr;
mod map;
mod moved;
mod networks;
mod parameter;
pub mod placement;
mod port;
pub mod requirement;
mod resource;
mod schema;
mod source;
mod template;
pub mod tool;
mod tree;
mod value;
pub mod values;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use check::Check;
pub use cycles::shortest_cycles;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use wattle_words::{Carrier, Scalar, names, shown};

pub use component::{
    After, Component, Content, Declaration, File, Input, Listen, OutputDeclaration, Ports, Protocol, Recipe,
};
pub use expr::{Expr, Reference, Referred, Step, template_of};
pub use map::{Hashing, IndexMap, IndexSet};
pub use moved::FormerName;
pub use networks::Networks;
pub use parameter::{Constraint, Parameter, ParameterType};
pub use port::Type;
pub use requirement::{Predicate, Requirement, Test, Tested};
pub use resource::{Binding, Order, Resource};
pub use schema::{AttributeSchema, PropertySchema, PropertyType, Schema, SchemaConstraint};
pub use source::Source;
pub use template::{Condition, ParameterGroup, StackOutput, VERSION};
pub use tree::{Alternatives, Tree};
pub use value::Value;
pub use wattle_recipe::Tool;

/// A name that many places share: cheap to clone, compared by text.
pub type Name = Arc<str>;

/// One stack: what Heat creates, the software on its servers, and how they are wired.
///
/// Every map keeps the author's order. A key that the author used twice appears once more with a `#2` behind it, and
/// in [`Model::duplicates`], so that nothing of what was written is lost before the check has reported it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// Name of the stack: the blueprint's name.
    pub stack: Name,
    /// What the blueprint's documentation says.
    pub description: String,
    /// Where the blueprint stands.
    pub at: Source,
    /// The version of HOT that its functions are of: Heat's `heat_template_version`.
    #[serde(default = "template::newest")]
    pub version: Name,
    /// What is chosen at deployment.
    pub parameters: IndexMap<Name, Parameter>,
    /// Which parameters belong together, for who fills them in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameter_groups: Vec<ParameterGroup>,
    /// What Heat decides by, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub conditions: IndexMap<Name, Condition>,
    /// What Heat creates, by qualified name (`apps.node1` for `node1` of the module `apps`).
    pub resources: IndexMap<Name, Resource>,
    /// What each kind of component reads, writes and runs, by the path of its Rust type.
    pub declarations: IndexMap<Name, Declaration>,
    /// Software on servers, by `SERVER/COMPONENT`.
    pub components: IndexMap<Name, Component>,
    /// Orders between components that exchange nothing.
    pub after: Vec<After>,
    /// Values promised by one part and fulfilled by another, by qualified name.
    pub promises: IndexMap<Name, Promise>,
    /// Values read from other stacks.
    pub imports: Vec<Import>,
    /// Values that other stacks may read, by name.
    pub exports: IndexMap<Name, Export>,
    /// What the stack shows besides its exports, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, StackOutput>,
    /// What must hold of values, by qualified name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Name, Requirement>,
    /// Where servers are to be, beside what each says of itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<placement::Policy>,
    /// Files that the template names: templates of nested stacks, and what `get_file` reads.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub files: IndexMap<Name, Content>,
    /// Modules, by qualified name.
    pub modules: IndexMap<Name, Module>,
    /// What is known of the resource types in use.
    pub schemas: IndexMap<Name, Schema>,
    /// What was deployed under another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<FormerName>,
    /// What was begun and never added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// Names that were given twice.
    pub duplicates: Vec<Duplicate>,
}

/// A value that is used before the part that supplies it exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// Type of the value.
    pub ty: Type,
    /// Where it was promised.
    pub at: Source,
    /// What fulfils it; a sound model has exactly one.
    pub fulfilled: Vec<Binding>,
}

/// A value of another stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The stack that exports it.
    pub stack: Name,
    /// The export's name there.
    pub export: Name,
    /// Type of the value.
    pub ty: Type,
    /// Where it was imported.
    pub at: Source,
}

/// A value that other stacks may read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Type of the value.
    pub ty: Type,
    /// The value.
    pub value: Expr,
    /// The stack that the constant under which it is exported names, if it is exported under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Name>,
    /// Where it was exported.
    pub at: Source,
}

/// A module as it was added: the frame around the resources whose names start with its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// The Rust type of the module, without its path.
    pub kind: Name,
    /// Where it was added.
    pub at: Source,
}

/// What kind of thing a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A resource.
    Resource,
    /// A module.
    Module,
    /// A component.
    Component,
    /// An input of a component, wired twice.
    Input,
    /// A property of a resource, set twice.
    Property,
    /// A parameter.
    Parameter,
    /// A promise.
    Promise,
    /// An export.
    Export,
    /// A condition of the template.
    Condition,
    /// An output of the stack that is no export.
    StackOutput,
    /// A requirement.
    Requirement,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Resource => "resource",
            Self::Module => "module",
            Self::Component => "component",
            Self::Input => "input",
            Self::Property => "property",
            Self::Parameter => "parameter",
            Self::Promise => "promise",
            Self::Export => "export",
            Self::Condition => "condition",
            Self::StackOutput => "output of the stack",
            Self::Requirement => "requirement",
        })
    }
}

/// A component or a resource that was begun and never added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unused {
    /// Which of the two.
    pub kind: Kind,
    /// The kind of the component, or the type of the resource.
    pub ty: Name,
    /// Where it was begun.
    pub at: Source,
}

/// A name that was given twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// What was named.
    pub kind: Kind,
    /// The name as the author wrote it, qualified by its module or server.
    pub name: Name,
    /// Where it was given first.
    pub first: Source,
    /// Where it was given again.
    pub again: Source,
}

impl Model {
    /// An empty model of the stack `stack`.
    pub fn new(stack: &str) -> Self {
        Self { stack: stack.into(), version: template::newest(), ..Self::default() }
    }

    /// The declaration of a component.
    pub fn declaration(&self, component: &Component) -> Option<&Declaration> {
        self.declarations.get(&component.declaration)
    }

    /// The type that is declared of what is referred to; none of what Heat alone knows, or what does not exist.
    pub fn declared(&self, reference: Referred<'_>) -> Option<&Type> {
        match reference {
            Reference::Parameter(name) => self.parameters.get(name).map(|parameter| &parameter.ty),
            Reference::Output { component, output } => {
                let declaration = self.declaration(self.components.get(component)?)?;
                declaration.outputs.get(output).map(|output| &output.ty)
            }
            Reference::Promise(name) => self.promises.get(name).map(|promise| &promise.ty),
            Reference::Import { stack, export } => {
                let mut imports = self.imports.iter();
                imports.find(|import| import.stack == *stack && import.export == *export).map(|import| &import.ty)
            }
            Reference::Resource(_) | Reference::Attribute { .. } | Reference::Foreign { .. } => None,
        }
    }

    /// What fulfils a promise.
    pub fn fulfilled(&self, promise: &str) -> Option<&Binding> {
        self.promises.get(promise).and_then(|promise| promise.fulfilled.first())
    }

    /// The key under which [`Model::components`] holds a component.
    pub fn component_key(server: &str, component: &str) -> String {
        format!("{server}/{component}")
    }
}
