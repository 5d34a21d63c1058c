//! Calls of lookups within the Jinja of a text: `lookup('file', 'motd')`, `query('ansible.builtin.fileglob', 'conf/*')`.

use crate::jinja::{Piece, pieces, string_end};
use crate::names::{leading_identifier, line_feeds};

/// One call, as far as its arguments are constant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lookup<'a> {
    /// The plugin, without its collection.
    pub(super) plugin: &'a str,
    /// The terms to look up.
    pub(super) terms: Vec<&'a str>,
    /// Options with constant text: `file='x.csv'`.
    pub(super) options: Vec<(&'a str, &'a str)>,
    pub(super) line: u32,
}

/// The lookups in the expressions of a text that begins at `line`.
pub(super) fn of(text: &str, line: u32) -> Vec<Lookup<'_>> {
    let mut found = Vec::new();
    for (piece, line) in pieces(text, line) {
        if let Piece::Expression(code) | Piece::Statement(code) = piece {
            found.extend(of_expression(code, line));
        }
    }
    found
}

/// The lookups in an expression.
pub(super) fn of_expression(code: &str, line: u32) -> Vec<Lookup<'_>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let name = leading_identifier(rest);
        let step = if !name.is_empty() {
            let behind = rest[name.len()..].trim_start();
            if matches!(name, "lookup" | "query" | "q")
                && let Some(arguments) = behind.strip_prefix('(')
            {
                let line = line.saturating_add(line_feeds(&code[..code.len() - rest.len()]));
                found.extend(call(arguments, line));
            }
            name.len()
        } else if c == '\'' || c == '"' {
            string_end(&rest[1..], c).map_or(rest.len(), |end| end + 2)
        } else {
            c.len_utf8()
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    found
}

/// The call whose arguments follow its opening parenthesis. Computed arguments are left out, also within longer texts.
fn call(arguments: &str, line: u32) -> Option<Lookup<'_>> {
    let mut given = split(arguments).into_iter();
    let plugin = constant(given.next()?)?;
    let mut lookup = Lookup { plugin: plugin.rsplit('.').next()?, terms: Vec::new(), options: Vec::new(), line };
    for argument in given {
        let name = leading_identifier(argument);
        let value = argument[name.len()..].trim_start().strip_prefix('=').filter(|value| !value.starts_with('='));
        match value {
            Some(value) if !name.is_empty() => {
                lookup.options.push((name, constant(value.trim()).unwrap_or_default()));
            }
            _ => lookup.terms.extend(constant(argument)),
        }
    }
    Some(lookup)
}

/// The arguments up to the parenthesis that closes the call.
fn split(arguments: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut at, mut depth) = (Vec::new(), 0, 0, 0_u32);
    let bytes = arguments.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\'' | b'"' => at += string_end(&arguments[at + 1..], char::from(*byte)).map_or(0, |end| end + 1),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b',' if depth == 0 => {
                parts.push(arguments[begin..at].trim());
                begin = at + 1;
                if *byte == b')' {
                    return parts;
                }
            }
            _ => {}
        }
        at += 1;
    }
    parts
}

/// The text of an argument that is a string literal.
fn constant(argument: &str) -> Option<&str> {
    let quote = argument.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &argument[1..];
    let end = string_end(inside, quote)?;
    (end + 2 == argument.len() && end > 0).then(|| &inside[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_taken_apart() {
        let found = of("a\n{{ x ~ lookup('file', 'a', \"b,c\") }} {{ 'lookup(' }}", 3);
        let file = Lookup { plugin: "file", terms: vec!["a", "b,c"], options: Vec::new(), line: 4 };
        assert_eq!(found, [file]);
        let found = of("{{ query('ansible.builtin.csvfile', 'key', file='x.csv', col=f(1, 2)) }}", 1);
        let options = vec![("file", "x.csv"), ("col", "")];
        assert_eq!(found, [Lookup { plugin: "csvfile", terms: vec!["key"], options, line: 1 }]);
        assert_eq!(of("{{ lookup('file', a ~ 'b') }}", 1)[0].terms, Vec::<&str>::new());
        for text in ["{{ lookup(x) }}", "{{ lookup", "{{ lookup( }}", "{{ lookup('file }}", "lookup('file', 'x')"] {
            assert_eq!(of(text, 1), [], "{text}");
        }
    }
}
