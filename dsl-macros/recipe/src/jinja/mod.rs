//! Jinja in the texts of Ansible: `{{ … }}`, `{% … %}`, and bare expressions after `when:` and similar keys.

pub(crate) mod names;

use crate::analysis::{Analysis, SyntaxError};
use crate::names::{is_identifier_byte, leading_identifier, line_feeds};

/// A piece of a text, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// `{{ … }}`
    Expression(&'a str),
    /// `{% … %}`
    Statement(&'a str),
}

/// The pieces of a text and the line on which each begins; comments are left out.
pub(crate) fn pieces(source: &str, line: u32) -> Vec<(Piece<'_>, u32)> {
    let mut pieces = Vec::new();
    let mut rest = source;
    let mut line = line;
    while let Some(open) = next_opening(rest) {
        let (text, tail) = rest.split_at(open);
        if !text.is_empty() {
            pieces.push((Piece::Text(text), line));
        }
        line = line.saturating_add(line_feeds(text));
        let closing = match &tail[..2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let inside = &tail[2..];
        // A string in an expression may contain `}}`; a comment has no strings.
        let end = if closing == "#}" { inside.find(closing) } else { closing_at(inside, closing) };
        let end = end.unwrap_or(inside.len());
        let code = &inside[..end];
        match closing {
            "}}" => pieces.push((Piece::Expression(code), line)),
            "%}" => pieces.push((Piece::Statement(code), line)),
            _ => {}
        }
        line = line.saturating_add(line_feeds(code));
        rest = inside.get(end + 2..).unwrap_or_default();
    }
    if !rest.is_empty() {
        pieces.push((Piece::Text(rest), line));
    }
    pieces
}

/// The first part of Jinja that is never closed: a `{{` without a `}}` before the next `{{`, or a `{%` or `{#` without an
/// end.
pub(crate) fn unclosed(source: &str, line: u32) -> Option<SyntaxError> {
    let (mut rest, mut line) = (source, line);
    while let Some(open) = next_opening(rest) {
        let (text, tail) = rest.split_at(open);
        line = line.saturating_add(line_feeds(text));
        let (opening, inside) = tail.split_at(2);
        let (closing, end) = match opening {
            "{{" => {
                let end = closing_at(inside, "}}").or_else(|| inside.find("}}"));
                ("}}", end.filter(|end| !without_strings(&inside[..*end]).contains("{{")))
            }
            "{%" => ("%}", closing_at(inside, "%}")),
            _ => ("#}", inside.find("#}")),
        };
        let Some(end) = end else {
            return Some(SyntaxError::new(line, format!("`{opening}` is never closed by `{closing}`")));
        };
        let code = &inside[..end];
        let behind = inside.get(end + 2..).unwrap_or_default();
        let is_raw = opening == "{%" && code.trim_matches(['-', '+', ' ', '\n', '\t']) == "raw";
        let skipped = if is_raw { behind.find("endraw")? } else { 0 };
        line = line.saturating_add(line_feeds(code)).saturating_add(line_feeds(&behind[..skipped]));
        rest = &behind[skipped..];
    }
    None
}

/// An expression without the content of its strings.
fn without_strings(code: &str) -> String {
    let (mut text, mut rest) = (String::new(), code);
    while let Some(at) = rest.find(['\'', '"']) {
        text.push_str(&rest[..at]);
        let quote = if rest[at..].starts_with('"') { '"' } else { '\'' };
        let inside = &rest[at + 1..];
        let Some(end) = string_end(inside, quote) else { return text };
        rest = &inside[end + 1..];
    }
    text + rest
}

/// Adds the reads of the Jinja in a text.
pub(crate) fn template(source: &str, into: &mut Analysis) {
    reads(source, 1, into);
}

/// Adds the reads of the Jinja in a text.
pub(crate) fn reads(source: &str, line: u32, into: &mut Analysis) {
    for (piece, line) in pieces(source, line) {
        if let Piece::Expression(code) | Piece::Statement(code) = piece {
            expression(code, line, into);
        }
    }
}

/// Adds the reads of an expression: every name in it, and every string that could be one, as in `vars['port']`.
pub(crate) fn expression(code: &str, line: u32, into: &mut Analysis) {
    let mut line = line;
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let name = leading_identifier(rest);
        if !name.is_empty() {
            into.read(name, line);
            into.dynamic_reads |= is_everything(name, &rest[name.len()..]);
            rest = &rest[name.len()..];
        } else if c == '\'' || c == '"' {
            let inside = &rest[1..];
            let end = string_end(inside, c).unwrap_or(inside.len());
            let text = &inside[..end];
            let name = text.rsplit('.').next().unwrap_or_default();
            if !name.is_empty() && leading_identifier(name) == name {
                into.read(name, line);
            }
            into.dynamic_reads |= text.contains("inputs.json");
            line = line.saturating_add(line_feeds(text));
            rest = inside.get(end + 1..).unwrap_or_default();
        } else if c.is_ascii_digit() {
            let end = rest.bytes().position(|byte| !is_identifier_byte(byte)).unwrap_or(rest.len());
            rest = &rest[end..];
        } else {
            line += u32::from(c == '\n');
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// `vars` itself or `vars[name]`: any variable. A constant key is not.
fn is_everything(name: &str, rest: &str) -> bool {
    let rest = rest.trim_start();
    match name {
        "vars" | "hostvars" => match rest.strip_prefix('[') {
            Some(key) if name == "vars" => !key.trim_start().starts_with(['\'', '"']),
            Some(_) => false,
            None => name == "vars" && !rest.starts_with(['.', '\'', '"']),
        },
        "varnames" => true,
        _ => false,
    }
}

fn next_opening(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(1)).find(|at| bytes[*at] == b'{' && matches!(bytes[at + 1], b'{' | b'%' | b'#'))
}

fn closing_at(code: &str, closing: &str) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'\'' | b'"') => match string_end(&code[at + 1..], char::from(quote)) {
                Some(end) => at += end + 2,
                None => return code.find(closing),
            },
            _ if bytes[at..].starts_with(closing.as_bytes()) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// The end of a string, after its opening quote.
pub(crate) fn string_end(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let end = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        end.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> (Vec<String>, bool) {
        let mut analysis = Analysis::default();
        template(source, &mut analysis);
        (analysis.reads.into_keys().collect(), analysis.dynamic_reads)
    }

    #[test]
    fn names_and_keys_are_read() {
        for source in [
            "{{ port }}",
            "{{port}}",
            "{{- port -}}",
            "x {{ port | default(1) }}",
            "{% if port > 1 %}{% endif %}",
            "{% for x in port %}{{ x }}{% endfor %}",
            "{{ vars['port'] }}",
            "{{ lookup('env', 'port') }}",
            "{{ hostvars[h].port }}",
            "{{ '}}' ~ port }}",
            "{{ \"it's\" ~ port }}",
            "{# {{ x }} #}{{ port }}",
            "{{ {'a': {'b': port}} }}",
        ] {
            let (names, dynamic) = names(source);
            assert!(names.contains(&"port".to_owned()) && !dynamic, "{source}: {names:?}");
        }
    }

    #[test]
    fn other_text_is_not_read() {
        for source in ["port", "{ port }", "{# {{ port }} #}", "{{ 'the port' }}", "{{ 1port }}", "{{", "{"] {
            assert_eq!(names(source), (vec![], false), "{source}");
        }
    }

    #[test]
    fn computed_names_are_dynamic() {
        for source in ["{{ vars[x] }}", "{{ vars | to_json }}", "{{ lookup('file', 'inputs.json') }}"] {
            assert!(names(source).1, "{source}");
        }
    }

    #[test]
    fn pieces_keep_their_lines() {
        let mut analysis = Analysis::default();
        template("a\n{{ b\n ~ c }}\n{% if d %}\n", &mut analysis);
        assert_eq!(
            analysis.reads.into_iter().collect::<Vec<_>>(),
            [("b".into(), 2), ("c".into(), 3), ("if".into(), 4), ("d".into(), 4)]
                .into_iter()
                .collect::<std::collections::BTreeMap<String, u32>>()
                .into_iter()
                .collect::<Vec<_>>()
        );
    }
}
