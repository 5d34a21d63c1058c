//! The plan of a change in place matches what Heat's classes do (`handle_update`): nothing, a resize, another disk,
//! another resource, or an error. A schema says only that a property may change.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wattle::plan::{Action, ResourcePlan, State, plan};

/// Cases that the script cannot decide, because Heat's class asks a service that is not available.
const NOT_ASKED: &[(&str, &str)] =
    &[("AWS::EC2::EIPAssociation", "AllocationId"), ("OS::Heat::DeployedServer", "software_config_transport")];

/// Types with properties that only Heat stores: a new value requires no action.
const KEPT_BY_HEAT: &[&str] = &["AWS::AutoScaling::ScalingPolicy", "OS::Heat::ScalingPolicy", "OS::Heat::Value"];

/// Requests to a service that destroy data, interrupt it, or may be refused.
const GRAVE: &[(&str, &[Action])] = &[
    ("rebuild", &[Action::Rebuild]),
    ("restore", &[Action::Rebuild]),
    ("delete_network_gateway", &[Action::Rebuild]),
    ("resize", &[Action::Update]),
    ("detach_volume", &[Action::Update]),
    ("retype", &[Action::Update]),
    ("extend", &[Action::Update]),
    ("heat_update_networks", &[Action::Update]),
    ("heat_update_network_interfaces", &[Action::Update]),
];

fn state(ty: &str, properties: &Value) -> State {
    let template = json!({
        "heat_template_version": "2021-04-16",
        "resources": {"one": {"type": ty, "properties": properties}},
    });
    let files = [("template.yaml".to_owned(), template.to_string())].into_iter().collect();
    State::new(&files, Default::default(), None).expect("a state")
}

/// Types for which a plan notes further effects of an update in place.
const NOTED_BESIDE: [&str; 2] = ["OS::Magnum::Cluster", "OS::Trove::Instance"];

/// Whether the plan matches Heat's action.
fn agrees(ty: &str, does: &str, said: &ResourcePlan) -> bool {
    let asked: Vec<&str> = does.split(", ").collect();
    if let Some((_, actions)) = GRAVE.iter().find(|(what, _)| asked.contains(what)) {
        return actions.contains(&said.action) && !(said.notes.is_empty() && said.help.is_empty());
    }
    match does {
        "replaced" => said.action == Action::Replace,
        // Only Neutron knows whether a port uses the group.
        _ if does.contains("\"stateful\"") => !said.notes.is_empty(),
        _ if does.starts_with("refused: ") => said.action == Action::Refused && !said.help.is_empty(),
        "nothing" if KEPT_BY_HEAT.contains(&ty) => said.action == Action::Update && said.notes.is_empty(),
        "nothing" => said.action == Action::Update && !said.notes.is_empty(),
        // Zun's containers keep running, and so does Trove's engine while its databases change. A Magnum cluster keeps
        // running as well, with fewer nodes.
        _ => said.action == Action::Update && (said.notes.is_empty() || NOTED_BESIDE.contains(&ty)),
    }
}

#[test]
fn what_heat_does_about_each_property_that_may_change() {
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .arg("updates.py")
        .stderr(Stdio::inherit())
        .output()
        .expect("tests/heat/run starts");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    let (mut judged, mut differ, mut grave) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    for answer in text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        let [ty, property, does] = ["type", "property", "does"].map(|key| answer[key].as_str().unwrap_or_default());
        if answer["before"] == answer["after"] || NOT_ASKED.contains(&(ty, property)) {
            continue;
        }
        let planned = plan(Some(&state(ty, &answer["before"])), &state(ty, &answer["after"]));
        let said = &planned.resources["one"];
        judged.insert((ty.to_owned(), property.to_owned()));
        grave.extend(GRAVE.iter().map(|(what, _)| *what).filter(|what| does.split(", ").any(|asked| asked == *what)));
        if !agrees(ty, does, said) {
            let (before, after) = (&answer["before"][property], &answer["after"][property]);
            differ.push(format!("{ty}, {property}: {before} -> {after}: Heat: {does}; the plan: {said:?}"));
        }
    }
    assert!(differ.is_empty(), "{} of {} differ:\n{}", differ.len(), judged.len(), differ.join("\n"));
    assert!(judged.len() > 500, "{}", judged.len());
    assert_eq!(grave.len(), GRAVE.len(), "never asked: only {grave:?}");
}
