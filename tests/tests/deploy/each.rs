//! Each change of each type that the driver has: what `plan` says of it is what `deploy` does without Heat.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use wattle::plan::Action;
use wattle_tests::running::Ran;
use wattle_tests::site::{Ground, NOTHING, Site};

use super::KEY;

/// A change of one property: the resource, the property, another value, and what becomes of the resource.
pub(crate) type Change = (&'static str, &'static str, Value, Action);

/// Deploys these resources, makes each change, takes it back, and destroys everything.
pub(crate) fn each_change(site: &Site<impl Ground>, mut base: Value, changes: &[Change]) {
    let resources = base.as_object_mut().expect("a map");
    resources.retain(|_, resource| is_driven(resource));
    let stack = site.path().join("plain");
    fs::create_dir(&stack).expect("makes");
    let ran = deployed(site, &stack, &base);
    assert_eq!(ran.code, Some(0), "{ran}");
    println!("| resource | property | plan | what `deploy` does |\n|---|---|---|---|");
    let mut wrong = Vec::new();
    let can_be = |row: &&Change| !base[row.0].is_null() && row.3 != Action::Refused;
    for (name, property, value, expected) in changes.iter().filter(can_be) {
        let mut after = base.clone();
        after[name]["properties"][property] = value.clone();
        for (to, way) in [(&after, ""), (&base, ", back")] {
            let ran = deployed(site, &stack, to);
            let done = done(&ran, name);
            println!("| {name} | {property}{way} | {expected:?} | {done} |");
            let is_so = match expected {
                _ if !way.is_empty() => ran.code == Some(0),
                Action::Update | Action::Rebuild => done == "changed",
                Action::Replace => done == "created, deleted" || done == "deleted, created",
                action => panic!("{action:?} is nothing that is done"),
            };
            if !is_so {
                wrong.push(format!("`{property}` of {name}{way}: {expected:?}, and done was {done}: {ran}"));
            }
        }
    }
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_driven(resource: &Value) -> bool {
    wattle_openstack::driver::kinds().any(|kind| *kind.name == resource["type"])
}

fn deployed(site: &Site<impl Ground>, stack: &Path, resources: &Value) -> Ran {
    let template = json!({ "heat_template_version": "2021-04-16", "resources": resources });
    fs::write(stack.join("template.yaml"), template.to_string()).expect("writes");
    let key: &[&str] = if site.path().join("operator.key").exists() { &KEY } else { &[] };
    site.ask(&[&["deploy", "plain", "--yes"], key].concat())
}

/// What was done to a resource, in the order in which it was.
fn done(ran: &Ran, name: &str) -> String {
    let head = format!("✓ {name} ");
    let words = ran.err.lines().filter_map(|line| line.strip_prefix(&head)?.split_whitespace().next());
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
