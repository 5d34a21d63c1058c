//! The form of the output, and refused values. The tests crate checks with Heat that Heat reads the output back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io;

use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};

use wattle_heat::emit::{EmitError, Style, json, styled, to_json, to_yaml, yaml};

fn template() -> Value {
    json!({
        "heat_template_version": "2021-04-16",
        "parameters": { "image": { "type": "string", "default": "no" } },
        "resources": {
            "web": {
                "type": "OS::Nova::Server",
                "properties": {
                    "networks": [{ "port": { "get_resource": "port" } }],
                    "user_data_format": "RAW",
                    "user_data": "#!/bin/sh\nset -eu\n\n  cat <<EOF\n\ta: b\nEOF\n",
                    "tags": [],
                    "count": 3,
                },
            },
            "empty": {},
        },
    })
}

#[test]
fn yaml_is_pleasant_to_read() {
    let expected = "\
heat_template_version: \"2021-04-16\"
parameters:
  image:
    type: string
    default: \"no\"
resources:
  web:
    type: OS::Nova::Server
    properties:
      networks:
      - port:
          get_resource: port
      user_data_format: RAW
      user_data: |
        #!/bin/sh
        set -eu

          cat <<EOF
        \ta: b
        EOF
      tags: []
      count: 3
  empty: {}
";
    assert_eq!(to_yaml(&template()).unwrap(), expected);
}

#[test]
fn json_has_a_line_for_each_part_of_a_section() {
    let expected = r##"{
  "heat_template_version": "2021-04-16",
  "parameters": {
    "image": {"type": "string", "default": "no"}
  },
  "resources": {
    "web": {"type": "OS::Nova::Server", "properties": {"networks": [{"port": {"get_resource": "port"}}], "user_data_format": "RAW", "user_data": "#!/bin/sh\nset -eu\n\n  cat <<EOF\n\ta: b\nEOF\n", "tags": [], "count": 3}},
    "empty": {}
  }
}
"##;
    assert_eq!(to_json(&template()).unwrap(), expected);
    assert_eq!(
        to_json(&json!({ "a": [1, [], 2], "b": {} })).unwrap(),
        "{\n  \"a\": [\n    1,\n    [],\n    2\n  ],\n  \"b\": {}\n}\n"
    );
    assert_eq!(to_json(&json!([])).unwrap(), "[]\n");
}

#[test]
fn written_and_returned_are_the_same() {
    let large = Value::from(vec![template(); 500]);
    let mut out = Vec::new();
    yaml(&large, &mut out).unwrap();
    assert_eq!(out, to_yaml(&large).unwrap().into_bytes());
    out.clear();
    json(&large, &mut out).unwrap();
    assert_eq!(out, to_json(&large).unwrap().into_bytes());
}

#[test]
fn what_yaml_cannot_hold_in_a_block_is_quoted() {
    for (text, written) in [
        ("\ta\nb\n", r#""\ta\nb\n""#),
        ("\n\n\ta\n", r#""\n\n\ta\n""#),
        ("a\r\nb\r\n", r#""a\r\nb\r\n""#),
        ("\n", r#""\n""#),
    ] {
        assert_eq!(to_yaml(&json!({ "k": text })).unwrap(), format!("k: {written}\n"));
    }
}

#[test]
fn blanks_of_the_text_stay_in_a_block_and_others_go() {
    let written = to_yaml(&json!({ "k": ["a\n\n  \n\nb\n", " \n\na"] })).unwrap();
    assert_eq!(written, "k:\n- |\n  a\n\n    \n\n  b\n- |2-\n   \n\n  a\n");
}

#[test]
fn blanks_go_wherever_the_buffer_was_let_go() {
    let written = to_yaml(&format!("a{}b\n", "\n".repeat(300_000))).unwrap();
    assert!(written.lines().all(|line| !line.ends_with(' ')));
}

#[test]
fn long_text_is_never_folded() {
    let text = "word ".repeat(500) + "end";
    assert_eq!(to_yaml(&json!({ "k": text })).unwrap(), format!("k: {text}\n"));
}

#[test]
fn a_long_key_has_a_question_mark() {
    // Quotes count.
    for (letters, begin, end) in [(1019, "", ":\n    l"), (1020, "? ", "\n  : l")] {
        let key = format!("a: {}", "z".repeat(letters));
        let written = to_yaml(&json!({ "k": { &key: { "l": [] } } })).unwrap();
        assert_eq!(written, format!("k:\n  {begin}\"{key}\"{end}: []\n"));
    }
}

#[test]
fn keys_are_text_in_both_formats() {
    let ports = BTreeMap::from([(80, "http")]);
    assert_eq!(to_yaml(&ports).unwrap(), "\"80\": http\n");
    assert_eq!(to_json(&ports).unwrap(), "{\n  \"80\": \"http\"\n}\n");
    let flags = BTreeMap::from([(true, "no")]);
    assert_eq!(to_yaml(&flags).unwrap(), "\"true\": \"no\"\n");
    assert_eq!(to_yaml(&BTreeMap::from([("a\nb", 1)])).unwrap(), "\"a\\nb\": 1\n");
}

struct Bytes;

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(b"raw")
    }
}

fn refused(value: &impl Serialize) -> String {
    let messages = [to_yaml(value), to_json(value)].map(|done| done.unwrap_err().to_string());
    assert_eq!(messages[0], messages[1]);
    messages[0].clone()
}

#[test]
fn what_only_one_format_could_hold_is_refused_in_both() {
    let number = "a template cannot contain an infinite number or a value that is not a number";
    assert_eq!(refused(&[f64::NAN]), number);
    assert_eq!(refused(&[f32::NEG_INFINITY]), number);
    assert_eq!(refused(&[Bytes]), "a template cannot contain raw bytes");
    assert_eq!(refused(&BTreeMap::from([(Some(1), 2), (None, 3)])), "a key must be text, not nothing");
    assert_eq!(refused(&BTreeMap::from([([1], 2)])), "a key must be text, not a list");
    assert_eq!(refused(&BTreeMap::from([(BTreeMap::from([(1, 2)]), 3)])), "a key must be text, not a map");
}

/// A disk that is full after `0` bytes.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported() {
    for room in [0, 100_000] {
        let large = Value::from(vec![template(); 1_000]);
        for done in [yaml(&large, &mut Full(room)), json(&large, &mut Full(room))] {
            assert!(matches!(done, Err(EmitError::Write(error)) if error.kind() == io::ErrorKind::StorageFull));
        }
    }
}

struct Libyaml;

impl Style for Libyaml {
    fn text(text: &str, is_key: bool) -> Result<String, EmitError> {
        // Only a map shows the form of a long key, and the indentation of lines.
        let (key, value) = if is_key { (text, "v") } else { ("k", text) };
        let pair = yaml_of(&BTreeMap::from([(key, value)]));
        let form = match pair.strip_suffix(": v") {
            Some(key) if is_key => key.strip_suffix('\n').unwrap_or(key),
            _ => pair.strip_prefix("k: ").unwrap_or(&pair),
        };
        Ok(form.to_owned())
    }

    fn float(value: impl Serialize + Into<f64> + Copy) -> Result<String, EmitError> {
        Ok(yaml_of(&value))
    }
}

/// A value in a separate file, without the end of its last line.
fn yaml_of(value: &impl Serialize) -> String {
    let text = serde_yaml::to_string(value).unwrap();
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// A value for `serde-saphyr`, with the styles that it does not choose by itself.
struct Saphyr<'v>(&'v Value);

impl Serialize for Saphyr<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) if !text.contains('\n') => text.serialize(serializer),
            Value::String(text) if matches!(text.trim_start_matches('\n').chars().next(), None | Some('\t')) => {
                serde_saphyr::DoubleQuoted(text).serialize(serializer)
            }
            Value::String(text) => serde_saphyr::LitStr(text).serialize(serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Saphyr)),
            Value::Object(items) => serializer.collect_map(items.iter().map(|(key, item)| (key, Saphyr(item)))),
            other => other.serialize(serializer),
        }
    }
}

/// An infinite sequence of numbers, the same on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn text(&mut self) -> String {
        const PIECES: &str = "a§b1§infinity§no§null§y§inf§NaN§True§e§0§17§1.5§-§--§.§..§_§/§:§: § §  §#§ #§\n§\n\n§\t§\r§'§\"§\\§[§]§\
            {§}§,§&§*§!§|§>§%§@§`§=§?§\u{e9}\u{2028}\u{7}§0x§0o§0b1§E+§1:30§2001-1-01§T1:02:3§~§<<§\u{85}\u{feff}\u{a0}\u{ffff}";
        let pieces: Vec<&str> = PIECES.split('§').collect();
        let long = if self.below(40) == 0 { "long/".repeat(self.below(190)) } else { String::new() };
        (0..self.below(5)).map(|_| pieces[self.below(pieces.len())]).collect::<String>() + &long
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 3 { 6 } else { 9 }) {
            0 => json!(self.below(1000)),
            1 => json!([null, true, false, 0.5, -1, 1e20, 1e-7])[self.below(7)].clone(),
            2..=5 => self.text().into(),
            6 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => (0..self.below(4)).map(|_| (self.text(), self.value(depth + 1))).collect(),
        }
    }
}

#[test]
fn what_is_written_is_what_the_libraries_write() {
    let mut chance = Chance(1);
    for _ in 0..10_000 {
        let value = json!({ "value": chance.value(0) });
        let mut written = Vec::new();
        styled::<Libyaml>(&value, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_yaml::to_string(&value).unwrap(), "{value}");
        // The library leaves blanks in empty lines.
        let ends = |text: &str| text.lines().map(|line| line.trim_end_matches(' ').to_owned()).collect::<Vec<_>>();
        let library = serde_saphyr::to_string_with_options(
            &Saphyr(&value),
            serde_saphyr::ser_options! { compact_list_indent: true, prefer_block_scalars: false, yaml_12: false },
        )
        .unwrap();
        assert_eq!(ends(&to_yaml(&value).unwrap()), ends(&library), "{value}");
    }
}
