//! Rust expressions, and their text as rustfmt formats it.
//!
//! It supports only the syntax of generated blueprints: paths and literals, calls, method chains, arrays, tuples and struct
//! literals. No expression contains a line break, because long text is a constant beside the function.

mod layout;

use wattle::shown::is_unseen;

pub(super) use layout::{WIDTH, assigned, statement};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A path, a literal or a field, written on one line as is.
    Atom(String),
    /// A call of a function or macro: `neutron::Net::new`, `text!`.
    Call(String, Vec<Expr>),
    /// A method chain on a first expression.
    Chain(Box<Expr>, Vec<Method>),
    /// Values in square brackets.
    Array(Vec<Expr>),
    /// Values in parentheses.
    Tuple(Vec<Expr>),
    /// A struct literal.
    Struct(String, Vec<(String, Expr)>),
}

/// A method with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Method {
    /// Its name.
    pub(super) name: String,
    /// Its arguments.
    pub(super) arguments: Vec<Expr>,
}

impl Expr {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// A string literal.
    pub(super) fn text(text: &str) -> Self {
        Self::Atom(quoted(text))
    }

    pub(super) fn call(name: impl Into<String>, arguments: impl IntoIterator<Item = Expr>) -> Self {
        Self::Call(name.into(), arguments.into_iter().collect())
    }

    /// The expression with another method called on it.
    pub(super) fn method(self, name: impl Into<String>, arguments: impl IntoIterator<Item = Expr>) -> Self {
        let method = Method { name: name.into(), arguments: arguments.into_iter().collect() };
        match self {
            Self::Chain(root, mut methods) => {
                methods.push(method);
                Self::Chain(root, methods)
            }
            root => Self::Chain(Box::new(root), vec![method]),
        }
    }
}

/// A string literal: raw if quotes would have to be escaped.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = !text.chars().any(is_unseen);
    if is_plain && text.contains(['"', '\\']) {
        let hashes = hashes(text);
        return format!("r{hashes}\"{text}\"{hashes}");
    }
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            letter if is_unseen(letter) => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter => out.push(letter),
        }
    }
    out + "\""
}

/// The hashes that a raw string with this text needs.
pub(super) fn hashes(text: &str) -> String {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_as_a_person_would() {
        for (text, literal) in [
            ("a", r#""a""#),
            ("say \"a\"", "r#\"say \"a\"\"#"),
            ("a\\b", r#"r"a\b""#),
            ("a\"#b", r###"r##"a"#b"##"###),
            ("a\nb\"", r#""a\nb\"""#),
            ("\u{202e}", r#""\u{202e}""#),
        ] {
            assert_eq!(quoted(text), literal);
        }
    }
}
