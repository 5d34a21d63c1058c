//! `wattle_heat::yaml` reads what PyYAML and Python's `json` read, and refuses what they refuse.

mod json;
mod templates;
mod yaml;

use proptest::strategy::Strategy;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use wattle_heat::yaml::{Node, Problem, Tree, read};

use super::reader::Reader;

/// A value in the format of the answers of `read.py`.
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
            // As in Python, the first of equal keys determines the place, and the last one the value.
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

/// The difference between PyYAML, or Python's JSON, and our reader.
fn disagreement(reader: &mut Reader, text: &str) -> Option<String> {
    let theirs = reader.read(text)["fast"].take();
    match (read(text), theirs.get("!failed")) {
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

/// Whether we deliberately refuse what PyYAML accepts: values that JSON cannot contain, or that Heat cannot process.
fn is_meant(problem: &Problem) -> bool {
    match problem {
        Problem::TooDeep
        | Problem::TooMany
        | Problem::CyclicAlias(_)
        | Problem::TooLarge(_)
        | Problem::Surrogate(_)
        | Problem::Set
        | Problem::Binary => true,
        // Digits from other scripts.
        Problem::Mistagged { tag, found } => (tag.ends_with(":int") || tag.ends_with(":float")) && !found.is_ascii(),
        _ => false,
    }
}

fn assert_agree(texts: impl IntoIterator<Item = String>) -> usize {
    let mut reader = Reader::of(&["fast"]);
    let mut count = 0;
    let mut faults = Vec::new();
    for text in texts {
        count += usize::from(read(&text).is_ok());
        faults.extend(disagreement(&mut reader, &text));
    }
    let shown: String = faults.iter().take(12).flat_map(|fault| [fault.as_str(), "\n\n"]).collect();
    assert!(faults.is_empty(), "{} disagreements, the first:\n{shown}", faults.len());
    count
}

/// The first values of a strategy.
fn random(strategy: &impl Strategy<Value = String>, count: usize) -> Vec<String> {
    // Use the same documents on each run.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}
