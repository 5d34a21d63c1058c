//! Heat reads the output of `wattle::emit` back as the same value: by Heat's own code, in YAML and in JSON.
//! `wattle_heat::yaml` reads what Heat reads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;
mod reader;
mod reading;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde::Serialize;
use serde_json::{Map, Value, json};
use wattle::emit;

use self::reader::Reader;

/// Writes `value` in both formats and reads it with Heat. The value is put into a map, because Heat reads nothing else.
fn fault(reader: &mut Reader, value: &Value) -> Option<String> {
    let template = json!({ "value": value });
    let yaml = emit::to_yaml(&template).unwrap();
    let json = emit::to_json(&template).unwrap();
    reader.fault(&yaml, &template).or_else(|| reader.fault(&json, &template))
}

fn assert_all_read_back(values: impl IntoIterator<Item = Value>) {
    let mut reader = Reader::start();
    let faults: Vec<_> = values.into_iter().filter_map(|value| fault(&mut reader, &value)).collect();
    let shown: String = faults.iter().take(5).flat_map(|fault| [fault.as_str(), "\n\n"]).collect();
    assert!(faults.is_empty(), "{} faults, the first:\n{shown}", faults.len());
}

fn texts() -> impl Iterator<Item = Value> {
    let texts = corpus::odd_texts();
    assert!(texts.len() > 300);
    texts.into_iter().map(Value::from)
}

fn keyed(key: &Value, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.as_str().unwrap().to_owned(), value)]))
}

#[test]
fn odd_text_as_a_value() {
    assert_all_read_back(texts());
}

#[test]
fn odd_text_as_a_key() {
    assert_all_read_back(texts().map(|text| keyed(&text, json!("x"))));
}

#[test]
fn odd_text_as_key_and_value_with_neighbours() {
    assert_all_read_back(texts().map(|text| {
        let mut map = Map::from_iter([("first".to_owned(), json!([text])), ("last one".to_owned(), text.clone())]);
        map.insert(text.as_str().unwrap().to_owned(), text.clone());
        map.insert("after".to_owned(), json!({ "a": text, "b": [] }));
        Value::Object(map)
    }));
}

#[test]
fn odd_text_in_lists() {
    assert_all_read_back(texts().map(|text| json!([text, [text, [text]], [], "end"])));
}

#[test]
fn odd_text_in_lists_of_maps_and_maps_of_lists() {
    assert_all_read_back(texts().map(|text| {
        json!([keyed(&text, text.clone()), { "a": [keyed(&text, json!([text])), text], "b": keyed(&text, json!({})) }])
    }));
}

#[test]
fn numbers_and_what_else_json_has() {
    assert_all_read_back([
        json!([i64::MIN, i64::MAX, u64::MAX, 0, -1, 1_000]),
        json!([0.0, -0.0, 1.0, 1e3, 1e15, 1e16, 1e17, 1e20, 1e21, 1e-5, 1e-7, 1.5e300, -2.5e-300]),
        json!([f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 0.1, 0.1 + 0.2, 123_456_789.123]),
        json!([true, false, null, [], {}, [[]], [{}], [null], { "a": null }]),
    ]);
}

#[derive(Serialize)]
enum Kind {
    Unit,
    No,
    Newtype(&'static str),
    Tuple(u8, &'static str),
    Struct { no: Option<char>, script: &'static str },
}

#[derive(Serialize)]
struct Derived {
    y: Vec<Kind>,
    kinds: BTreeMap<u16, Kind>,
    flags: BTreeMap<bool, Option<f32>>,
    nested: (Kind, [Kind; 2]),
    newtype: Wrapped,
}

#[derive(Serialize)]
struct Wrapped(serde_saphyr::FoldString);

#[test]
fn derived_types() {
    let script = "#!/bin/sh\n\ttabbed: no\n";
    let all = || {
        vec![Kind::Unit, Kind::No, Kind::Newtype("no"), Kind::Tuple(7, "\tx\n"), Kind::Struct { no: Some('1'), script }]
    };
    let value = Derived {
        y: all(),
        kinds: (79..).zip(all()).collect(),
        flags: BTreeMap::from([(true, None), (false, Some(0.5))]),
        nested: (Kind::Newtype(script), [Kind::Tuple(0, "0644"), Kind::Struct { no: None, script: "~" }]),
        newtype: Wrapped(serde_saphyr::FoldString("a\nb\n".to_owned())),
    };
    let expected = serde_json::to_value(&value).unwrap();
    let mut reader = Reader::start();
    assert_eq!(reader.fault(&emit::to_yaml(&value).unwrap(), &expected), None);
    assert_eq!(reader.fault(&emit::to_json(&value).unwrap(), &expected), None);
}

/// Text made of pieces that have a meaning in YAML.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "\n",
        "\n\n",
        "\t",
        " ",
        "  ",
        "-",
        "- ",
        "#",
        " #",
        ":",
        ": ",
        "'",
        "\"",
        "\\",
        "a",
        "b c",
        "no",
        "0",
        "1",
        "e",
        "_",
        ".",
        "\r",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "é",
        "😀",
        "|",
        ">",
        "%",
        "@",
        "`",
        "&",
        "*",
        "!",
        "?",
        "? ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "---",
        "...",
        "=",
        "<<",
        "~",
        "\u{feff}",
        "\0",
        "\u{7f}",
        "\u{9f}",
        "\u{fffe}",
        "\u{a0}",
        "+",
        "x",
        "0x",
        ":30",
        "2021-04-16",
    ]);
    prop_oneof![
        4 => prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()),
        2 => any::<String>(),
        2 => "[-+0-9._eExXbo:TZ ]{1,10}",
        1 => ("[a-z: #]{0,3}", 1015..1030_usize).prop_map(|(head, length)| head + &"k".repeat(length)),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => prop::num::f64::NORMAL.prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5).prop_map(|items| Value::Object(items.into_iter().collect())),
        ]
    })
}

fn assert_any_reads_back(strategy: impl Strategy<Value = Value>) {
    let reader = std::cell::RefCell::new(Reader::start());
    let config = Config { cases: 2_000, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&strategy, |value| match fault(&mut reader.borrow_mut(), &value) {
            Some(fault) => Err(TestCaseError::fail(fault)),
            None => Ok(()),
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn random_text() {
    assert_any_reads_back(text().prop_map(|text| json!({ "value": text, text: ["key"] })));
}

#[test]
fn random_trees() {
    assert_any_reads_back(tree());
}
