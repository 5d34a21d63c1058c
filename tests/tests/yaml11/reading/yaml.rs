//! YAML: odd texts, merges and aliases, random pieces, random documents.

use proptest::prelude::*;

use super::{assert_agree, random};
use crate::corpus;

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
            "!!omap [a: b, c: {d: [e]}, 1: 2, a: b]",
            "!!omap []",
            "x: !!omap\n- a: b\n- ? c\n",
            "!!omap [a: &a {b: c}, d: *a]",
            "- &a {b: c}\n- !!omap [*a]",
            "!!omap [!foo {a: b}, !!set {c}]",
            "!!omap [a: !foo b]",
            "!!omap [{<<: {a: b}}]",
            "!!omap [{=: b}]",
            "!!omap [{a: b, c: d}]",
            "!!omap [{}]",
            "!!omap [a, b]",
            "!!omap {a: b}",
            "!!omap a",
            "x: {<<: !!omap [a: b]}",
            "!!pairs [a: b]",
            "!!pairs [a: b, a: c]",
            "!!pairs {a: b}",
            "!!pairs [a]",
            "!!set [a]",
            "!!set a",
            "!!binary aGk=",
            "!!binary [a]",
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

/// Concatenated pieces of YAML: most are refused, each in its own way.
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

/// Structured documents: most are accepted.
#[test]
fn random_documents_mean_what_they_mean_to_heat() {
    let read = assert_agree(random(&document(), 10_000));
    assert!(read > 6_000, "{read}");
}

/// Text in block style, to be indented by its container.
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
