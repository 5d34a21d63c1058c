//! A template: its sections, with the place of every name and value.
//!
//! What lives here: [`Template`], read leniently from a [`Node`], so that its content is available whatever else is wrong;
//! the versions of HOT ([`Version`]) and their functions ([`Call`]). What must not: judging what is wrong (`check`), and the
//! values of functions (`evaluate`).

mod call;
mod parameter;
mod section;
mod version;
mod walk;

use std::sync::Arc;

use wattle_model::{IndexMap, Source};

use crate::yaml::{Comment, Node, Span, Tree};

pub use call::{Call, Context, FUNCTIONS, Function, Standing, computed};
pub(crate) use parameter::CONSTRAINTS;
pub use parameter::{Constraint, Parameter, Rule};
pub use section::{Condition, Group, Output, Resource};
pub use version::Version;
pub use walk::{Step, walk};

/// Entries by name, in the template's order.
pub type Map<T> = IndexMap<String, T>;

/// A template.
///
/// Each section contains what could be read of it, and [`Template::root`] contains everything as written. If a name occurs
/// twice in a section, its last value counts, as in Heat.
#[derive(Clone, Debug)]
pub struct Template {
    /// The file's name in messages and in the places of a model.
    pub file: Arc<str>,
    /// Everything, as written.
    pub root: Node,
    /// The version, if the template names a known one.
    pub version: Option<Version>,
    /// The description.
    pub description: Option<Node>,
    /// Groups of parameters, for people.
    pub parameter_groups: Vec<Group>,
    /// The parameters.
    pub parameters: Map<Parameter>,
    /// The conditions. Empty in versions without conditions.
    pub conditions: Map<Condition>,
    /// The resources.
    pub resources: Map<Resource>,
    /// The outputs.
    pub outputs: Map<Output>,
    /// The comments, if the template's source text is known.
    pub comments: Vec<Comment>,
}

impl Template {
    /// Reads `root` as a template, whatever is wrong with it.
    pub fn of(root: Node, file: impl Into<Arc<str>>) -> Self {
        let version = root.get("heat_template_version").and_then(|node| node.tree.as_text()).and_then(Version::of);
        let conditions = root.get("conditions").filter(|_| version.unwrap_or_default().has_conditions());
        Self {
            file: file.into(),
            version,
            description: root.get("description").cloned(),
            parameter_groups: section::groups(root.get("parameter_groups")),
            parameters: parameter::parameters(root.get("parameters")),
            conditions: section::conditions(conditions),
            resources: section::resources(root.get("resources")),
            outputs: section::outputs(root.get("outputs")),
            comments: Vec::new(),
            root,
        }
    }

    /// The version. The newest one if the template names none, which `check` reports.
    pub fn version(&self) -> Version {
        self.version.unwrap_or_default()
    }

    /// A place in this template, for a model or a diagnostic.
    pub fn at(&self, span: Span) -> Source {
        Source {
            file: self.file.to_string().into(),
            line: span.start.line.saturating_add(1),
            column: span.start.column.saturating_add(1),
        }
    }

    /// The call that `node` is in this template's version.
    pub fn call<'n>(&self, node: &'n Node) -> Option<Call<'n>> {
        Call::of(node, self.version())
    }
}

impl Node {
    /// Whether it has a value that is not a map.
    pub fn is_other_than_map(&self) -> bool {
        !matches!(*self.tree, Tree::Map(_)) && self.is_truthy()
    }

    /// Python's truth value: neither null, nor zero, nor empty.
    pub fn is_truthy(&self) -> bool {
        match &*self.tree {
            Tree::Null => false,
            Tree::Boolean(value) => *value,
            Tree::Integer(value) => *value != 0,
            Tree::Float(value) => *value != 0.0,
            Tree::Text { text, .. } => !text.is_empty(),
            Tree::List(items) => !items.is_empty(),
            Tree::Map(pairs) => !pairs.is_empty(),
        }
    }

    /// The text of a label or a description: a number or a boolean is the word as written.
    pub fn as_prose(&self) -> Option<String> {
        match &*self.tree {
            Tree::Null | Tree::List(_) | Tree::Map(_) => None,
            Tree::Text { text, .. } => Some(text.clone()),
            Tree::Boolean(_) | Tree::Integer(_) | Tree::Float(_) => {
                Some(self.written().map_or_else(|| self.as_key(), str::to_owned))
            }
        }
    }

    /// The text of this value as a key of a map: clients send templates as JSON, whose keys are text.
    pub fn as_key(&self) -> String {
        match &*self.tree {
            Tree::Null => "null".into(),
            Tree::Boolean(value) => value.to_string(),
            Tree::Integer(value) => value.to_string(),
            Tree::Float(value) => float_as_python(*value),
            Tree::Text { text, .. } => text.clone(),
            Tree::List(_) | Tree::Map(_) => String::new(),
        }
    }
}

/// A float as Python writes it: the shortest digits that round-trip, with an exponent from 1e16 on and below 1e-4.
pub fn float_as_python(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let text = value.to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// The entries of a section: the name, its place and the value. Of equal names, the last value at the first position.
fn entries(section: Option<&Node>) -> impl Iterator<Item = (String, Span, &Node)> {
    let mut found = IndexMap::default();
    if let Some(Tree::Map(pairs)) = section.map(|section| &*section.tree) {
        for pair in pairs {
            found.insert(pair.key.as_key(), (pair.key.span, &pair.value));
        }
    }
    found.into_iter().map(|(name, (span, node))| (name, span, node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read;

    fn template(text: &str) -> Template {
        Template::of(read(text).expect("YAML"), "t.yaml")
    }

    #[test]
    fn sections_are_read_with_their_places() {
        let template = template(
            "heat_template_version: rocky\nparameters:\n  size:\n    type: number\n    default: 3\n    constraints:\n    \
             - range: {min: 1}\n    hidden: yes\nresources:\n  net:\n    type: OS::Neutron::Net\n    properties: {name: a}\n\
             outputs:\n  id: {value: {get_resource: net}}\n",
        );
        assert_eq!(template.version, Some(Version::V2018_08_31));
        let size = &template.parameters["size"];
        assert_eq!((size.kind, size.hidden), (Some(wattle_model::ParameterType::Number), true));
        assert!(matches!(size.constraints[0].rule, Rule::Range { min: Some(_), max: None }));
        let net = &template.resources["net"];
        assert_eq!(net.kind(), Some("OS::Neutron::Net"));
        let at = template.at(net.name_span);
        assert_eq!((&*at.file, at.line, at.column), ("t.yaml", 10, 3));
        let value = template.outputs["id"].value.as_ref().expect("a value");
        assert_eq!(template.call(value).map(|call| call.function), Some(Function::GetResource));
    }

    #[test]
    fn whatever_is_wrong_the_rest_is_there() {
        let template =
            template("parameters: 3\nconditions: []\nresources: {a: 1, b: {type: [x]}, 1: {type: T}, 1: {type: U}}\n");
        assert_eq!(template.version, None);
        assert!(template.parameters.is_empty());
        assert_eq!(template.resources.keys().collect::<Vec<_>>(), ["a", "b", "1"]);
        assert_eq!(template.resources["b"].kind(), None);
        assert_eq!(template.resources["1"].kind(), Some("U"));
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(float_as_python(value), text);
        }
    }
}
