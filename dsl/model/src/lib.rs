//! The integrated model: software and infrastructure of one stack as plain, serialisable data.
//!
//! What lives here: the data and its serde form; values and how they fit their types; predicates and their one judge; what a
//! diagnostic and a check are; names in messages. What must not: I/O, Heat's rules, and anything that decides for a whole
//! model. The only crate of ours that this one depends on is `wattle-recipe`, whose `Tool` is the model's.

mod bandwidth;
mod bytes;
pub mod check;
mod component;
mod cycles;
mod diagnostic;
mod expr;
pub mod json;
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
pub use wattle_words::{Bandwidth, Carrier, Scalar, names, shown};

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

/// A shared name: cheap to clone, compared by text.
pub type Name = Arc<str>;

/// One stack: what Heat creates, the software on its servers, and how they are wired.
///
/// Every map keeps the author's order. If the author used a key twice, the second entry gets the suffix `#2` and is listed
/// in [`Model::duplicates`]. So nothing that was written is lost before the check has reported it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// The name of the stack, which is the blueprint's name.
    pub stack: Name,
    /// The blueprint's documentation.
    pub description: String,
    /// Where the blueprint is defined.
    pub at: Source,
    /// The HOT version whose functions it uses: Heat's `heat_template_version`.
    #[serde(default = "template::newest")]
    pub version: Name,
    /// Values chosen at deployment.
    pub parameters: IndexMap<Name, Parameter>,
    /// How parameters are grouped for the people who fill them in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameter_groups: Vec<ParameterGroup>,
    /// Conditions that Heat decides, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub conditions: IndexMap<Name, Condition>,
    /// What Heat creates, by qualified name (`apps.node1` for `node1` of the module `apps`).
    pub resources: IndexMap<Name, Resource>,
    /// What each component type reads, writes and runs, by the path of its Rust type.
    pub declarations: IndexMap<Name, Declaration>,
    /// Software on servers, by `SERVER/COMPONENT`.
    pub components: IndexMap<Name, Component>,
    /// Explicit orders between components that exchange no values.
    pub after: Vec<After>,
    /// Forward references: values that one part refers to and another supplies, by qualified name.
    // The name in the model's format, which earlier versions write and read, too.
    #[serde(rename = "promises")]
    pub forward_references: IndexMap<Name, ForwardReference>,
    /// Values read from other stacks.
    pub imports: Vec<Import>,
    /// Values that other stacks can read, by name.
    pub exports: IndexMap<Name, Export>,
    /// Outputs of the stack other than its exports, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, StackOutput>,
    /// Requirements on values, by qualified name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Name, Requirement>,
    /// Where servers should be, besides what each server says about itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<placement::Policy>,
    /// Files that the template names: templates of nested stacks, and files read with `get_file`.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub files: IndexMap<Name, Content>,
    /// Modules, by qualified name.
    pub modules: IndexMap<Name, Module>,
    /// Schemas of the resource types in use.
    pub schemas: IndexMap<Name, Schema>,
    /// Things that were deployed under another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<FormerName>,
    /// Components and resources that were begun but never added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// Names that were used twice.
    pub duplicates: Vec<Duplicate>,
}

/// A forward reference: a value that is used before the part that supplies it exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForwardReference {
    /// The type of the value.
    pub ty: Type,
    /// Where it was made.
    pub at: Source,
    /// What fulfils it. A valid model has exactly one entry.
    pub fulfilled: Vec<Binding>,
}

/// A value read from another stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The stack that exports it.
    pub stack: Name,
    /// The name of the export in that stack.
    pub export: Name,
    /// The type of the value.
    pub ty: Type,
    /// Where it was imported.
    pub at: Source,
}

/// A value that other stacks can read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// The type of the value.
    pub ty: Type,
    /// The value.
    pub value: Expr,
    /// The stack named by the constant under which it is exported, if it is exported under a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Name>,
    /// Where it was exported.
    pub at: Source,
}

/// A module as it was added: the group of resources whose names start with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// The Rust type of the module, without its path.
    pub kind: Name,
    /// Where it was added.
    pub at: Source,
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElementKind {
    /// A resource.
    Resource,
    /// A module.
    Module,
    /// A component.
    Component,
    /// An input of a component.
    Input,
    /// A property of a resource.
    Property,
    /// A parameter.
    Parameter,
    /// A forward reference.
    // The name in the model's format.
    #[serde(rename = "promise")]
    ForwardReference,
    /// An export.
    Export,
    /// A condition of the template.
    Condition,
    /// An output of the stack that is not an export.
    StackOutput,
    /// A requirement.
    Requirement,
}

impl std::fmt::Display for ElementKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Resource => "resource",
            Self::Module => "module",
            Self::Component => "component",
            Self::Input => "input",
            Self::Property => "property",
            Self::Parameter => "parameter",
            Self::ForwardReference => "forward reference",
            Self::Export => "export",
            Self::Condition => "condition",
            Self::StackOutput => "output of the stack",
            Self::Requirement => "requirement",
        })
    }
}

/// A component or a resource that was begun but never added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unused {
    /// Whether it is a component or a resource.
    pub kind: ElementKind,
    /// The component type or resource type.
    pub ty: Name,
    /// Where it was begun.
    pub at: Source,
}

/// A name that was used twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// What it names.
    pub kind: ElementKind,
    /// The name as the author wrote it, qualified by its module or server.
    pub name: Name,
    /// Where it was used first.
    pub first: Source,
    /// Where it was used again.
    pub again: Source,
}

impl Model {
    /// An empty model of the stack `stack`.
    pub fn new(stack: &str) -> Self {
        Self { stack: stack.into(), version: template::newest(), ..Self::default() }
    }

    /// The declaration of a component's type.
    pub fn declaration(&self, component: &Component) -> Option<&Declaration> {
        self.declarations.get(&component.declaration)
    }

    /// The declared type of what `reference` refers to. `None` if only Heat knows it, or if the target does not exist.
    pub fn declared(&self, reference: Referred<'_>) -> Option<&Type> {
        match reference {
            Reference::Parameter(name) => self.parameters.get(name).map(|parameter| &parameter.ty),
            Reference::Output { component, output } => {
                let declaration = self.declaration(self.components.get(component)?)?;
                declaration.outputs.get(output).map(|output| &output.ty)
            }
            Reference::ForwardReference(name) => self.forward_references.get(name).map(|forward| &forward.ty),
            Reference::Import { stack, export } => {
                let mut imports = self.imports.iter();
                imports.find(|import| import.stack == *stack && import.export == *export).map(|import| &import.ty)
            }
            Reference::Resource(_) | Reference::Attribute { .. } | Reference::Foreign { .. } => None,
        }
    }

    /// The value that fulfils a forward reference.
    pub fn fulfilled(&self, forward: &str) -> Option<&Binding> {
        self.forward_references.get(forward).and_then(|forward| forward.fulfilled.first())
    }

    /// The key of a component in [`Model::components`].
    pub fn component_key(server: &str, component: &str) -> String {
        format!("{server}/{component}")
    }
}
