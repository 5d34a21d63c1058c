//! Makes each change to each type of the driver: `deploy` without Heat does what `plan` says.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use wattle::plan::Action;
use wattle_tests::running::Ran;
use wattle_tests::site::{Ground, NOTHING, Site};

use super::changes::table::Change;

/// Changes that Heat makes in place, but for which wattle replaces the resource. The plan reports that.
const REPLACES: [(&str, &str); 3] = [("loose", "dns_name"), ("loose", "dns_domain"), ("server", "admin_pass")];

/// Changes that are not made without Heat, and the reasons.
const LEFT_OUT: [(&str, &str, &str); 3] = [
    ("spare_disk", "size", "a volume does not shrink, so there is no way back"),
    ("spare_disk", "read_only", "it is only for Heat"),
    ("spare_key", "save_private_key", "it is only for Heat"),
];

/// Settings that only affect how Heat makes other changes.
const HEAT_S_OWN: [&str; 4] =
    ["flavor_update_policy", "image_update_policy", "user_data_update_policy", "software_config_transport"];

/// Deploys these resources, makes each change, reverts it, and destroys everything.
pub(crate) fn each_change(site: &Site<impl Ground>, mut base: Value, changes: &[Change]) {
    let resources = base.as_object_mut().expect("a map");
    resources.retain(|_, resource| is_driven(resource));
    let stack = site.path().join("plain");
    fs::create_dir(&stack).expect("makes");
    let ran = deployed(site, &stack, &base);
    assert_eq!(ran.code, Some(0), "{ran}");
    for (name, property, why) in LEFT_OUT {
        println!("`{property}` of {name} is left out: {why}");
    }
    println!("| resource | property | Heat | plan | what `deploy` does |\n|---|---|---|---|---|");
    let mut wrong = Vec::new();
    let can_be = |row: &&Change| {
        let is_left_out = LEFT_OUT.iter().any(|(name, property, _)| (*name, *property) == (row.0, row.1));
        !base[row.0].is_null() && row.3 != Action::Refused && !is_left_out
    };
    let rows: Vec<&Change> = changes.iter().filter(can_be).collect();
    assert!(!rows.is_empty(), "none of the selected rows can be made without Heat");
    for (name, property, value, expected) in rows {
        let mut after = base.clone();
        after[name]["properties"][property] = value.clone();
        for (to, way) in [(&after, ""), (&base, ", back")] {
            let ran = deployed(site, &stack, to);
            let (planned, done) = (planned(&ran, name), done(&ran, name));
            println!("| {name} | {property}{way} | {expected:?} | {planned} | {done} |");
            let is_done = match planned {
                "-/+" => done.ends_with("created, deleted") || done.ends_with("deleted, created"),
                "~" if HEAT_S_OWN.contains(property) => done == "nothing",
                "~" | "!" => done == "changed",
                _ => false,
            };
            let is_otherwise = REPLACES.contains(&(*name, *property));
            let is_as_with_heat = match expected {
                Action::Update if is_otherwise => planned == "-/+",
                Action::Update => planned == "~",
                Action::Rebuild => planned == "!",
                Action::Replace => planned == "-/+",
                action => panic!("{action:?} is nothing that is done"),
            };
            // The reverse change may have another effect: removing a property is a different change.
            let is_so = ran.code == Some(0) && is_done && (is_as_with_heat || !way.is_empty());
            if !is_so {
                wrong.push(format!(
                    "`{property}` of {name}{way}: {expected:?}, planned {planned}, and done was {done}: {ran}"
                ));
            }
        }
    }
    let ran = site.ask(&[&["destroy", "--yes"], &*key(site)].concat());
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
    let key = key(site);
    site.ask(&[&["deploy", "plain", "--yes"], &*key].concat())
}

/// The options that name the operator's key, once it exists.
fn key(site: &Site<impl Ground>) -> Vec<&'static str> {
    let key = ["operator.key", "plain/operator.key"].into_iter().find(|key| site.path().join(key).exists());
    key.map_or_else(Vec::new, |key| vec!["--key", key])
}

/// The sign for a resource in the plan.
fn planned<'r>(ran: &'r Ran, name: &str) -> &'r str {
    let named = format!(" {name} (");
    let sign = ran.out.lines().chain(ran.err.lines()).find_map(|line| Some(line.split_once(&named)?.0));
    sign.filter(|sign| !sign.contains(' ')).unwrap_or("nothing")
}

/// The actions on a resource, in order.
fn done(ran: &Ran, name: &str) -> String {
    let head = format!("✓ {name} ");
    let words = ran.err.lines().filter_map(|line| line.strip_prefix(&head)?.split_whitespace().next());
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
