use serde_json::json;

use super::SHOP;
use crate::testing::{no_files, open};

/// The hover text at the cursor, and its word.
#[track_caller]
fn said(marked: &str) -> Option<(String, String)> {
    let files = no_files();
    let mut asked = open(marked, &files);
    let hover = asked.ask("textDocument/hover", json!({})).expect("an answer");
    let text = hover["contents"]["value"].as_str()?.to_owned();
    Some((text, asked.at(&hover["range"]).to_owned()))
}

#[track_caller]
fn says(old: &str, new: &str, word: &str, part: &str) {
    let marked = SHOP.replacen(old, new, 1);
    assert_ne!(marked, SHOP, "{old}");
    let (text, of) = said(&marked).unwrap_or_else(|| panic!("{new}: nothing"));
    assert_eq!(of, word, "{text}");
    assert!(text.contains(part), "{text}");
}

#[test]
fn what_the_catalog_says() {
    says("OS::Neutron::Net", "OS::Neu¦tron::Net", "OS::Neutron::Net", "**OS::Neutron::Net**");
    says("      flavor: m1", "      fla¦vor: m1", "flavor", "string, required");
    says("networks: [{network:", "networks: [{net¦work:", "network", "ID of network");
    says("      flavor: m1", "      fla¦vor: m1", "flavor", "A change resizes the server");
    says("      image:", "      ima¦ge:", "image", "its disk is lost");
    says("{get_param: image}", "{get_¦param: image}", "get_param", "A parameter's value");
    says("[web, name]", "[web, na¦me]", "name", "Name of the server");
    says("[web, name]", "[web, 'na¦me']", "name", "Name of the server");
}

#[test]
fn what_the_template_says() {
    says("{get_param: image}", "{get_param: ima¦ge}", "image", "What servers boot.");
    says("{get_resource: net}", "{get_resource: ¦net}", "net", "`OS::Neutron::Net`");
    says("condition: large", "condition: lar¦ge", "large", "a condition");
    says("[db, database, url]", "[db, data¦base, url]", "database", "Keeps the goods.");
    says("[db, database, url]", "[db, database, url¦]", "url", "**url**: an absolute URL");
    says("{get_param: image}", "{get_param: OS::stack¦_name}", "OS::stack_name", "every stack");
}

#[test]
fn also_while_something_is_unfinished() {
    let broken = SHOP.replacen("  page:", "  pag\n  page:", 1).replacen("[web, name]", "[web, na¦me", 1);
    let (text, word) = said(&broken).expect("something");
    assert!(word == "name" && text.contains("Name of the server"), "{word}: {text}");
}

#[test]
fn nothing_is_said_of_what_is_the_author_s() {
    assert_eq!(said(&SHOP.replacen("m1.small", "m1.sm¦all", 1)).map(|(_, word)| word).as_deref(), Some("m1.small"));
    assert_eq!(said(&SHOP.replacen("conditions:", "condi¦tions:", 1)), None);
    assert_eq!(said("services:\n  a¦: 1\n"), None);
}
