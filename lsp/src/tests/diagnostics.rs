use serde_json::{Value, json};
use wattle_heat::Loaded;

use super::SHOP;
use crate::testing::{Asked, URI, no_files, notify, open, published};

/// The code of each diagnostic, and the text that it is about.
fn reported(asked: &mut Asked<'_>) -> Vec<String> {
    let found = published(&mut asked.server).remove(URI).expect("they are sent");
    let one = |one: &Value| format!("{} {}", one["code"].as_str().expect("a code"), asked.at(&one["range"]));
    found.iter().map(one).collect()
}

#[track_caller]
fn of(text: &str) -> Vec<String> {
    let files = no_files();
    reported(&mut open(text, &files))
}

#[test]
fn a_sound_template_has_none() {
    assert_eq!(of(SHOP), [] as [&str; 0]);
    assert_eq!(
        of("services: {web: {image: nginx}}\n"),
        [] as [&str; 0],
        "about other documents there is nothing to say"
    );
}

#[test]
fn they_are_those_of_check_and_stand_at_the_word() {
    let text = "heat_template_version: 2021-04-16\nresources:\n  ä😀: {type: OS::Nova::Servr, x: 1}\n  b:\n    type: \
                OS::Heat::Value\n    properties:\n      valu: {list_join: [😀, [{get_param: siz}]]}\n";
    let found = of(text);
    assert!(found.contains(&"W1201 OS::Nova::Servr".to_owned()), "{found:?}");
    assert!(found.contains(&"W1202 valu".to_owned()), "{found:?}");
    assert!(found.contains(&"W1114 siz".to_owned()), "{found:?}");
    let files = no_files();
    let mut asked = open(text, &files);
    let sent = published(&mut asked.server).remove(URI).expect("they are sent");
    let loaded = Loaded::of(text, "template.yaml");
    let checked = wattle_hot::check(&loaded);
    assert_eq!(sent.len(), checked.len());
    for (sent, checked) in sent.iter().zip(&checked) {
        assert_eq!(sent["code"], checked.code);
        let message = sent["message"].as_str().expect("text");
        assert!(message.starts_with(&checked.message), "{message}");
        assert!(checked.help.iter().all(|help| message.contains(&format!("help: {help}"))), "{message}");
        assert_eq!(sent["source"], "wattle");
    }
}

#[test]
fn software_is_checked_as_well() {
    let text = SHOP.replacen("[db, database, url]", "[db, database, address]", 1);
    let found = of(&text);
    assert!(found.iter().any(|one| one.starts_with("W0107 {if: [run_time")), "{found:?}");
}

#[test]
fn values_that_are_given_later_are_not_missing() {
    let text = "heat_template_version: 2021-04-16\nparameters:\n  size: {type: number}\nresources: {}\n";
    assert_eq!(of(text), [] as [&str; 0]);
}

#[test]
fn what_is_no_yaml_is_one_of_them() {
    assert_eq!(of("heat_template_version: 2021-04-16\nresources:\n  a: {type: !Ref X}\n"), ["W1001 !Ref X"]);
    let found = of("heat_template_version: 2021-04-16\nresources: {a\n");
    assert!(found.len() == 1 && found[0].starts_with("W1001"), "{found:?}");
}

#[test]
fn they_follow_what_is_typed() {
    let files = no_files();
    let mut asked = open(SHOP, &files);
    assert_eq!(reported(&mut asked), [] as [&str; 0]);
    let line = SHOP.lines().position(|line| line.contains("{get_param: image}")).expect("a line");
    let column = "      image: {get_param: ".len();
    let range = json!({"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 5}});
    let params =
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": range, "text": "disk"}]});
    notify(&mut asked.server, "textDocument/didChange", params);
    let found = published(&mut asked.server).remove(URI).expect("they are sent");
    let unknown = found.iter().find(|one| one["code"] == "W1114").expect("the parameter is unknown");
    assert_eq!(unknown["range"]["end"]["character"], column + 4);
    assert!(published(&mut asked.server).is_empty(), "nothing has changed since");
    notify(&mut asked.server, "textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(published(&mut asked.server)[URI], [] as [Value; 0], "what is closed has none");
}

const NESTED: &str = "heat_template_version: 2021-04-16\nparameters:\n  size: {type: number, default: 1}\n";

#[test]
fn files_come_from_the_folder_and_from_the_editor() {
    let main = "heat_template_version: 2021-04-16\nresources:\n  a: {type: nested.yaml, properties: {size: 2}}\n";
    let files = std::collections::BTreeMap::from([("/site/nested.yaml".to_owned(), NESTED.as_bytes().to_vec())]);
    let mut asked = open(main, &files);
    assert_eq!(reported(&mut asked), [] as [&str; 0]);
    // Unsaved text of the nested template takes precedence.
    let uri = "file:///site/nested.yaml";
    let item = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": NESTED.replace("size", "length")});
    notify(&mut asked.server, "textDocument/didOpen", json!({"textDocument": item}));
    assert_eq!(reported(&mut asked), ["W1202 size"]);
    notify(&mut asked.server, "textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(reported(&mut asked), [] as [&str; 0]);
    // A file that does not exist.
    let none = no_files();
    let found = reported(&mut open(main, &none));
    assert_eq!(found, ["W1009 nested.yaml"]);
}

#[test]
fn what_is_wrong_in_another_file_stands_where_that_is_named() {
    let main = "heat_template_version: 2021-04-16\nresources:\n  a: {type: nested.yaml}\n";
    let nested = format!("{NESTED}resources:\n  b: {{type: OS::Nope}}\n");
    let files = std::collections::BTreeMap::from([("/site/nested.yaml".to_owned(), nested.into_bytes())]);
    let mut asked = open(main, &files);
    let found = published(&mut asked.server).remove(URI).expect("they are sent");
    assert_eq!((found.len(), asked.at(&found[0]["range"])), (1, "nested.yaml"), "{found:?}");
    let elsewhere = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(elsewhere["uri"], "file:///site/nested.yaml");
    assert_eq!(elsewhere["range"]["start"], json!({"line": 4, "character": 12}));
}

#[test]
fn every_beginning_of_a_template_has_an_answer() {
    // Every stage of typing, from the first to the last character.
    for (end, _) in SHOP.char_indices().step_by(7) {
        let files = no_files();
        let mut asked = open(&format!("{}¦", &SHOP[..end]), &files);
        published(&mut asked.server);
        for method in ["textDocument/completion", "textDocument/hover", "textDocument/definition"] {
            asked.ask(method, json!({})).expect("an answer");
        }
    }
}
