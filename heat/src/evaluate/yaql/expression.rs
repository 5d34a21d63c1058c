//! The parts of a YAQL expression. To YAQL, operators, lists and maps are calls, too.

use std::rc::Rc;

/// An expression.
#[derive(Debug)]
pub(super) enum Expression {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(Rc<str>),
    /// An unquoted word: a text, or the name of a key or an argument.
    Keyword(Rc<str>),
    /// `$`, `$1`, `$name`, including the dollar sign.
    Variable(Rc<str>),
    /// An expression in parentheses.
    Wrapped(Rc<Self>),
    /// `key => value`.
    Rule(Rc<Self>, Rc<Self>),
    /// A function or, if the name begins with `#`, an operator. An omitted argument between two commas is `None`.
    Call {
        name: Rc<str>,
        arguments: Vec<Option<Rc<Self>>>,
    },
}

impl Expression {
    pub(super) fn operator(name: &str, arguments: Vec<Rc<Self>>) -> Self {
        Self::Call { name: name.into(), arguments: arguments.into_iter().map(Some).collect() }
    }

    /// The name of the method that it calls if it follows a dot.
    pub(super) fn method(&self) -> Option<&str> {
        match self {
            Self::Call { name, .. } if !name.starts_with('#') => Some(name),
            _ => None,
        }
    }
}
