//! Messages of the protocol, one by one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wattle_heat::Loaded;
use wattle_tests::command::{apart, wattle};

use super::SHOP;
use super::client::Client;

const URI: &str = "file:///nowhere/template.yaml";

#[test]
fn a_session_from_the_beginning_to_the_end() {
    let mut client = Client::begin();
    let text = "heat_template_version: 2021-04-16\nresources:\n  😀: {type: OS::Neutron::Net, properties: {nam: x}}\n";
    client.open(URI, text);
    let found = client.diagnosed(URI);
    assert_eq!(found[0]["code"], "W1202");
    // The protocol counts `😀` as two characters.
    let at = json!({"start": {"line": 2, "character": 44}, "end": {"line": 2, "character": 47}});
    assert_eq!(found[0]["range"], at, "{found}");
    // Completion also works in an unfinished line.
    let change = json!({"range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 0}},
        "text": "outputs:\n  o: {value: {get_attr: [😀, "});
    let versioned = json!({"uri": URI, "version": 2});
    client.tell("textDocument/didChange", json!({"textDocument": versioned, "contentChanges": [change]}));
    let position = json!({"textDocument": {"uri": URI}, "position": {"line": 4, "character": 29}});
    let items = client.ask("textDocument/completion", position.clone()).unwrap();
    let labels: Vec<&str> = items.as_array().unwrap().iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"mtu") && labels.contains(&"subnets"), "{labels:?}");
    assert_eq!(client.diagnosed(URI)[0]["code"], "W1001");
    let other = json!({"textDocument": {"uri": "file:///other.yaml"}, "position": {"line": 0, "character": 0}});
    let error = client.ask("textDocument/hover", other).unwrap_err();
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32602), &json!("the document `file:///other.yaml` is not open"))
    );
    assert_eq!(client.ask("wattle/unknown", json!({})).unwrap_err()["code"], -32601);
    client.ask("shutdown", Value::Null).unwrap();
    assert_eq!(client.ask("textDocument/completion", position).unwrap_err()["code"], -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.end().code(), Some(0));
}

#[test]
fn what_is_cancelled_is_answered_all_the_same() {
    let mut client = Client::begin();
    client.open(URI, "heat_template_version: 2021-04-16\n");
    let position = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    let ids: Vec<i32> = (0..20).map(|_| client.begin_ask("textDocument/completion", position.clone())).collect();
    ids.iter().for_each(|id| client.tell("$/cancelRequest", json!({"id": id})));
    for id in ids {
        if let Err(error) = client.answer(id) {
            assert_eq!(error["code"], -32800);
        }
    }
    client.ask("shutdown", Value::Null).unwrap();
    client.tell("exit", Value::Null);
    assert_eq!(client.end().code(), Some(0));
}

#[test]
fn an_end_that_is_not_in_order_is_a_failure() {
    let mut client = Client::begin();
    client.tell("exit", Value::Null);
    assert_eq!(client.end().code(), Some(1), "without `shutdown`");
    assert_eq!(Client::begin().end().code(), Some(1), "the editor has crashed");
    let mut client = Client::start();
    client.send(b"Content-Length: 5\r\n\r\nhello");
    assert_eq!(client.end().code(), Some(1), "no message of the protocol");
}

/// A diagnostic: its code, its line and column from 0 if it is about the template itself, and its message.
type Said = (String, Option<(u64, u64)>, String);

/// The output of `wattle check` for a template.
fn checked(template: &Path) -> Vec<Said> {
    let place = template.parent().unwrap();
    let mut command = Command::new(wattle());
    let output = apart(command.args(["check", "shop.yaml", "--format", "json"]).current_dir(place), place).output();
    let one = |line: &str| {
        let found: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let span = &found["spans"][0];
        let number = |key: &str| span[key].as_u64().unwrap() - 1;
        let at = (span["file"] == "shop.yaml").then(|| (number("line"), number("column")));
        (text(&found["code"]), at, text(&found["message"]))
    };
    String::from_utf8(output.unwrap().stdout).unwrap().lines().map(one).collect()
}

/// The diagnostics in the editor.
fn shown(uri: &str, text: &str) -> Vec<Said> {
    let mut client = Client::begin();
    client.open(uri, text);
    let found = client.diagnosed(uri);
    let one = |one: &Value| {
        let start = &one["range"]["start"];
        let at = (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap());
        let message = one["message"].as_str().unwrap().lines().next().unwrap();
        (one["code"].as_str().unwrap().to_owned(), Some(at), message.to_owned())
    };
    found.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn the_editor_shows_what_check_says() {
    let shop = fs::read_to_string(SHOP).unwrap();
    let recipes = Path::new(SHOP).with_file_name("recipes");
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("recipes")).unwrap();
    for recipe in fs::read_dir(recipes).unwrap() {
        let recipe = recipe.unwrap();
        fs::copy(recipe.path(), place.path().join("recipes").join(recipe.file_name())).unwrap();
    }
    let template = place.path().join("shop.yaml");
    let uri = format!("file://{}", template.display());
    for (old, new) in [
        ("", ""),
        ("m1.small", "{get_param: flavour}"),
        ("[db, database, url]", "[db, database, address]"),
        ("recipes/site.sh", "recipes/sight.sh"),
        ("OS::Neutron::Subnet", "OS::Neutron::Subnett"),
        ("cidr: 10.0.0.0/24", "cidr: 10.0.0/24"),
        ("outputs: {count: integer}", "outputs: {count: number}"),
    ] {
        let text = shop.replacen(old, new, 1);
        fs::write(&template, &text).unwrap();
        let (said, shown) = (checked(&template), shown(&uri, &text));
        assert_eq!(said.is_empty(), old.is_empty(), "{new}: {said:?}");
        assert_eq!(said.len(), shown.len(), "{new}: {said:?} {shown:?}");
        for (said, shown) in said.iter().zip(&shown) {
            assert_eq!(said.0, shown.0, "{new}");
            assert!(said.1.is_none() || said.1 == shown.1, "{new}: {said:?} {shown:?}");
            assert!(shown.2.starts_with(&said.2), "{new}: {said:?} {shown:?}");
        }
    }
}

/// The templates of the corpus of small forms, by their names.
fn forms() -> BTreeMap<String, String> {
    let corpus = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/forms.txt")).unwrap();
    let forms = corpus.split("=== ").skip(1).filter_map(|form| form.split_once('\n'));
    forms.map(|(name, text)| (name.trim().to_owned(), text.to_owned())).collect()
}

/// All templates that Heat has judged, whole and truncated: the same codes as `check`, and a response everywhere.
#[test]
fn whatever_is_typed_has_an_answer() {
    let mut client = Client::begin();
    for (number, (name, text)) in forms().into_iter().enumerate() {
        let uri = format!("file:///nowhere/{number}.yaml");
        client.open(&uri, &text);
        let shown = client.diagnosed(&uri);
        if text.lines().any(|line| line.starts_with("heat_template_version")) {
            let mut shown: Vec<_> = shown.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
            let loaded = Loaded::of(&text, "template.yaml");
            let said = wattle_hot::check(&loaded);
            let mut said: Vec<_> = said.iter().map(|one| one.code).filter(|code| *code != "W1104").collect();
            if !wattle_hot::model::is_extended(&loaded.template) {
                shown.sort_unstable();
                said.sort_unstable();
                assert_eq!(shown, said, "{name}");
            }
        }
        // Truncated versions, each cut at a different place.
        let half: String = text.chars().take(text.chars().count() * (number % 9 + 1) / 10).collect();
        let column = half.rsplit('\n').next().unwrap().encode_utf16().count();
        let position = json!({"line": half.matches('\n').count(), "character": column});
        let change = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": half}]});
        client.tell("textDocument/didChange", change);
        for method in ["completion", "hover", "definition", "documentSymbol"] {
            let at = json!({"textDocument": {"uri": uri}, "position": position});
            client.ask(&format!("textDocument/{method}"), at).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        client.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        client.diagnostics.remove(&uri);
    }
    client.ask("shutdown", Value::Null).unwrap();
    client.tell("exit", Value::Null);
    assert_eq!(client.end().code(), Some(0));
}
