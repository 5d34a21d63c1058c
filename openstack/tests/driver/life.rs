//! Each type, from its creation to its deletion.

use serde_json::{Value as Json, json};
use wattle_converge::{Id, Outcome, Sight, Thing, What};

use super::cases::{Base, Case, cases};
use super::jobs::{Desk, Jobs, value};

/// All cases, and one of a router interface, whose subnet is used by nothing else.
pub(crate) fn all(stage: &impl Jobs) -> Vec<Case> {
    let base = Base::new(stage);
    let mut cases = cases(&base);
    let subnet = stage.some("OS::Neutron::Subnet", &json!({ "network": base.net, "cidr": "10.3.0.0/24" }));
    cases.push(Case {
        kind: "OS::Neutron::RouterInterface",
        properties: json!({ "router": base.router, "subnet": subnet }),
        changes: vec![],
        attributes: &[],
        made_by: "add_router_interface",
    });
    cases.retain(|case| stage.tries(case.kind));
    for case in &mut cases {
        let properties = case.properties.as_object_mut().expect("properties are a map");
        properties.retain(|property, _| stage.has(case.kind, property));
        case.changes.retain(|(property, to)| {
            let mut parts = to.as_object().into_iter().flatten().map(|(key, _)| format!("{property}.{key}"));
            stage.has(case.kind, property) && parts.all(|part| stage.has(case.kind, &part))
        });
    }
    cases
}

/// Creates one of each type, reads and deletes it, and repeats each request.
pub(crate) fn comes_and_goes(stage: &impl Jobs) {
    for case in all(stage) {
        let row = stage.row();
        let thing = stage.made(row, case.kind, &case.properties);
        let desk = Desk::expects(row, &case.properties).knows(row, case.kind, &thing.phys);
        let sight = stage.sight(row, case.kind, &desk);
        assert_eq!(sight, Some(Sight::Ready(thing.clone())), "{}", case.kind);
        for attribute in case.attributes {
            assert!(thing.attributes.contains_key(*attribute), "{} has no {attribute}: {thing:?}", case.kind);
        }
        // Carrying it out again yields the same thing.
        assert_eq!(stage.made(row, case.kind, &case.properties).phys, thing.phys, "{}", case.kind);
        let found = stage.carry_out(row, case.kind, None, &What::Look);
        assert_eq!(found, Outcome::Done(Some(thing.clone())), "{}", case.kind);
        let update = What::Update { properties: value(&case.properties) };
        let same = stage.carry_out(row, case.kind, Some(&thing.phys), &update);
        assert_eq!(same, Outcome::Done(Some(thing.clone())), "{}", case.kind);
        let gone = stage.carry_out(row, case.kind, Some(&thing.phys), &What::Delete);
        assert_eq!(gone, Outcome::Done(None), "{}", case.kind);
        assert_eq!(stage.sight(row, case.kind, &desk), None, "{}", case.kind);
        for what in [What::Delete, What::Look] {
            let outcome = stage.once(row, case.kind, Some(&thing.phys), what);
            assert_eq!(outcome, Outcome::Absent, "{}", case.kind);
        }
    }
}

/// The properties with a new value for one of them.
fn changed(properties: &Json, property: &str, to: &Json) -> Json {
    let mut changed = properties.clone();
    changed[property] = to.clone();
    changed
}

fn update(stage: &impl Jobs, row: Id, case: &Case, phys: &str, properties: &Json) -> String {
    match stage.carry_out(row, case.kind, Some(phys), &What::Update { properties: value(properties) }) {
        Outcome::Done(Some(thing)) => {
            // To the engine, another name means another thing.
            assert_eq!(&*thing.phys, phys, "{}", case.kind);
            thing.phys.to_string()
        }
        outcome => panic!("{} is not changed to {properties}: {outcome:?}", case.kind),
    }
}

/// Properties that keep their value when they are no longer given, because their default is unknown.
const STAYS: [(&str, &str); 6] = [
    ("OS::Cinder::Volume", "volume_type"),
    ("OS::Neutron::Net", "port_security_enabled"),
    ("OS::Neutron::Net", "value_specs"),
    ("OS::Neutron::Port", "no_fixed_ips"),
    ("OS::Neutron::Port", "port_security_enabled"),
    ("OS::Neutron::Subnet", "gateway_ip"),
];

/// Changes each property of each type, there and back, and checks that the difference is detected.
pub(crate) fn differs_and_is_put_right(stage: &impl Jobs) {
    for case in all(stage) {
        let row = stage.row();
        let mut phys = stage.made(row, case.kind, &case.properties).phys.to_string();
        for (property, to) in &case.changes {
            let wanted = changed(&case.properties, property, to);
            let differs = |properties: &Json, phys: &str| {
                let desk = Desk::expects(row, properties).knows(row, case.kind, phys);
                match stage.sight(row, case.kind, &desk) {
                    Some(Sight::Changed(_, how)) => Some(how.to_string()),
                    Some(Sight::Ready(_)) => None,
                    sight => panic!("{} `{property}`: {sight:?}", case.kind),
                }
            };
            assert_eq!(differs(&case.properties, &phys), None, "{} before `{property}`", case.kind);
            let how = differs(&wanted, &phys).unwrap_or_else(|| panic!("{}: no drift of `{property}`", case.kind));
            let names_it = how.contains(&format!("`{property}`")) || how.contains("but should");
            assert!(names_it, "{} `{property}`: {how}", case.kind);
            phys = update(stage, row, &case, &phys, &wanted);
            assert_eq!(differs(&wanted, &phys), None, "{} after `{property}`", case.kind);
            // A size can only grow, and properties that were not given at first may keep their value.
            if *property == "size" {
                break_down(stage, row, &case, &phys);
                phys = stage.made(row, case.kind, &case.properties).phys.to_string();
                continue;
            }
            phys = update(stage, row, &case, &phys, &case.properties);
            assert_eq!(differs(&case.properties, &phys), None, "{} after `{property}` and back", case.kind);
            // A property that is no longer given reverts to its default.
            let is_back = differs(&wanted, &phys).is_some();
            assert_eq!(is_back, !STAYS.contains(&(case.kind, *property)), "{} `{property}`", case.kind);
        }
        break_down(stage, row, &case, &phys);
    }
}

/// Changes each property of each type behind the deployment's back, including properties that are not given, and
/// reverts that.
pub(crate) fn is_seen_behind_its_back(stage: &impl Jobs) {
    for case in all(stage) {
        let said = case.properties.as_object().expect("properties are a map");
        for (property, to) in &case.changes {
            // `value_specs` is no property of the service, and a port's owner is the cloud's choice.
            if ["value_specs", "device_id", "device_owner"].contains(property) && !said.contains_key(*property) {
                continue;
            }
            let row = stage.row();
            let thing = stage.made(row, case.kind, &case.properties);
            let differs = |noted: &Thing| {
                let desk = Desk::expects(row, &case.properties).knows(row, case.kind, &thing.phys);
                match stage.sight(row, case.kind, &desk.noted(&noted.attributes)) {
                    Some(Sight::Changed(_, how)) => Some(how.to_string()),
                    Some(Sight::Ready(_)) => None,
                    sight => panic!("{} `{property}`: {sight:?}", case.kind),
                }
            };
            assert_eq!(differs(&thing), None, "{} before `{property}`", case.kind);
            update(stage, row, &case, &thing.phys, &changed(&case.properties, property, to));
            let how = differs(&thing);
            let is_said = if said.contains_key(*property) { "said" } else { "unsaid" };
            let how = how.unwrap_or_else(|| panic!("{}: no drift of `{property}`, which is {is_said}", case.kind));
            assert!(how.contains(&format!("`{property}`")) || how.contains("but should"), "{} {how}", case.kind);
            // Volumes never shrink.
            if *property != "size" {
                let what = What::Update { properties: value(&case.properties) };
                let outcome = stage.carry_out_noted(row, case.kind, Some(&thing.phys), &what, &thing.attributes);
                let Outcome::Done(Some(right)) = outcome else {
                    panic!("{} `{property}`: {outcome:?}", case.kind);
                };
                assert_eq!(differs(&thing), None, "{} after `{property}`", case.kind);
                assert_eq!(differs(&right), None, "{} after `{property}`, noted again", case.kind);
            }
            break_down(stage, row, &case, &thing.phys);
        }
    }
}

fn break_down(stage: &impl Jobs, row: Id, case: &Case, phys: &str) {
    assert_eq!(stage.carry_out(row, case.kind, Some(phys), &What::Delete), Outcome::Done(None), "{}", case.kind);
}
