//! W1102: a constraint that does not exist, or that the parameter's type cannot have.

use wattle_model::ParameterType;
use wattle_model::names::{list, meant};

use crate::evaluate::Value;
use crate::parameters::number_from_text;
use crate::schema::{NAMED_CONSTRAINTS, outside_of_classes};
use crate::template::{CONSTRAINTS, Parameter, Version};
use crate::yaml::{Node, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// A constraint is a map with one of the keys `range`, `length`, `modulo` (from version 2017-02-24 on),
    /// `allowed_values`, `allowed_pattern` and `custom_constraint`. It can also have a `description`. The type of the
    /// parameter must allow the constraint: `range` and `modulo` are for numbers, `length` is for strings, lists and
    /// JSON, and `allowed_pattern` is for strings.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   count:
    ///     type: number
    ///     default: 3
    ///     constraints:
    ///       - length: {min: 1, max: 5}
    /// ```
    ///
    /// Use a constraint for the parameter's type:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   count:
    ///     type: number
    ///     default: 3
    ///     constraints:
    ///       - range: {min: 1, max: 5}
    /// ```
    CONSTRAINT_FORM: "W1102", Error, "a constraint that is unknown, or not allowed for the parameter's type", Sent(run)
}

/// A mistake: where it is, what it is, and how to fix it.
struct Wrong<'n> {
    node: &'n Node,
    why: String,
    help: String,
    /// Whether the constraint exists, but not for the parameter's type.
    of_type: bool,
}

fn run(sink: &mut Sink<'_>) {
    for (name, parameter) in &sink.template().parameters {
        for Wrong { node, why, help, of_type } in judge(sink, parameter) {
            if of_type && sink.is_sent {
                continue;
            }
            let diagnostic = CONSTRAINT_FORM
                .diagnostic(format!("a constraint of the parameter `{name}`: {why}"))
                .label(&sink.at(node.span), "this constraint")
                .help(help);
            sink.push(diagnostic);
        }
    }
}

fn judge<'n>(sink: &Sink<'_>, parameter: &'n Parameter) -> Vec<Wrong<'n>> {
    let Some(node) = parameter.node.get("constraints") else { return Vec::new() };
    match &*node.tree {
        Tree::Null => Vec::new(),
        Tree::List(items) => {
            // Names of constraints are looked up only together with a value, and the parameters of nested stacks have no
            // values yet.
            let named = !sink.loaded.is_nested();
            let version = sink.template().version();
            items.iter().filter_map(|item| constraint(item, parameter.kind, version, named)).collect()
        }
        other => {
            let why = format!("constraints must be a list, but this is {}", other.kind());
            vec![Wrong { node, why, help: "write entries such as `- range: ...`".into(), of_type: false }]
        }
    }
}

fn constraint(node: &Node, kind: Option<ParameterType>, version: Version, named: bool) -> Option<Wrong<'_>> {
    let wrong = |node, why: String, help: &str| Some(Wrong { node, why, help: help.to_owned(), of_type: false });
    let Tree::Map(pairs) = &*node.tree else {
        let why = format!("it is {} instead of a map", node.tree.kind());
        return wrong(node, why, "write a map such as `range: {min: 1}`");
    };
    for pair in crate::yaml::counting(pairs) {
        let key = pair.key.as_key();
        if key != "description" && !CONSTRAINTS.contains(&&*key) {
            let near = meant(&key, CONSTRAINTS.into_iter().chain(["description"]));
            let help = near.unwrap_or_else(|| format!("write one of {}", list(CONSTRAINTS, "and")));
            return Some(Wrong {
                node: &pair.key,
                why: format!("there is no constraint `{}`", key.escape_debug()),
                help,
                of_type: false,
            });
        }
    }
    let known = CONSTRAINTS.into_iter().filter(|key| version.has_modulo() || *key != "modulo");
    let Some((key, value)) = known.into_iter().find_map(|key| Some((key, node.get(key)?))) else {
        return match node.get("modulo") {
            Some(modulo) => wrong(
                modulo,
                format!("`modulo` is available from 2017-02-24 on; this template has version {version}"),
                "write a newer `heat_template_version`",
            ),
            None => wrong(
                node,
                "it constrains nothing".into(),
                &format!("write {}", list(CONSTRAINTS.into_iter().filter(|name| *name != "modulo"), "or")),
            ),
        };
    };
    let of_kind = |kinds: &[ParameterType]| kind.is_none_or(|kind| kinds.contains(&kind));
    let (fits, kinds) = match key {
        "modulo" | "range" => (of_kind(&[ParameterType::Number]), "numbers"),
        "length" => (
            of_kind(&[ParameterType::Str, ParameterType::CommaDelimitedList, ParameterType::Json]),
            "strings, lists and JSON",
        ),
        "allowed_pattern" => (of_kind(&[ParameterType::Str]), "strings"),
        _ => (
            of_kind(&[
                ParameterType::Str,
                ParameterType::Number,
                ParameterType::Boolean,
                ParameterType::CommaDelimitedList,
            ]),
            "all types except JSON",
        ),
    };
    let inner = match (key, &*value.tree) {
        ("modulo", _) => bounds(value, ["step", "offset"]),
        ("range" | "length", _) => bounds(value, ["min", "max"]),
        ("allowed_values", Tree::List(_)) | ("allowed_pattern", Tree::Text { .. }) => None,
        ("allowed_values", other) => Some(format!("allowed values must be a list, but this is {}", other.kind())),
        ("allowed_pattern", other) => Some(format!("a pattern must be a string, but this is {}", other.kind())),
        _ => None,
    };
    if let Some(why) = inner {
        return wrong(value, why, "fix it, or remove the constraint");
    }
    match key {
        "length" if ["min", "max"].iter().any(|key| value.get(key).is_some_and(|node| !is_whole(node))) => {
            return wrong(value, "a length must be a whole number".into(), "write it without a fraction");
        }
        "modulo" => {
            if let Some(why) = modulo(value) {
                return wrong(value, why, "write a step and a smaller offset with the same sign");
            }
        }
        "allowed_pattern" => {
            if let Some(why) = value.tree.as_text().and_then(broken_pattern) {
                return wrong(value, why, "fix the pattern");
            }
        }
        "custom_constraint" => {
            let name = value.as_key();
            if named && fits && !NAMED_CONSTRAINTS.contains(&&*name) {
                let near = meant(&name, NAMED_CONSTRAINTS);
                let help = near.unwrap_or_else(|| "a cloud may have more, but not every cloud does".into());
                return Some(Wrong {
                    node: value,
                    why: format!("Heat does not have `{}`", name.escape_debug()),
                    help,
                    of_type: false,
                });
            }
        }
        _ => {}
    }
    if fits {
        return None;
    }
    let found = kind.map_or("nothing", ParameterType::name);
    let why = format!("`{key}` is for {kinds}, but the parameter is a `{found}`");
    Some(Wrong { node, why, help: "use one that the type allows".to_owned(), of_type: true })
}

/// Mistakes in the bounds of a range, a length or a modulo.
fn bounds(node: &Node, keys: [&str; 2]) -> Option<String> {
    let Tree::Map(pairs) = &*node.tree else { return Some(format!("it is {} instead of a map", node.tree.kind())) };
    for pair in crate::yaml::counting(pairs) {
        let key = pair.key.as_key();
        if !keys.contains(&&*key) {
            return Some(format!("it has `{}` and `{}`, but no `{}`", keys[0], keys[1], key.escape_debug()));
        }
        let is_number = match &*pair.value.tree {
            Tree::Null | Tree::Integer(_) | Tree::Float(_) | Tree::Boolean(_) => true,
            Tree::Text { text, .. } => number_from_text(text).is_some(),
            _ => false,
        };
        if !is_number {
            return Some(format!("`{key}` is not a number"));
        }
    }
    let has = |key: &str| node.get(key).is_some_and(|node| !matches!(*node.tree, Tree::Null));
    match keys {
        ["step", "offset"] if !has("step") || !has("offset") => Some("it has no `step` or no `offset`".into()),
        [low, high] if !has(low) && !has(high) => Some(format!("it has neither `{low}` nor `{high}`")),
        _ => None,
    }
}

fn is_whole(node: &Node) -> bool {
    match &*node.tree {
        Tree::Float(_) => false,
        Tree::Text { text, .. } => matches!(number_from_text(text), Some(Value::Integer(_))),
        _ => true,
    }
}

fn modulo(node: &Node) -> Option<String> {
    #[expect(clippy::cast_precision_loss, reason = "only its sign and size matter")]
    let number = |key| match node.get(key).map(|node| &*node.tree) {
        Some(Tree::Integer(number)) => Some(*number as f64),
        Some(Tree::Boolean(number)) => Some(f64::from(u8::from(*number))),
        Some(Tree::Float(number)) => Some(*number),
        Some(Tree::Text { text, .. }) => match number_from_text(text) {
            Some(Value::Integer(number)) => Some(number as f64),
            Some(Value::Float(number)) => Some(number),
            _ => None,
        },
        _ => None,
    };
    let (step, offset) = (number("step")?, number("offset")?);
    if step.fract() != 0.0 || offset.fract() != 0.0 {
        Some("its step and offset must be whole numbers".into())
    } else if step == 0.0 {
        Some("its step is 0".into())
    } else if offset.abs() >= step.abs() {
        Some("its offset is not smaller than its step".into())
    } else if step * offset < 0.0 {
        Some("either its step or its offset is negative".into())
    } else {
        None
    }
}

/// Why a pattern is invalid, even in Python's dialect.
fn broken_pattern(pattern: &str) -> Option<String> {
    let mut open = 0_usize;
    let mut in_class = false;
    let mut first_in_class = false;
    if has_late_flags(pattern) {
        return Some("flags such as `(?i)` must stand at the beginning of the pattern".into());
    }
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                None => return Some("the pattern ends in a backslash".into()),
                // The escapes that Python knows. A class has no positions, so assertions have no meaning in it.
                Some(letter) if letter.is_ascii_alphabetic() => {
                    let known = if in_class { "abdDfnNrsStuUvwWx" } else { "AabBdDfnNrsStuUvwWxZ" };
                    if !known.contains(letter) {
                        return Some(format!("Python does not know `\\{letter}` in the pattern"));
                    }
                }
                Some(_) => {}
            },
            ']' if in_class && !first_in_class => in_class = false,
            '[' if !in_class => {
                in_class = true;
                first_in_class = true;
                characters.next_if_eq(&'^');
                continue;
            }
            '(' if !in_class => open += 1,
            ')' if !in_class => match open.checked_sub(1) {
                Some(less) => open = less,
                None => return Some("a `)` in the pattern closes nothing".into()),
            },
            _ => {}
        }
        first_in_class = false;
    }
    if in_class {
        Some("a `[` in the pattern is not closed".into())
    } else if open > 0 {
        Some("a `(` in the pattern is not closed".into())
    } else if pattern.starts_with(['*', '+', '?']) {
        Some("there is nothing to repeat before a repetition in the pattern".into())
    } else {
        // Reversed ranges and repetitions. Syntax that only Python understands is left to Python.
        match regex_lite::Regex::new(pattern).err().map(|error| error.to_string()) {
            Some(error) if error.contains("invalid range") || error.contains("min bigger than its max") => {
                Some("a range in the pattern ends before it begins".into())
            }
            _ => None,
        }
    }
}

/// Whether flags for the whole pattern come after its beginning, which Python refuses since 3.11.
fn has_late_flags(pattern: &str) -> bool {
    let Ok(flags) = regex_lite::Regex::new(r"^\(\?[aiLmsux]+\)") else { return false };
    let mut rest = pattern;
    while let Some(found) = flags.find(rest) {
        rest = &rest[found.end()..];
    }
    outside_of_classes(rest).any(|(at, sign)| sign == '(' && flags.is_match(&rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::broken_pattern;

    #[test]
    fn patterns_are_judged_where_python_and_others_agree() {
        for pattern in [
            "[a-z]+",
            "[]a]",
            "[^]a]",
            "(?=a)a",
            r"\(",
            "a{2}",
            "[(]",
            "^$",
            "(a|b)*?",
            "(?i)a",
            "(?i)(?m)a",
            "a[(?i)]",
            "a(?i:b)",
        ] {
            assert_eq!(broken_pattern(pattern), None, "{pattern}");
        }
        for pattern in ["(", "a)", "[a", r"a\", "*a", "[z-a]", "a{2,1}", r"\h", r"[\A]", "a(?i)b"] {
            assert!(broken_pattern(pattern).is_some(), "{pattern}");
        }
    }
}
