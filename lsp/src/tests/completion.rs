use serde_json::{Value, json};

use super::SHOP;
use crate::testing::{no_files, open, request};

/// The completions at the cursor.
#[track_caller]
fn items(marked: &str) -> Vec<Value> {
    let files = no_files();
    let mut asked = open(marked, &files);
    let found = asked.ask("textDocument/completion", json!({})).expect("a list");
    found.as_array().expect("a list").clone()
}

#[track_caller]
fn labels(marked: &str) -> Vec<String> {
    items(marked).iter().map(|item| item["label"].as_str().expect("text").to_owned()).collect()
}

/// Likewise within the shop, where `new` replaces `old`.
#[track_caller]
fn in_shop(old: &str, new: &str) -> Vec<String> {
    assert!(SHOP.contains(old), "{old}");
    labels(&SHOP.replacen(old, new, 1))
}

/// The text after the item `label` was chosen.
#[track_caller]
fn chosen(marked: &str, label: &str) -> String {
    let items = items(marked);
    let item = items.iter().find(|item| item["label"] == label).unwrap_or_else(|| panic!("{label}: {items:?}"));
    let files = no_files();
    let asked = open(marked, &files);
    let edit = &item["textEdit"];
    asked.edited(&json!({"changes": {(crate::testing::URI): [edit]}}))
}

const SERVER: &str = "heat_template_version: 2021-04-16\nresources:\n  a:\n    type: OS::Nova::Server\n";

#[test]
fn sections_and_keys() {
    assert!(labels("heat_template_version: 2021-04-16\n¦").contains(&"resources".to_owned()));
    assert!(!labels("heat_template_version: 2021-04-16\n¦").contains(&"heat_template_version".to_owned()));
    assert!(labels(&format!("{SERVER}    ¦")).contains(&"depends_on".to_owned()));
    assert_eq!(labels("¦"), ["heat_template_version"], "a document that is no template yet");
    assert_eq!(labels("services:\n  ¦"), [] as [&str; 0], "another kind of document");
    assert!(labels("heat_template_version: ¦").contains(&"2018-08-31".to_owned()));
}

#[test]
fn types() {
    let found = labels("heat_template_version: 2021-04-16\nresources:\n  a:\n    type: OS::No¦\n");
    assert!(found.contains(&"OS::Nova::Server".to_owned()));
    let text = "heat_template_version: 2021-04-16\nresources:\n  a:\n    type: OS::No¦va\n    condition: x\n";
    assert_eq!(chosen(text, "OS::Neutron::Net"), text.replace("OS::No¦va", "OS::Neutron::Net"));
}

#[test]
fn the_documentation_of_a_type_is_looked_up_later() {
    let text = "heat_template_version: 2021-04-16\nresources: {a: {type: ¦}}\n";
    let item = items(text).into_iter().find(|item| item["label"] == "OS::Nova::Server").expect("the type");
    assert_eq!(item["documentation"], Value::Null);
    let files = no_files();
    let mut asked = open(text, &files);
    let resolved = request(&mut asked.server, "completionItem/resolve", item).expect("the item");
    let said = resolved["documentation"]["value"].as_str().expect("text");
    assert!(said.contains("Requires `flavor`"), "{said}");
}

#[test]
fn properties_of_the_type_at_hand() {
    let text = format!("{SERVER}    properties:\n      flavor: x\n      ima¦\n      key_name: y\n  b:\n    type: X\n");
    let found = labels(&text);
    assert!(found.contains(&"image".to_owned()) && !found.contains(&"flavor".to_owned()), "{found:?}");
    assert_eq!(chosen(&text, "image"), text.replace("ima¦", "image: "));
    assert_eq!(chosen(&text, "networks"), text.replace("ima¦", "networks:"));
    // The keys of a map in a list.
    let found = labels(&format!("{SERVER}    properties:\n      networks:\n      - ¦"));
    assert!(found.contains(&"fixed_ip".to_owned()), "{found:?}");
    let found = labels(&format!("{SERVER}    properties: {{networks: [{{ne¦}}]}}"));
    assert!(found.contains(&"network".to_owned()), "{found:?}");
    // Allowed values.
    let found = labels(&format!("{SERVER}    properties:\n      user_data_format: ¦"));
    assert!(found.contains(&"SOFTWARE_CONFIG".to_owned()) && found.contains(&"get_param".to_owned()), "{found:?}");
    assert!(labels(&format!("{SERVER}    properties:\n      config_drive: ¦")).contains(&"true".to_owned()));
}

#[test]
fn properties_of_what_a_group_is_made_of() {
    let text = "heat_template_version: 2021-04-16\nresources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      \
                resource_def:\n        type: OS::Neutron::Net\n        properties:\n          ¦\n";
    assert!(labels(text).contains(&"admin_state_up".to_owned()));
}

#[test]
fn properties_of_a_nested_template() {
    let nested = "heat_template_version: 2021-04-16\nparameters:\n  size: {type: number}\noutputs:\n  id: {value: 1}\n";
    let files = std::collections::BTreeMap::from([("/site/nested.yaml".to_owned(), nested.as_bytes().to_vec())]);
    let text = "heat_template_version: 2021-04-16\nresources:\n  n:\n    type: nested.yaml\n    properties:\n      ¦";
    let mut asked = open(text, &files);
    let found = asked.ask("textDocument/completion", json!({})).expect("a list");
    assert!(found.as_array().expect("a list").iter().any(|item| item["label"] == "size"), "{found}");
}

#[test]
fn functions() {
    let text = format!("{SERVER}    properties:\n      image: ¦\n");
    assert_eq!(chosen(&text, "get_param"), text.replace('¦', "{get_param: }"));
    let text = format!("{SERVER}    properties:\n      image:\n        get¦\n");
    assert_eq!(chosen(&text, "get_param"), text.replace("get¦", "get_param: "));
    let old = text.replace("2021-04-16", "2013-05-23");
    assert!(!labels(&old).contains(&"repeat".to_owned()) && labels(&text).contains(&"repeat".to_owned()));
    let found = labels("heat_template_version: 2021-04-16\nconditions:\n  c: ¦");
    assert!(found.contains(&"equals".to_owned()) && !found.contains(&"get_attr".to_owned()), "{found:?}");
}

#[test]
fn names() {
    assert_eq!(in_shop("{get_param: image}", "{get_param: ¦")[..2], ["image", "size"]);
    assert_eq!(in_shop("{get_resource: net}", "{get_resource: n¦}"), ["net", "db", "web"]);
    assert_eq!(in_shop("depends_on: [net]", "depends_on: [¦"), ["net", "web"]);
    assert_eq!(in_shop("depends_on: [net]", "depends_on:\n      - ¦"), ["net", "web"]);
    assert_eq!(in_shop("condition: large", "condition: ¦")[..2], ["run_time", "large"]);
    assert_eq!(in_shop("[web, name]", "[¦"), ["net", "db", "web"]);
    let found = in_shop("[web, name]", "[web, ¦");
    assert!(found.contains(&"addresses".to_owned()) && found.contains(&"site".to_owned()), "{found:?}");
    assert_eq!(in_shop("[db, database, url]", "[db, database, ¦]"), ["url"]);
    assert_eq!(in_shop("[db, database, url]", "[db, database, ¦"), ["url"], "where the line is not finished");
}

#[test]
fn components() {
    assert!(in_shop("            doc: Keeps the goods.", "            ¦").contains(&"deadline".to_owned()));
    assert!(in_shop("{database: url}", "{database: ¦}").contains(&"ipv4".to_owned()));
    assert!(in_shop("[db/database]", "[¦]").contains(&"db/database".to_owned()));
    assert_eq!(in_shop("              database: {if", "              ¦: {if"), ["database"]);
}

#[test]
fn nothing_is_completed_where_nothing_can_be() {
    assert!(in_shop("Keeps the goods.", "Keeps ¦ goods").is_empty());
    assert!(in_shop("conditions:", "# ¦\nconditions:").is_empty());
}
