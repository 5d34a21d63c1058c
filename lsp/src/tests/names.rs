use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::SHOP;
use crate::testing::{no_files, open};

/// The ranges in the result of a request, each with the preceding text on its line.
#[track_caller]
fn lines(marked: &str, method: &str, further: Value) -> Vec<String> {
    let files = no_files();
    let mut asked = open(marked, &files);
    let found = asked.ask(method, further).expect("locations");
    let line = |location: &Value| {
        let line = usize::try_from(location["range"]["start"]["line"].as_u64().expect("a number")).expect("small");
        let text = asked.text.whole.lines().nth(line).expect("a line").trim();
        format!("{} | {text}", asked.at(&location["range"]))
    };
    found.as_array().expect("a list").iter().map(line).collect()
}

#[track_caller]
fn renamed(marked: &str, to: &str) -> Result<String, String> {
    let files = no_files();
    let mut asked = open(marked, &files);
    let prepared = asked.ask("textDocument/prepareRename", json!({})).map_err(|(_, why)| why)?;
    assert_eq!(asked.at(&prepared["range"]), prepared["placeholder"].as_str().expect("text"));
    let result = asked.ask("textDocument/rename", json!({"newName": to})).map_err(|(_, why)| why)?;
    Ok(asked.edited(&result))
}

#[test]
fn definitions() {
    for (old, new, definition) in [
        ("{get_resource: net}", "{get_resource: n¦et}", "net | net:"),
        (
            "{get_param: image}",
            "{get_param: image¦}",
            "image | image: {type: string, default: debian-12, description: What servers boot.}",
        ),
        ("depends_on: [net]", "depends_on: [¦net]", "net | net:"),
        ("[db, database, url]", "[d¦b, database, url]", "db | db:"),
        ("[db, database, url]", "[db, d¦atabase, url]", "database | - name: database"),
        ("[db, database, url]", "[db, database, u¦rl]", "url | outputs: {url: url}"),
        ("[db/database]", "[db/da¦tabase]", "database | - name: database"),
        ("[db/database]", "[d¦b/database]", "db | db:"),
        ("[run_time,", "[run¦_time,", "run_time | run_time: false"),
        ("condition: large", "condition: la¦rge", "large | large: {equals: [{get_param: size}, 3]}"),
        ("[image, size]", "[image, si¦ze]", "size | size:"),
    ] {
        let found = lines(&SHOP.replacen(old, new, 1), "textDocument/definition", json!({}));
        assert_eq!(found, [definition], "{new}");
    }
}

#[test]
fn a_file_is_its_own_definition() {
    let files = no_files();
    let text = "heat_template_version: 2021-04-16\nresources:\n  a: {type: sub/nes¦ted.yaml}\n";
    let found = open(text, &files).ask("textDocument/definition", json!({})).expect("locations");
    assert_eq!(found[0]["uri"], "file:///site/sub/nested.yaml");
}

#[test]
fn a_recipe_is_in_its_file() {
    let files = BTreeMap::from([("/site/recipes/db.sh".to_owned(), b"wattle set url x\n".to_vec())]);
    let text = SHOP.replacen("{script: 'wattle set url x'}", "recipes/d¦b.sh", 1);
    let found = open(&text, &files).ask("textDocument/definition", json!({})).expect("locations");
    assert_eq!(found[0]["uri"], "file:///site/recipes/db.sh");
}

#[test]
fn references() {
    let marked = SHOP.replacen("  net:", "  ¦net:", 1);
    let wanted = |include: bool| json!({"context": {"includeDeclaration": include}});
    let found = lines(&marked, "textDocument/references", wanted(false));
    let networks = "net | networks: [{network: {get_resource: net}}]";
    assert_eq!(found, ["net | depends_on: [net]", networks, networks]);
    assert_eq!(lines(&marked, "textDocument/references", wanted(true)).len(), 4);
    let found = lines(&SHOP.replacen("name: database", "name: ¦database", 1), "textDocument/references", wanted(false));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn renaming_changes_all_places_and_no_others() {
    let all = renamed(&SHOP.replacen("{get_param: image}", "{get_param: i¦mage}", 1), "disk");
    let expected = SHOP
        .replace("  image: {type", "  disk: {type")
        .replace("get_param: image", "get_param: disk")
        .replace("[image, size]", "[disk, size]");
    assert_eq!(all, Ok(expected), "properties `image` stay");
    let all = renamed(&SHOP.replacen("  db:", "  ¦db:", 1), "store");
    let expected = SHOP.replace("  db:", "  store:").replace("[db, ", "[store, ").replace("[db/", "[store/");
    assert_eq!(all, Ok(expected));
    let all = renamed(&SHOP.replacen("name: database", "name: data¦base", 1), "goods");
    let expected = SHOP
        .replace("name: database", "name: goods")
        .replace("[db, database,", "[db, goods,")
        .replace("db/database", "db/goods");
    assert_eq!(all, Ok(expected));
}

#[test]
fn quotes_and_wide_characters_stay() {
    let text = "heat_template_version: 2021-04-16\nresources:\n  \"größe😀\": {type: OS::Heat::None}\noutputs:\n  😀: {value: \
                {list_join: [😀, [{get_resource: 'größe😀¦'}]]}}\n";
    let expected = text.replace('¦', "").replace("größe😀", "size");
    assert_eq!(renamed(text, "size"), Ok(expected));
}

#[test]
fn what_cannot_be_renamed_says_why() {
    let net = SHOP.replacen("{get_resource: net}", "{get_resource: n¦et}", 1);
    for (marked, to, why) in [
        (&net, "db", "a resource `db` already exists"),
        (&net, "a b", "cannot be the name of a resource"),
        (&net, "yes", "no word that YAML reads as something else"),
        (&net, "", "cannot be the name of a resource"),
        (&net.replacen("{get_resource: net}", "{get_resource: net", 1), "x", "keep wattle from finding every use"),
        (&SHOP.replacen("database, url]", "database, u¦rl]", 1), "x", "which its recipe writes"),
        (&SHOP.replacen("{get_param: image}", "{get_param: dis¦k}", 1), "x", "has no parameter `disk`"),
        (&SHOP.replacen("m1.small", "m1.s¦mall", 1), "x", "there is no name here"),
        (&"heat_template_version: 2021-04-16\nresources: {\"\\x61\": {type: X}}\noutputs: {o: {value: {get_resource: ¦a}}}\n".to_owned(), "x", "has escapes"),
    ] {
        let refused = renamed(marked, to).expect_err(why);
        assert!(refused.contains(why), "{refused}, not {why}");
    }
}

#[test]
fn an_outline() {
    let files = no_files();
    let mut asked = open(SHOP, &files);
    let found = asked.ask("textDocument/documentSymbol", json!({})).expect("symbols");
    let mut reported = Vec::new();
    tell(&found, 0, &mut reported);
    assert_eq!(
        reported,
        [
            "parameters",
            " image",
            " size",
            "conditions",
            " run_time",
            " large",
            "resources",
            " net",
            " db",
            "  database",
            " web",
            "  site",
            "outputs",
            " page",
        ]
    );
    let db = &found[2]["children"][1];
    assert!(asked.at(&db["range"]).starts_with("db:") && asked.at(&db["range"]).ends_with("{url: url}"));
    assert_eq!(asked.at(&db["selectionRange"]), "db");
}

fn tell(symbols: &Value, depth: usize, reported: &mut Vec<String>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        reported.push(format!("{}{}", " ".repeat(depth), symbol["name"].as_str().expect("text")));
        tell(&symbol["children"], depth + 1, reported);
    }
}
