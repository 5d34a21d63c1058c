//! What `plan` says about each kind of change, compared with what Heat and the services do.

mod page;
pub(crate) mod table;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wattle::plan::Action;
use wattle_runtime::openstack::TemplateSource;
use wattle_tests::generated::fresh;
use wattle_tests::openstack::admin::Administrator;
use wattle_tests::openstack::changed::{Looked, planned};
use wattle_tests::openstack::{RealHeat, is_there};
use wattle_tests::skip::skipped;

use table::{
    Change, POLICY, REFUSED_BY_SERVICES, UNTRIED, base, base_of_administrator, changes, changes_of_administrator,
    chosen,
};

fn template(resources: &Value) -> Value {
    json!({ "heat_template_version": "2021-04-16", "resources": resources })
}

fn source(template: &Value) -> TemplateSource {
    TemplateSource {
        template: "template.yaml".into(),
        files: [("template.yaml".to_owned(), template.to_string())].into_iter().collect(),
        stack: "changes".into(),
        ..TemplateSource::default()
    }
}

#[test]
fn each_change_is_what_plan_says_on_a_real_openstack() {
    if !is_there("each kind of change, planned and done") {
        return;
    }
    for (ty, properties, why) in UNTRIED {
        skipped(&format!("changes of `{}` of {ty}", properties.join("`, `")), why);
    }
    made_as_planned(&RealHeat::new(), &base(), changes());
}

#[test]
fn what_only_an_administrator_may_change_is_what_plan_says_on_a_real_openstack() {
    if !is_there("what only an administrator may change, planned and done") {
        return;
    }
    let project = RealHeat::new().project();
    let heat = RealHeat::of(&Administrator::sources());
    made_as_planned(&heat, &base_of_administrator(), changes_of_administrator(&project));
}

/// Creates these resources, and makes each change.
fn made_as_planned(heat: &RealHeat, base: &Value, changes: Vec<Change>) {
    let before = template(base);
    let mut stack = heat.made("changes", &source(&before));
    // Printed row by row, so that you see results even if the rest fails.
    println!("| resource | property | plan | Heat |\n|---|---|---|---|");
    let mut wrong = Vec::new();
    for (name, property, value, expected) in chosen(changes) {
        let mut resources = base.clone();
        resources[name]["properties"][property] = value;
        let after = template(&resources);
        // Each change is also reverted: removing a property is a different change.
        for (from, to, way) in [(&before, &after, ""), (&after, &before, ", back")] {
            let said = planned(&source(from), &source(to));
            let planned = said.resources[name].action;
            if way.is_empty() && planned != expected {
                wrong.push(format!("`{property}` of {name}: {expected:?} is right, and planned is {planned:?}"));
            }
            let earlier = Looked::at(heat, &stack);
            let (status, reason) = stack.update(&source(to));
            let later = Looked::at(heat, &stack);
            let done = later.since(&earlier, name);
            let by_service =
                REFUSED_BY_SERVICES.iter().find(|row| (row.0, row.1) == (name, property) && way.is_empty());
            if let Some((.., part)) = by_service {
                println!("| {name} | {property}{way} | {planned:?} | refused by the service |");
                let help = said.resources[name].help.join(" ");
                if !help.contains("the update fails, because Heat creates the new one before") {
                    wrong.push(format!("`{property}` of {name}{way}: the plan does not say that it fails: {help}"));
                }
                if !reason.contains(part) {
                    wrong.push(format!("`{property}` of {name}{way}: {status}, {reason}, and not {part}"));
                }
            } else {
                println!("| {name} | {property}{way} | {planned:?} | {done:?} |");
            }
            let refused = (planned == Action::Refused).then_some(name);
            let differences = later.differences(&earlier, &said, refused);
            for differs in differences.into_iter().filter(|_| by_service.is_none()) {
                let line = format!("`{property}` of {name}{way}: {differs}: {status}, {reason}");
                println!("{line}");
                wrong.push(line);
            }
            if (name, way) == ("key", "") {
                let help = said.resources[name].help.join(" ");
                let is_left = heat.ask("compute", "/os-keypairs")["keypairs"].to_string().contains("\"changes\"");
                assert!(help.contains("neither is left") && !is_left, "{help}; it is left: {is_left}");
            }
            // A failed change must not affect later ones.
            if status != "UPDATE_COMPLETE" {
                println!("{name}, {property}{way}: {status}, {reason}");
                stack.delete();
                stack = heat.made("changes", &source(&before));
                break;
            }
        }
    }
    stack.delete();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_property_of_the_core_types_is_changed_or_it_is_said_why_not() {
    let base = base_of_administrator();
    let mut tried: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, property, ..) in changes().into_iter().chain(changes_of_administrator("")) {
        tried.entry(base[name]["type"].as_str().expect("it has a type")).or_default().push(property);
    }
    let mut forgotten = Vec::new();
    for (ty, tried) in &tried {
        let schema: Value = serde_json::from_str(wattle_heat::schema::written(ty).expect("Heat has it")).expect("JSON");
        // Heat hides older names of properties.
        let visible = schema["props"].as_object().expect("a map").iter().filter(|(_, it)| it["status"] != "HIDDEN");
        for (property, _) in visible {
            let is_left_out = UNTRIED.iter().any(|(other, left_out, _)| other == ty && left_out.contains(&&**property));
            match (tried.contains(&&**property), is_left_out) {
                (true, true) => forgotten.push(format!("{ty} `{property}` is tried")),
                (false, false) => forgotten.push(format!("{ty} `{property}` is not tried")),
                _ => {}
            }
        }
    }
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
    let types: Vec<&str> =
        base.as_object().expect("a map").values().filter_map(|resource| resource["type"].as_str()).collect();
    let types: Vec<&str> = types.into_iter().filter(|ty| *ty != POLICY).collect();
    assert!(types.iter().all(|ty| tried.contains_key(ty)), "a type of which nothing is changed");
}

#[test]
fn the_page_of_changes_is_what_the_table_says() {
    fresh("docs/reference/changes.md", &page::page());
}
