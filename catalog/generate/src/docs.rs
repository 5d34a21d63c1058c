//! Documentation comments from Heat's descriptions.

use serde_json::Value;

use crate::schema::{Constraint, Property, PropertyType, ResourceType};

/// Heat's description as a Markdown sentence that renders as the same plain text.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim().trim_start_matches('"');
    if text.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    // reStructuredText marks code by double backticks; text between single ones also counts as code.
    for (i, part) in text.replace("``", "`").split('`').enumerate() {
        if i % 2 == 1 {
            out.push('`');
            out.push_str(part);
            out.push('`');
        } else {
            out.push_str(&plain(part));
        }
    }
    if out.matches('`').count() % 2 == 1 {
        out.push('`');
    }
    let mut letters = out.chars();
    let mut out: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if !out.ends_with(['.', '!', '?', ':', ';']) {
        out.push('.');
    }
    out
}

/// Text with Markdown and HTML escaped.
fn plain(text: &str) -> String {
    text.split(' ')
        .map(|word| {
            if let Some(at) = word.find("http://").or_else(|| word.find("https://")) {
                let (before, url) = word.split_at(at);
                let end = url.trim_end_matches(['.', ',', ')', ';', ':', '"', '\'']).len();
                format!("{}<{}>{}", escaped(before), &url[..end], escaped(&url[end..]))
            } else if word.contains('_') || word.contains("::") {
                // An API name is shown as code, without the punctuation around it.
                let start = word.len() - word.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
                let end = word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
                if start >= end {
                    return escaped(word);
                }
                format!("{}`{}`{}", escaped(&word[..start]), &word[start..end], escaped(&word[end..]))
            } else {
                escaped(word)
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '<' | '>' | '[' | ']' | '*' | '_' | '\\' | '`' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A value as code.
pub(crate) fn code(value: &Value) -> String {
    let text = match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    };
    format!("`{}`", text.replace('`', "'"))
}

/// The documentation of a type's handle.
pub(crate) fn of_type(name: &str, ty: &ResourceType) -> Vec<String> {
    let mut lines = vec![match sentence(&ty.doc) {
        text if text.is_empty() => format!("A resource of the type `{name}`."),
        text => text,
    }];
    let mut rest = format!("Heat's `{name}`");
    if !ty.support.since.is_empty() {
        rest += &format!(", since {}", ty.support.since);
    }
    rest.push('.');
    if ty.support.is_hidden() {
        rest += " Heat no longer documents it, or never supported it.";
        if !ty.support.message.is_empty() {
            rest += " ";
            rest += &sentence(&ty.support.message);
        }
    }
    lines.extend([String::new(), rest]);
    lines
}

/// The documentation of a setter: Heat's description, then the facts.
pub(crate) fn of_property(heat: &str, property: &Property, top: bool) -> Vec<String> {
    let first = match sentence(&property.d) {
        text if text.is_empty() => format!("Heat's `{heat}`."),
        text => text,
    };
    let facts = facts(property, top);
    if facts.is_empty() { vec![first] } else { vec![first, String::new(), facts] }
}

/// Bounds, default and the effect of a change, in short sentences.
fn facts(property: &Property, top: bool) -> String {
    let mut facts: Vec<String> = Vec::new();
    for constraint in &property.c {
        match constraint {
            Constraint::Range(bounds) => facts.push(format!("{}.", within(*bounds))),
            Constraint::Length([min, max]) => {
                let of = if property.t == PropertyType::List { "items" } else { "characters" };
                facts.push(format!("{} {of}.", within([*min, *max])));
            }
            Constraint::Pattern(pattern) => facts.push(format!("Matches `{}`.", pattern.replace('`', "'"))),
            Constraint::Modulo([step, offset]) => facts.push(format!("A multiple of {step}, plus {offset}.")),
            Constraint::Custom(_) | Constraint::Allowed(_) => {}
        }
    }
    if let Some(default) = &property.def {
        facts.push(format!("Default: {}.", code(default)));
    }
    if top && !property.effect.is_empty() {
        facts.push(property.effect.to_owned());
    }
    if !property.support.since.is_empty() {
        facts.push(format!("Since Heat {}.", property.support.since));
    }
    if property.is_hidden() && !property.support.message.is_empty() {
        facts.push(sentence(&property.support.message));
    }
    facts.join(" ")
}

fn within(bounds: [Option<f64>; 2]) -> String {
    match bounds {
        [Some(min), Some(max)] => format!("From {min} to {max}"),
        [Some(min), None] => format!("At least {min}"),
        [None, Some(max)] => format!("At most {max}"),
        [None, None] => "Any".to_owned(),
    }
}

/// Lines as a documentation comment, wrapped.
pub(crate) fn comment(lines: &[String], indent: usize) -> String {
    let mut out = String::new();
    let pad = " ".repeat(indent);
    for line in lines {
        if line.is_empty() {
            out += &format!("{pad}///\n");
            continue;
        }
        let width = 120 - indent - 4;
        // Text after a hyphen is a list item and is indented.
        let (mut row, hang, text) = match line.strip_prefix("- ") {
            Some(rest) => ("-".to_owned(), "  ", rest),
            None => (String::new(), "", &**line),
        };
        for word in text.split_whitespace() {
            if !row.trim().is_empty() && row.len() + 1 + word.len() > width {
                out += &format!("{pad}/// {row}\n");
                hang.clone_into(&mut row);
            }
            match (row.trim().is_empty(), word) {
                // At the start of a line these would begin a list or a heading.
                (true, "-" | "+" | "=") => row.push('\\'),
                (true, _) => {}
                (false, _) => row.push(' '),
            }
            row.push_str(word);
        }
        out += &format!("{pad}/// {row}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        for (heat, markdown) in [
            ("the <VolumeId> of it", "The \\<VolumeId\\> of it."),
            ("a list [a, b]", "A list \\[a, b\\]."),
            ("use ``primaries`` instead.", "Use `primaries` instead."),
            ("the router_id property", "The `router_id` property."),
            ("see http://example.org/a_b.", "See <http://example.org/a_b>."),
            ("\"Heat Template Resource", "Heat Template Resource."),
            ("like OS::Heat::Stack, or", "Like `OS::Heat::Stack`, or."),
            ("an odd ` backtick", "An odd ` backtick`."),
        ] {
            assert_eq!(sentence(heat), markdown);
        }
    }

    #[test]
    fn facts_are_documented() {
        let mut property: Property = serde_json::from_str(
            r#"{"t": "integer", "def": 3, "upd": true, "since": "5.0.0", "c": [{"range": [1, null]}], "d": "how many"}"#,
        )
        .expect("a property");
        property.effect = "Changed in place.";
        let written = of_property("count", &property, true);
        assert_eq!(written, ["How many.", "", "At least 1. Default: `3`. Changed in place. Since Heat 5.0.0."]);
    }

    #[test]
    fn long_lines_are_wrapped() {
        let text = comment(&["word ".repeat(60)], 4);
        assert!(text.lines().count() > 2);
        assert!(text.lines().all(|line| line.len() <= 120 && line.starts_with("    /// word")));
    }
}
