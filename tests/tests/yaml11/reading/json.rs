//! JSON: odd texts, random pieces, random values with an error in them.

use proptest::prelude::*;
use serde_json::Value;

use super::{assert_agree, random};
use crate::corpus;

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
