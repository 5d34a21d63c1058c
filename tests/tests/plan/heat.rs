//! The plan for resources matches the verdict of Heat's own engine on the same change.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::Value;
use wattle::plan::{Action, State, plan};
use wattle_tests::skip;

/// Changes with another verdict of Heat, each with the reason.
const OTHERWISE: &[(&str, &str)] = &[
    ("network_older_names.yaml", "the preview, unlike an update, takes what stands under an older name for missing"),
    ("value of split", "what a function makes of a reference is not computed, and here it is the same"),
    ("value: value of merged", "the preview, unlike an update, takes attributes of values as they were before"),
    ("value: value of number", "the preview, unlike an update, takes attributes of values as they were before"),
    ("value: value of holder", "the preview, unlike an update, takes attributes of values as they were before"),
    ("without of merged\": `after`", "the same, of a value that is no longer given"),
    ("type of merged\": `after`", "the same, of what is no value any more"),
];

/// Types for which Heat refuses a change only while carrying it out.
const CARRIED_OUT: [&str; 5] = [
    "OS::Cinder::Volume",
    "OS::Neutron::SecurityGroup",
    "OS::Neutron::Subnet",
    "OS::Neutron::SubnetPool",
    "OS::Nova::Server",
];

fn templates() -> Vec<std::path::PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates/good");
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
    files.sort();
    files
}

fn state(template: &Value, parameters: &Value) -> State {
    let files = [("template.yaml".to_owned(), template.to_string())].into_iter().collect();
    State::new(&files, serde_json::from_value(parameters.clone()).expect("parameters"), None).expect("a state")
}

fn names(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn heat_does_with_resources_what_the_plan_says() {
    let all = skip::everything("4000 further changes of templates, planned and previewed");
    let count = if all { 4400 } else { 400 };
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .args(["preview.py", "--count", &count.to_string()])
        .args(templates())
        .stderr(Stdio::inherit())
        .output()
        .expect("tests/heat/run starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let (mut judged, mut differ, mut seen, mut excused) = (0, Vec::new(), BTreeSet::new(), BTreeSet::new());
    for answer in text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        if !answer["error"].is_null() {
            continue;
        }
        let (before, after) =
            (state(&answer["before"], &answer["parameters"]), state(&answer["after"], &answer["parameters"]));
        let said = plan(Some(&before), &after);
        for (name, resource) in &said.resources {
            // Heat updates nested stacks each time, and its preview covers neither their resources nor a group's
            // members.
            if resource.group.is_some() || wattle_catalog::schema(&resource.ty).is_none() {
                continue;
            }
            // Heat's preview does not consider effects of other resources.
            if resource.because.iter().any(|reason| reason.through.is_some()) {
                continue;
            }
            let heat = [
                (Action::Create, names(&answer["added"]).contains(&**name)),
                (Action::Delete, names(&answer["deleted"]).contains(&**name)),
                (Action::Replace, names(&answer["replaced"]).contains(&**name)),
                (Action::Update, names(&answer["updated"]).contains(&**name)),
                (Action::Unchanged, names(&answer["unchanged"]).contains(&**name)),
                (Action::Unchanged, names(&answer["touched"]).contains(&**name)),
                (Action::Refused, answer["refused"].get(&**name).is_some()),
            ];
            let heat = heat.iter().find(|(_, is)| *is).map(|(action, _)| *action);
            judged += 1;
            // A preview does not carry out the change. Another test checks the effects in the classes themselves.
            let previewed = match resource.action {
                Action::Rebuild => Action::Update,
                Action::Refused if CARRIED_OUT.contains(&&*resource.ty) => Action::Update,
                Action::Replace if &*resource.ty == "OS::Heat::Delay" => Action::Update,
                action => action,
            };
            if heat == Some(previewed) {
                seen.insert(resource.action);
                continue;
            }
            let what = format!("{}, {}: `{name}` ({})", answer["file"], answer["change"], resource.ty);
            let is_known = |(known, _): &&(&str, &str)| what.contains(known);
            match OTHERWISE.iter().find(is_known) {
                Some((known, _)) => drop(excused.insert(*known)),
                None => differ
                    .push(format!("{what}: Heat says {heat:?}, the plan {:?} {:?}", resource.action, resource.because)),
            }
        }
    }
    assert!(differ.is_empty(), "{} of {judged} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(judged > 1000, "{judged}");
    let agreed: Vec<_> = OTHERWISE.iter().filter(|(known, _)| all && !excused.contains(known)).collect();
    assert!(agreed.is_empty(), "Heat and the plan say the same, after all: {agreed:?}");
    for action in [Action::Replace, Action::Update, Action::Unchanged, Action::Delete] {
        assert!(seen.contains(&action), "{action:?} was never said");
    }
}
