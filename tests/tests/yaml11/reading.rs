//! `wattle_hot::yaml` reads what PyYAML and Python's `json` read, and refuses what they refuse.

use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use wattle_hot::yaml::{self, Node, Problem, Tree};

use super::corpus;
use super::reader::Reader;

/// A value in the form that `read.py` answers in.
fn exact(node: &Node) -> Value {
    match &*node.tree {
        Tree::Null => Value::Null,
        Tree::Boolean(value) => json!(value),
        Tree::Integer(value) => i64::try_from(*value)
            .map(Value::from)
            .or_else(|_| u64::try_from(*value).map(Value::from))
            .unwrap_or_else(|_| json!({ "!integer": value.to_string() })),
        Tree::Float(value) if value.is_nan() => json!({ "!float": "nan" }),
        Tree::Float(value) => json!({ "!float": format!("{:016x}", value.to_bits()) }),
        Tree::Text { text, .. } => json!(text),
        Tree::List(items) => items.iter().map(exact).collect(),
        Tree::Map(pairs) => {
            // As Python: the first of equal keys gives the place, the last the value.
            let mut seen: Vec<(&Node, &Node)> = Vec::new();
            for pair in pairs {
                match seen.iter_mut().find(|(key, _)| key.tree.is_same_key(&pair.key.tree)) {
                    Some((_, value)) => *value = &pair.value,
                    None => seen.push((&pair.key, &pair.value)),
                }
            }
            if seen.iter().all(|(key, _)| key.tree.as_text().is_some()) {
                let pairs = seen.iter().map(|(key, value)| (key.tree.as_text().unwrap().to_owned(), exact(value)));
                Value::Object(pairs.collect::<Map<_, _>>())
            } else {
                json!({ "!map": seen.iter().map(|(key, value)| json!([exact(key), exact(value)])).collect::<Vec<_>>() })
            }
        }
    }
}

/// What PyYAML, or Python's JSON, and we disagree on.
fn disagreement(reader: &mut Reader, text: &str) -> Option<String> {
    let theirs = reader.read(text)["fast"].take();
    match (yaml::read(text), theirs.get("!failed")) {
        (Err(_), Some(_)) => None,
        (Err(error), None) if is_meant(&error.problem) => None,
        (Err(error), None) => Some(format!("{text:?}\nwe refuse: {error}\nPyYAML reads: {theirs}")),
        (Ok(_), Some(failure)) => Some(format!("{text:?}\nwe read it, PyYAML: {failure}")),
        (Ok(node), None) => {
            let ours = exact(&node);
            (ours != theirs).then(|| format!("{text:?}\nwe read: {ours}\nPyYAML:  {theirs}"))
        }
    }
}

/// Whether we refuse knowingly what PyYAML reads: what no JSON can hold, and what Heat cannot go on with.
fn is_meant(problem: &Problem) -> bool {
    match problem {
        Problem::TooDeep
        | Problem::TooMany
        | Problem::CyclicAlias(_)
        | Problem::TooLarge(_)
        | Problem::Surrogate(_)
        | Problem::UnusableTag(_) => true,
        // Digits of other scripts.
        Problem::Mistagged { tag, found } => (tag.ends_with(":int") || tag.ends_with(":float")) && !found.is_ascii(),
        _ => false,
    }
}

fn assert_agree(texts: impl IntoIterator<Item = String>) -> usize {
    let mut reader = Reader::of(&["fast"]);
    let mut read = 0;
    let mut faults = Vec::new();
    for text in texts {
        read += usize::from(yaml::read(&text).is_ok());
        faults.extend(disagreement(&mut reader, &text));
    }
    let shown: String = faults.iter().take(12).flat_map(|fault| [fault.as_str(), "\n\n"]).collect();
    assert!(faults.is_empty(), "{} disagreements, the first:\n{shown}", faults.len());
    read
}

#[test]
fn odd_text_means_what_it_means_to_heat() {
    const PLACES: [&str; 19] = [
        "@",
        "a: @",
        "@: a",
        "- @",
        "[@]",
        "[a, @, b]",
        "{@: a}",
        "{a: @}",
        "'@'",
        "\"@\"",
        "!!str @",
        "!!int @",
        "!!float @",
        "!!bool @",
        "!!null '@'",
        "- &x @\n- *x",
        "? @\n: b",
        "a: |\n  @\n",
        "a: b @ c",
    ];
    let texts = corpus::odd_texts();
    let documents = texts.iter().flat_map(|text| PLACES.map(|place| place.replace('@', text)));
    assert!(assert_agree(documents) > 3_000);
}

#[test]
fn merges_and_aliases_mean_what_they_mean_to_heat() {
    assert_agree(
        [
            "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}",
            "a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc: {<<: [*a, *b], q: 1}",
            "a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {w: 0, <<: *b, x: 4}",
            "a: {<<: 1}",
            "a: {<<: [1]}",
            "a: <<",
            "- <<",
            "<<: {a: 1}",
            "{<<: {a: 1}, <<: {b: 2}}",
            "'<<': {a: 1}",
            "!!merge a: {b: 1}",
            "a: =",
            "=: a",
            "- =",
            "a: *b",
            "a: &a [*a]",
            "- &a 1\n- &a 2",
            "&a a: *a",
            "{1: a, true: b, 1.0: c}",
            "{0: a, false: b, -0.0: c}",
            "{~: a, null: b}",
            "? [a]\n: b",
            "? {a: b}\n: c",
            "&k k: 1\n*k : 2",
            "!!set {a, b}",
            "!!omap [a: b]",
            "!!pairs [a: b]",
            "!!binary aGk=",
            "!foo bar",
            "!<tag:yaml.org,2002:str> 12",
            "%TAG !y! tag:yaml.org,2002:\n---\n!y!int '3'",
            "a\n---\nb",
            "--- a\n...\n",
            "--- a\n...\n--- b",
            "",
            "# nothing",
            "---",
            "---\n---",
            "!!map [a]",
            "!!seq {a: b}",
            "!!seq a",
            "!!str [a]",
            "<<: !foo {a: b}",
            "<<: !foo [!bar {a: b}, !!str {c: d}]",
            "<<: [a]",
            "<<: {a: !foo {}}",
            "<<: &x !foo {a: b}\nc: *x",
            "!!int 0o17",
            "!!int 0x0x1f",
            "!!int 0b-1",
            "!!int '- 1'",
            "!!int --1",
            "!!int 0o-1",
            "!!int '1:0x1'",
        ]
        .map(str::to_owned),
    );
}

fn random(strategy: &impl Strategy<Value = String>, count: usize) -> Vec<String> {
    // The same documents in each run.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Pieces of YAML one after the other: most are refused, by each in its own way.
#[test]
fn random_pieces_mean_what_they_mean_to_heat() {
    const PIECES: &[&str] = &[
        "a",
        "b",
        "key",
        ": ",
        ":",
        "- ",
        "-",
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        " ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "? ",
        "&x ",
        "*x",
        "*x ",
        "!!str ",
        "!!int ",
        "! ",
        "|\n",
        "|-\n  ",
        ">\n  ",
        ">2+\n",
        "'",
        "\"",
        " # c\n",
        "#",
        "<<: ",
        "<<",
        "=",
        "0x1F",
        "0644",
        "22:22",
        "on",
        "No",
        "1.5",
        "1e3",
        "2020-01-01",
        "~",
        "\n---\n",
        "\n...\n",
        "%YAML 1.1\n---\n",
        "\t",
        "\r\n",
        "\r",
        "\u{85}",
        "\u{2028}",
        "\u{a0}",
        "é",
        "😀",
        "\\",
        "\\n",
        "\\x41",
        "@",
        "`",
        "%",
        "''",
        "\"a\"",
        "'b'",
        "k: v",
        "\nk: v",
        "\n- ",
        "a: &x b",
        "{a: b}",
        "[a, b]",
        "\u{FEFF}",
        "\u{7}",
    ];
    let strategy = prop::collection::vec(prop::sample::select(PIECES), 1..14).prop_map(|pieces| pieces.concat());
    let read = assert_agree(random(&strategy, 10_000));
    assert!(read > 1_500, "{read}");
}

/// Documents with a structure: most are read.
#[test]
fn random_documents_mean_what_they_mean_to_heat() {
    let read = assert_agree(random(&document(), 10_000));
    assert!(read > 6_000, "{read}");
}

/// Text of block style, to be indented by whoever it stands in.
fn document() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        6 => prop::sample::select(corpus::odd_texts().into_iter().collect::<Vec<_>>())
            .prop_filter("one line", |text| !text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])),
        6 => "[a-zA-Z0-9_.:/+-]{1,8}",
        2 => "'[a-z 0-9:#]{0,8}'",
        2 => "\"[a-z 0-9:#]{0,8}\"",
        1 => "(&[xy] |\\*[xy]|!!str |!!int |!!float )[0-9.a]{0,3}",
    ];
    let indent = |text: &str| text.replace('\n', "\n  ");
    scalar.prop_recursive(4, 24, 4, move |inner| {
        let key = "([a-d]|<<|1|on|'q r'|0x1)";
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(move |items| items.iter().map(|item| format!("- {}\n", indent(item))).collect()),
            prop::collection::vec((key, inner.clone()), 1..4).prop_map(move |pairs| {
                pairs.iter().map(|(key, value)| format!("{key}:\n  {}\n", indent(value))).collect()
            }),
            prop::collection::vec((key, inner.clone()), 1..4).prop_map(|pairs| {
                let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{key}: {}", value.trim_end())).collect();
                format!("{{{}}}", pairs.join(", "))
            }),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            (inner.clone(), prop::sample::select(vec!["|", "|-", "|+", ">", ">-", "|2"]))
                .prop_map(move |(text, style)| format!("{style}\n  {}", indent(&text))),
            (inner, "&[xy]").prop_map(|(value, anchor)| format!("{anchor}\n{value}")),
        ]
    })
}

#[test]
fn odd_json_means_what_it_means_to_heat() {
    const PLACES: [&str; 9] =
        ["@", " \t\r\n@\r\n", "\u{feff}@", "[@]", "[ @ , @ ]", "{\"a\":@}", "{\"a\" : @ , \"b\":[@]}", "@@", "\u{a0}@"];
    let values = [
        "0",
        "-0",
        "-0.0",
        "1",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1.5",
        "1e3",
        "1E+3",
        "1e-3",
        "1e",
        "1e+",
        "-1.5e300",
        "1e400",
        "-1e400",
        "1e-400",
        "0x1F",
        "1_000",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "+Infinity",
        "-NaN",
        "true",
        "True",
        "null",
        "nul",
        "nullx",
        "18446744073709551616",
        "-99999999999999999999999999",
        "1000000000000000000000000000000000000000000",
        "\"\"",
        "\"\\u00e9\"",
        "\"\\u00E9\"",
        "\"\\u+0e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ude00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83d\\ud83d\\ude00\"",
        "\"\\u12\"",
        "\"\\x41\"",
        "\"\\/\"",
        "\"\\0\"",
        "\"\\b\\f\\n\\r\\t\"",
        "\"a\tb\"",
        "\"a\nb\"",
        "\"\u{7f}\u{85}\u{2028}\u{feff}\u{fffe}\u{fdd0}😀\"",
        "\"a",
        "'a'",
        "[]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a: 1}",
        "{1: 2}",
        "{\"a\":1,\"a\":{\"b\":2}}",
        "[[[[[]]]]]",
        "",
        "// a",
        "[1] // a",
        "[1] # a",
        "0644",
        "22:22",
        "on",
        "2021-04-16",
        "!!str 1",
    ];
    let documents = values.iter().flat_map(|value| PLACES.map(|place| place.replace('@', value)));
    assert!(assert_agree(documents) > 300);
}

#[test]
fn random_json_means_what_it_means_to_heat() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "\"c\": ",
        " ",
        "\n",
        "\t",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "e+3",
        "NaN",
        "Infinity",
        "true",
        "null",
        "\\",
        "\\n",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\u{feff}",
        "😀",
        "[1, 2]",
        "{\"a\": 1}",
        ", ",
        "[]",
        "{}",
    ];
    let strategy = prop::collection::vec(prop::sample::select(PIECES), 1..10).prop_map(|pieces| pieces.concat());
    assert!(assert_agree(random(&strategy, 5_000)) > 300);
    let json = prop::collection::vec(prop::sample::select(PIECES), 0..4).prop_map(|pieces| pieces.concat());
    let changed = (value().prop_map(|value| value.to_string()), json, any::<prop::sample::Index>(), 0_usize..4)
        .prop_map(|(text, piece, at, gone)| {
            let places: Vec<_> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
            let from = at.index(places.len());
            let to = (from + gone).min(places.len() - 1);
            format!("{}{piece}{}", &text[..places[from]], &text[places[to]..])
        });
    assert!(assert_agree(random(&changed, 5_000)) > 1_000);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(corpus::odd_texts().into_iter().collect::<Vec<_>>()).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-d]{0,2}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Templates with one to three things changed in them, as their authors would by mistake.
#[test]
fn changed_templates_mean_what_they_mean_to_heat() {
    const PIECES: &[&str] = &[
        "", "", "", ":", ": ", "- ", "\n", "\n  ", " ", "  ", "\t", "[", "]", "{", "}", ",", "?", "'", "\"", "&a ",
        "*a", "#", " # ", "%", "@", "!", "!!str ", "|", ">", "|\n", "<<: ", "0", "_", "\\", "\r", "é", "---", "...",
    ];
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let templates: Vec<String> = ["templates/good", "heat/selftest/good", "heat/selftest/bad"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(templates.len() > 80, "{}", templates.len());
    let read = assert_agree(templates.clone());
    assert!(read > 80, "{read}");
    let change = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(PIECES));
    let changed =
        (prop::sample::select(templates), prop::collection::vec(change, 1..4)).prop_map(|(mut text, changes)| {
            for (at, gone, piece) in changes {
                let places: Vec<_> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
                let from = at.index(places.len());
                let to = (from + gone).min(places.len() - 1);
                text.replace_range(places[from]..places[to], piece);
            }
            text
        });
    let read = assert_agree(random(&changed, 3_000));
    assert!(read > 1_000, "{read}");
}
