//! A parameter's declaration.

use wattle_model::ParameterType;

use crate::yaml::{Node, Span, Tree};

use super::{Map, entries};

/// A parameter as its template declares it.
///
/// Invalid parts are left out here. They remain in [`Parameter::node`] for code that looks for mistakes.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The place of the name.
    pub name_span: Span,
    /// The declaration as written.
    pub node: Node,
    /// Its type, if there is one and Heat knows it.
    pub kind: Option<ParameterType>,
    /// Its default. `null` counts as none.
    pub default: Option<Node>,
    /// Its constraints.
    pub constraints: Vec<Constraint>,
    /// Its label.
    pub label: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Whether its value is hidden: any value that Python considers true.
    pub hidden: bool,
    /// Whether its value cannot be changed.
    pub immutable: bool,
    /// Its tags.
    pub tags: Vec<String>,
}

/// The names of constraints, in the order in which Heat looks for them.
pub(crate) const CONSTRAINTS: [&str; 6] =
    ["modulo", "range", "length", "allowed_values", "allowed_pattern", "custom_constraint"];

/// A constraint on a value.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// As written.
    pub node: Node,
    /// What it requires.
    pub rule: Rule,
    /// The reason in the author's words, which Heat uses as the error message.
    pub description: Option<String>,
}

/// What a constraint requires.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are HOT's own")]
pub enum Rule {
    /// A number within bounds.
    Range { min: Option<Node>, max: Option<Node> },
    /// A text, list or map with a length within bounds.
    Length { min: Option<Node>, max: Option<Node> },
    /// A number with a given offset from a multiple of the step.
    Modulo { step: Option<Node>, offset: Option<Node> },
    /// One of these. For a list, each item is one of these.
    AllowedValues(Vec<Node>),
    /// A text that a regular expression matches as a whole.
    AllowedPattern(String),
    /// A value that satisfies one of Heat's named constraints.
    Custom(String),
}

impl Parameter {
    pub(super) fn of(name_span: Span, node: &Node) -> Self {
        let text = |key| node.get(key).and_then(|value| value.tree.as_text());
        let truth = |key| node.get(key).is_some_and(Node::is_truthy);
        let list = |key| match node.get(key).map(|value| &*value.tree) {
            Some(Tree::List(items)) => items.as_slice(),
            _ => &[],
        };
        Self {
            name_span,
            kind: text("type").and_then(ParameterType::named),
            default: node.get("default").filter(|value| !matches!(*value.tree, Tree::Null)).cloned(),
            constraints: list("constraints").iter().filter_map(Constraint::of).collect(),
            label: node.get("label").and_then(Node::as_prose),
            description: node.get("description").and_then(Node::as_prose),
            hidden: truth("hidden"),
            immutable: truth("immutable"),
            tags: list("tags").iter().filter_map(|tag| tag.tree.as_text()).map(Into::into).collect(),
            node: node.clone(),
        }
    }
}

impl Constraint {
    /// The constraint that `node` declares, if any. Of several keys, Heat uses the first in its own order.
    pub fn of(node: &Node) -> Option<Self> {
        let bounds = |key, low, high| {
            let bounds: &Node = node.get(key)?;
            matches!(*bounds.tree, Tree::Map(_)).then(|| (bounds.get(low).cloned(), bounds.get(high).cloned()))
        };
        let key = CONSTRAINTS.into_iter().find(|key| node.get(key).is_some())?;
        let value = node.get(key)?;
        let rule = match (key, &*value.tree) {
            ("modulo", _) => bounds(key, "step", "offset").map(|(step, offset)| Rule::Modulo { step, offset })?,
            ("range", _) => bounds(key, "min", "max").map(|(min, max)| Rule::Range { min, max })?,
            ("length", _) => bounds(key, "min", "max").map(|(min, max)| Rule::Length { min, max })?,
            ("allowed_values", Tree::List(items)) => Rule::AllowedValues(items.clone()),
            ("allowed_pattern", Tree::Text { text, .. }) => Rule::AllowedPattern(text.clone()),
            ("custom_constraint", Tree::Text { text, .. }) => Rule::Custom(text.clone()),
            _ => return None,
        };
        let description = node.get("description").and_then(Node::as_prose);
        Some(Self { node: node.clone(), rule, description })
    }
}

/// The parameters that a section declares.
pub(super) fn parameters(section: Option<&Node>) -> Map<Parameter> {
    entries(section).map(|(name, span, node)| (name, Parameter::of(span, node))).collect()
}
