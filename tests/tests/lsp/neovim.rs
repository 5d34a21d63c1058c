//! Neovim, with nothing but its built-in client.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use wattle_tests::command::{apart, wattle};

use super::SHOP;

#[test]
fn neovim_does_with_it_what_an_author_does() {
    let place = tempfile::tempdir().unwrap();
    let result = place.path().join("result.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lsp/neovim.lua");
    let mut command = Command::new("nvim");
    command.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", &format!("luafile {script}")]);
    command.env("WATTLE", wattle()).env("TEMPLATE", SHOP).env("RESULT", &result).env("HOME", place.path());
    let output = apart(&mut command, place.path()).output().expect("`nvim` is there: tests/run installs it");
    let said = String::from_utf8_lossy(&output.stderr);
    let result: Value = serde_json::from_slice(&fs::read(&result).expect(&said)).unwrap();
    assert_eq!(result.get("problem"), None, "{said}");

    let found = result["diagnostics"].as_array().unwrap();
    let diagnostic = found.iter().find(|one| one["code"] == "W1114").expect("the parameter is unknown");
    assert_eq!(diagnostic["source"], "wattle", "{diagnostic}");
    assert!(
        diagnostic["message"].as_str().unwrap().contains("the template has no parameter `flavour`"),
        "{diagnostic}"
    );
    assert_eq!((&diagnostic["from"], &diagnostic["to"]), (&json!(26), &json!(33)), "{diagnostic}");
    let has = |key: &str, label: &str| {
        assert!(result[key].as_array().unwrap().contains(&json!(label)), "{label}: {}", result[key]);
    };
    assert!(result["hover"].as_str().unwrap().starts_with("**OS::Neutron::Net**"), "{}", result["hover"]);
    assert_eq!(result["outputs"], json!(["url"]));
    has("types", "OS::Neutron::Net");
    has("properties", "flavor");
    has("properties", "key_name");
    assert!(result["definition"].as_str().unwrap().starts_with("  password:"), "{}", result["definition"]);
    assert_eq!(result["references"], 6);
    assert_eq!(result["symbols"], json!(["parameters", "conditions", "resources", "outputs"]));
    let renamed: Vec<&str> = result["renamed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let shop = fs::read_to_string(SHOP).unwrap();
    let expected = shop.replace("  db:\n", "  store:\n").replace("get_attr: [db,", "get_attr: [store,");
    assert_eq!(renamed.join("\n"), expected.trim_end());
    assert_eq!(result["ended"], 0);
}
