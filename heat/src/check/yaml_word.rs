//! W1005: a word that YAML 1.1 reads as something else.

use wattle_model::Diagnostic;

use crate::template::float_as_python;
use crate::yaml::{Node, Tree};

use super::Sink;
use super::everything::each_value;
use super::registry::check;

check! {
    /// An unquoted word has a different meaning in YAML 1.1 than it appears to have. A number with a leading zero is
    /// octal, a number with colons is in base 60, and `on` and `no` are booleans. A number that is converted to text
    /// may also be written differently.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   file:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {mode: 0644}
    /// ```
    ///
    /// Quote the word:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   file:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {mode: '0644'}
    /// ```
    ///
    /// Keys always become text in the end, so a boolean or null as a key is reported as well.
    YAML_WORD: "W1005", Warning, "an unquoted word that YAML 1.1 reads as something else", Whole(run)
}

fn run(sink: &mut Sink<'_>) {
    let mut found = Vec::new();
    each_value(sink.loaded, &mut |node, at| {
        let mut report = |node: &Node, meaning: Option<Meaning>| {
            if let (Some(word), Some(meaning)) = (node.written(), meaning) {
                found.push(diagnostic(word, &meaning).label(&at(node.span), meaning.label));
            }
        };
        report(node, value(node));
        if let Tree::Map(pairs) = &*node.tree {
            pairs.iter().filter(|pair| !pair.merged).for_each(|pair| report(&pair.key, key(&pair.key)));
        }
    });
    for diagnostic in found {
        sink.push(diagnostic);
    }
}

/// The meaning of a word.
struct Meaning {
    /// The unambiguous way to write it.
    plain: String,
    kind: &'static str,
    /// Why YAML reads it like this.
    label: &'static str,
}

fn diagnostic(word: &str, meaning: &Meaning) -> Diagnostic {
    let Meaning { plain, kind, .. } = meaning;
    let shown = if word.is_empty() { "an empty key".to_owned() } else { format!("`{word}`") };
    YAML_WORD
        .diagnostic(format!("Heat reads {shown} as the {kind} `{plain}`"))
        .help(format!("write `'{word}'` if it is meant as text, otherwise `{plain}`"))
}

/// The meaning of a value that can be intended as something else.
fn value(node: &Node) -> Option<Meaning> {
    let word = node.written()?;
    let (plain, kind, label) = match &*node.tree {
        Tree::Integer(value) => (value.to_string(), "number", number(word)),
        Tree::Float(value) => (float_as_python(*value), "number", number(word)),
        Tree::Boolean(value) if !word.eq_ignore_ascii_case(&value.to_string()) => {
            (value.to_string(), "boolean", "YAML 1.1 reads `yes`, `no`, `on` and `off` as booleans")
        }
        _ => return None,
    };
    (plain != word).then_some(Meaning { plain, kind, label })
}

fn number(word: &str) -> &'static str {
    let unsigned = word.trim_start_matches(['-', '+']);
    match word {
        _ if word.contains(':') => "colons make it base 60",
        _ if unsigned.starts_with("0x") => "`0x` makes it hexadecimal",
        _ if unsigned.starts_with("0b") => "`0b` makes it binary",
        _ if word.contains('.') => "a number has a different form as text",
        _ if unsigned.starts_with('0') => "a leading zero makes it octal",
        _ if word.contains('_') => "underscores are ignored",
        _ => "a `+` sign is ignored",
    }
}

/// The meaning of a key that can be intended as something else.
fn key(node: &Node) -> Option<Meaning> {
    match &*node.tree {
        Tree::Boolean(_) | Tree::Null => {
            Some(Meaning { plain: node.as_key(), kind: "key", label: "this is not text, but keys become text" })
        }
        _ => value(node),
    }
}

#[cfg(test)]
mod tests {
    use crate::Loaded;
    use crate::check::check;

    #[test]
    fn words_that_mean_something_else() {
        let reported = |map: &str| {
            let text = format!(
                "heat_template_version: 2021-04-16\nresources:\n  r: {{type: OS::Heat::Value, properties: {{value: {map}}}}}\n"
            );
            let found = check(&Loaded::of(&text, "template.yaml"));
            found.into_iter().filter(|found| found.code == "W1005").map(|found| found.message).collect::<Vec<_>>()
        };
        for (word, meaning) in [
            ("0644", "Heat reads `0644` as the number `420`"),
            ("22:22", "Heat reads `22:22` as the number `1342`"),
            ("1_000", "Heat reads `1_000` as the number `1000`"),
            ("0x1F", "Heat reads `0x1F` as the number `31`"),
            ("+49", "Heat reads `+49` as the number `49`"),
            ("1.10", "Heat reads `1.10` as the number `1.1`"),
            ("on", "Heat reads `on` as the boolean `true`"),
            ("No", "Heat reads `No` as the boolean `false`"),
        ] {
            assert_eq!(reported(&format!("{{a: {word}}}")), [meaning]);
            assert_eq!(reported(&format!("[{word}, '{word}', \"{word}\"]")), [meaning]);
        }
        assert_eq!(reported("{on: a}"), ["Heat reads `on` as the key `true`"]);
        assert_eq!(reported("{~: a}"), ["Heat reads `~` as the key `null`"]);
        assert_eq!(reported("{? : a}"), ["Heat reads an empty key as the key `null`"]);
        for word in ["420", "-1", "0", "1.5", "true", "False", "~", "2021-04-16", "08", "1e3", "y"] {
            assert!(reported(&format!("[{word}, {{8080: {word}}}]")).is_empty(), "{word}");
        }
        assert_eq!(reported("{a: &a 0644, b: *a}").len(), 1);
    }
}
