//! Expressions: how a value comes about that may not be known yet.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Name, Value, function};

/// A value, or how it comes about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expr {
    /// Known while building.
    Constant(Value),
    /// A parameter: known at deployment.
    Parameter(Name),
    /// The identity of a resource: known once Heat made it.
    Resource(Name),
    /// An attribute of a resource: known once Heat made it.
    Attribute {
        /// The resource.
        resource: Name,
        /// The attribute.
        attribute: Name,
        /// The way to a part of the attribute's value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<Step>,
    },
    /// A component's output: known once the component ran.
    Output {
        /// The component, as `SERVER/COMPONENT`.
        component: Name,
        /// The output.
        output: Name,
    },
    /// A promise: known when what fulfils it is.
    Promise(Name),
    /// An export of another stack.
    Import {
        /// The stack.
        stack: Name,
        /// The export's name there.
        export: Name,
    },
    /// Text around other values, each written as it would be printed.
    Text(Vec<Expr>),
    /// Values in order.
    List(Vec<Expr>),
    /// Values by name.
    Map(IndexMap<Name, Expr>),
    /// A function of Heat's that none of the others says.
    Function {
        /// Its name: `list_join`, `if`, `yaql`, ...
        name: Name,
        /// What it is given.
        argument: Box<Expr>,
    },
    /// A handle that another topology made. Never sound; kept so that the check can say so.
    Foreign {
        /// What the handle stands for: `resource`, `output`, `parameter`, ...
        what: Name,
    },
}

/// One step into an attribute's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A map's key.
    Key(Name),
    /// A list's index, from 0.
    Index(u32),
    /// A map's key that is the identity of a resource.
    Resource(Name),
}

/// What one expression refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference<'a> {
    /// A parameter.
    Parameter(&'a Name),
    /// The identity of a resource.
    Resource(&'a Name),
    /// An attribute of a resource.
    Attribute {
        /// The resource.
        resource: &'a Name,
        /// The attribute.
        attribute: &'a Name,
        /// The way into it.
        path: &'a [Step],
    },
    /// A component's output.
    Output {
        /// The component, as `SERVER/COMPONENT`.
        component: &'a Name,
        /// The output.
        output: &'a Name,
    },
    /// A promise.
    Promise(&'a Name),
    /// An export of another stack.
    Import {
        /// The stack.
        stack: &'a Name,
        /// The export.
        export: &'a Name,
    },
    /// A handle of another topology.
    Foreign {
        /// What it stands for.
        what: &'a Name,
    },
}

impl Expr {
    /// Calls `visit` for every reference, in the order in which they were written.
    pub fn references<'a>(&'a self, visit: &mut impl FnMut(Reference<'a>)) {
        match self {
            Self::Constant(_) => {}
            Self::Parameter(name) => visit(Reference::Parameter(name)),
            Self::Resource(name) => visit(Reference::Resource(name)),
            Self::Attribute { resource, attribute, path } => {
                visit(Reference::Attribute { resource, attribute, path });
                for step in path {
                    if let Step::Resource(name) = step {
                        visit(Reference::Resource(name));
                    }
                }
            }
            Self::Output { component, output } => visit(Reference::Output { component, output }),
            Self::Promise(name) => visit(Reference::Promise(name)),
            Self::Import { stack, export } => visit(Reference::Import { stack, export }),
            Self::Text(parts) | Self::List(parts) => parts.iter().for_each(|part| part.references(visit)),
            Self::Map(parts) => parts.values().for_each(|part| part.references(visit)),
            Self::Function { argument, .. } => {
                if let Some(reference) = self.subject() {
                    visit(reference);
                }
                argument.references(visit);
            }
            Self::Foreign { what } => visit(Reference::Foreign { what }),
        }
    }

    /// Text of `parts` one behind the other, in its one form: no text within text, constants next to each other as one.
    pub fn text(parts: impl IntoIterator<Item = Expr>) -> Self {
        fn add(texts: &mut Vec<Expr>, part: Expr) {
            let constant = match part {
                Expr::Text(parts) => return parts.into_iter().for_each(|part| add(texts, part)),
                Expr::Constant(Value::Str(text)) if text.is_empty() => return,
                Expr::Constant(Value::Str(text)) => text,
                Expr::Constant(other) => other.to_string().into(),
                other => return texts.push(other),
            };
            match texts.last_mut() {
                Some(Expr::Constant(Value::Str(before))) => *before = format!("{before}{constant}").into(),
                _ => texts.push(Expr::Constant(Value::Str(constant))),
            }
        }
        let mut texts = Vec::new();
        parts.into_iter().for_each(|part| add(&mut texts, part));
        match texts.as_slice() {
            [] => Self::Constant("".into()),
            [Self::Constant(_)] => texts.remove(0),
            _ => Self::Text(texts),
        }
    }

    /// Values in order, in their one form: constants in order are a constant.
    pub fn list(items: impl IntoIterator<Item = Expr>) -> Self {
        let items: Vec<Self> = items.into_iter().collect();
        match items.iter().map(|item| item.constant().cloned()).collect() {
            Some(values) => Self::Constant(Value::List(values)),
            None => Self::List(items),
        }
    }

    /// Values by name, in their one form: constants by name are a constant.
    pub fn map(items: impl IntoIterator<Item = (Name, Expr)>) -> Self {
        let items: IndexMap<Name, Self> = items.into_iter().collect();
        match items.iter().map(|(name, item)| Some((name.clone(), item.constant()?.clone()))).collect() {
            Some(values) => Self::Constant(Value::Map(values)),
            None => Self::Map(items),
        }
    }

    /// The value of one of Heat's functions, in its one form: what another alternative says is that one.
    pub fn function(name: impl Into<Name>, argument: Self) -> Self {
        function::canonical(name.into(), argument)
    }

    /// What a function refers to by a name among its arguments.
    pub fn subject(&self) -> Option<Reference<'_>> {
        match self {
            Self::Function { name, argument } => function::subject(name, argument),
            _ => None,
        }
    }

    /// The constant, if it is one in whole.
    pub fn constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl<T: Into<Value>> From<T> for Expr {
    fn from(value: T) -> Self {
        Self::Constant(value.into())
    }
}
