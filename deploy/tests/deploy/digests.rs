//! Which changes require a replacement, compared to Heat's update rules for the resource before and after.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use wattle_deploy::Deployment;
use wattle_heat::Desired;
use wattle_heat::desired::Resource;
use wattle_heat::update::{Action, is_ignored, is_needed, verdict};
use wattle_model::{PropertySchema, PropertyType, SchemaConstraint};

use crate::desk::{Desk, KEY, loaded};
use crate::kinds::{CORE, Drivers};

/// Older names of properties, which are refused beside the newer ones.
const OLDER: [&str; 5] = ["network_id", "subnet_id", "router_id", "floating_network_id", "imageRef"];

/// Properties for which Heat refuses some changes because of the values before and after, which digests do not show.
const JUDGED: [(&str, &str); 3] =
    [("OS::Neutron::Subnet", "gateway_ip"), ("OS::Neutron::Subnet", "segment"), ("OS::Cinder::Volume", "size")];

/// Policies of servers.
const POLICIES: [(&str, &str, &[&str]); 3] = [
    ("flavor", "flavor_update_policy", &["RESIZE", "REPLACE"]),
    ("image", "image_update_policy", &["REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"]),
    ("user_data", "user_data_update_policy", &["REPLACE", "IGNORE"]),
];

fn chosen<T: Clone>(among: &[T], by: Index) -> T {
    by.get(among).clone()
}

/// One of a few values of a property.
fn value(schema: &PropertySchema, choices: &mut impl Iterator<Item = Index>) -> String {
    let mut choice = || choices.next().expect("there are enough");
    let allowed = schema.constraints.iter().find_map(|constraint| match constraint {
        SchemaConstraint::Allowed(values) => Some(values),
        _ => None,
    });
    if let Some(allowed) = allowed {
        let one = chosen(allowed, choice()).to_string();
        return if schema.ty == PropertyType::List { format!("[{one}]") } else { one };
    }
    match schema.ty {
        PropertyType::Str | PropertyType::Any => format!("{:?}", chosen(&["a", "b"], choice())),
        PropertyType::Integer => chosen(&["1", "2", "'2'"], choice()).to_owned(),
        PropertyType::Number => chosen(&["1", "1.0", "1.5"], choice()).to_owned(),
        PropertyType::Boolean => chosen(&["true", "false", "'True'"], choice()).to_owned(),
        PropertyType::List => {
            let count = choice().index(3);
            let text = PropertySchema { ty: PropertyType::Str, ..PropertySchema::default() };
            let item = schema.item.as_deref().unwrap_or(&text);
            let items: Vec<_> = (0..count).map(|_| value(item, choices)).collect();
            format!("[{}]", items.join(", "))
        }
        PropertyType::Map if schema.keys.is_empty() => chosen(&["{}", "{x: 1}", "{x: 2, y: a}"], choice()).to_owned(),
        PropertyType::Map => {
            let mut items = Vec::new();
            for (key, schema) in schema.keys.iter().filter(|(_, schema)| !schema.hidden) {
                let is_older = matches!(&**key, "uuid" | "image_id" | "subnet_id" | "network_id");
                if !is_older && choices.next().expect("there are enough").index(3) == 0 {
                    items.push(format!("{key}: {}", value(schema, choices)));
                }
            }
            format!("{{{}}}", items.join(", "))
        }
    }
}

/// A resource of the type before and after a change, as templates.
fn pair(ty: &str, given: &[Index]) -> [String; 2] {
    let schema = wattle_heat::schema::schema(ty).expect("a type");
    let mut choices = given.iter().copied().cycle();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (name, property) in &schema.properties {
        let is_policy = POLICIES.iter().any(|(_, policy, _)| *policy == &**name);
        let is_older = OLDER.contains(&&**name) || (ty, &**name) == ("OS::Neutron::RouterInterface", "port_id");
        let is_ours = is_older || is_policy || property.hidden;
        // The test of texts covers which of these are refused.
        if is_ours || matches!(&**name, "user_data_format" | "personality") {
            continue;
        }
        let one = format!("{name}: {}", value(property, &mut choices));
        let other = format!("{name}: {}", value(property, &mut choices));
        // Most stay, so that single changes are frequent.
        match choices.next().expect("there are enough").index(12) {
            0 => after.push(one),
            1 => before.push(one),
            2 => {
                before.push(one);
                after.push(other);
            }
            3..6 => {
                before.push(one.clone());
                after.push(one);
            }
            _ if property.required => {
                before.push(one.clone());
                after.push(one);
            }
            _ => {}
        }
    }
    if ty == "OS::Nova::Server" {
        for (_, policy, values) in POLICIES {
            if choices.next().expect("there are enough").index(2) == 0 {
                // Heat keeps the earlier one if there is none afterwards.
                for properties in [&mut before, &mut after] {
                    let value = chosen(values, choices.next().expect("there are enough"));
                    properties.push(format!("{policy}: {value}"));
                }
            }
        }
        for properties in [&mut before, &mut after] {
            properties.push("user_data_format: RAW".to_owned());
        }
    }
    [before, after]
        .map(|properties| format!("resources: {{r: {{type: '{ty}', properties: {{{}}}}}}}", properties.join(", ")))
}

/// The properties that differ, as a plan compares them.
fn changed<'r>(before: &'r Resource, after: &'r Resource) -> Vec<&'r str> {
    let mut names: Vec<&str> = before.names().chain(after.names()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| before.property(name).equals(&after.property(name)) != Some(true));
    names
}

/// The choices of a case: there are too many to print, so the templates are printed.
struct Choices(Vec<Index>);

impl std::fmt::Debug for Choices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

fn choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<Index>(), 400).prop_map(Choices)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_thing_is_made_where_heat_replaces(ty in 0..CORE.len(), Choices(given) in choices()) {
        let ty = CORE[ty];
        let templates = pair(ty, &given);
        let mut desired = templates.each_ref().map(|text| Desired::unfolded(&loaded(text, &[], &[])));
        let [before, after] = desired.each_mut().map(|desired| desired.resources.shift_remove("r").expect("a resource"));
        let changed = changed(&before, &after);
        let mut desk = Desk::new();
        let mut jobs = Vec::new();
        for text in &templates {
            let target = Deployment::new(loaded(text, &[], &[]), Arc::new(Drivers::All), KEY);
            jobs = desk.reach(&target.unwrap_or_else(|refused| panic!("{text}: {refused:#?}"))).jobs;
        }
        let is_another = jobs.iter().any(|job| job == "create r");
        match verdict(&before, &after, &changed).action {
            Action::Replace => prop_assert!(is_another, "{changed:?} {jobs:?}\n{templates:#?}"),
            Action::Refuse => {
                let is_judged = |name: &&str| JUDGED.contains(&(ty, name)) || is_needed(&after, name);
                prop_assert!(!is_another && changed.iter().any(is_judged), "{changed:?}\n{templates:#?}");
            }
            Action::Update | Action::Rebuild => prop_assert!(!is_another, "{changed:?} {jobs:?}\n{templates:#?}"),
        }
        prop_assert_eq!(jobs.is_empty(), changed.iter().all(|name| is_ignored(&after, name)));
    }
}
