//! What a YAQL expression consists of. Operators, lists and maps are calls to YAQL, too.

use std::rc::Rc;

/// An expression.
#[derive(Debug)]
pub(super) enum Expression {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(Rc<str>),
    /// A word without quotes: a text, or the name of a key or an argument.
    Keyword(Rc<str>),
    /// `$`, `$1`, `$name`, with the dollar.
    Variable(Rc<str>),
    /// What stands in parentheses.
    Wrapped(Rc<Self>),
    /// `key => value`.
    Rule(Rc<Self>, Rc<Self>),
    /// A function or, by a name that begins with `#`, an operator. What is left out between two commas is none.
    Call {
        name: Rc<str>,
        arguments: Vec<Option<Rc<Self>>>,
    },
}

impl Expression {
    pub(super) fn operator(name: &str, arguments: Vec<Rc<Self>>) -> Self {
        Self::Call { name: name.into(), arguments: arguments.into_iter().map(Some).collect() }
    }

    /// Whether it can stand behind a point as a method does.
    pub(super) fn is_method(&self) -> bool {
        matches!(self, Self::Call { name, .. } if !name.starts_with('#'))
    }
}
