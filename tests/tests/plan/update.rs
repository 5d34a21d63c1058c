//! The plan for resources matches what Heat's own engine does to a stack, including the consequences of replacements.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use serde_json::Value;
use wattle::plan::{Action, State, plan};
use wattle_tests::skip;

fn state(template: &Value) -> State {
    let files = [("template.yaml".to_owned(), template.to_string())].into_iter().collect();
    State::new(&files, Default::default(), None).expect("a state")
}

/// What Heat may do when the plan says `action`.
fn fitting(action: Action) -> &'static [&'static str] {
    match action {
        Action::Unchanged => &["nothing"],
        Action::MayUpdate | Action::MayRebuild => &["nothing", "updated"],
        Action::MayReplace => &["nothing", "updated", "replaced"],
        Action::Update | Action::Rebuild => &["updated"],
        Action::Create => &["created"],
        Action::Replace => &["replaced"],
        Action::Delete => &["deleted"],
        Action::Refused => &[],
    }
}

#[test]
fn an_update_does_to_dependents_what_the_plan_says() {
    let all = skip::everything("200 stacks, created and updated by Heat in its other engine");
    // The few cases cover everything, and the legacy engine needs half the time for them.
    let (first, count, engine) = if all { ("0", 200, &[][..]) } else { ("223", 20, &["--no-convergence"][..]) };
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .args(["update.py", "--first", first, "--count", &count.to_string()])
        .args(engine)
        .stderr(Stdio::inherit())
        .output()
        .expect("tests/heat/run starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let (mut updated, mut differ) = (0, Vec::new());
    // How many times the plan was right about resources that were not changed themselves.
    let mut through: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for answer in text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
        assert_eq!(answer["status"], "UPDATE_COMPLETE", "{answer:#}");
        updated += 1;
        let after = state(&answer["after"]);
        let said = plan(Some(&state(&answer["before"])), &after);
        for (name, resource) in &said.resources {
            let did = answer["did"][&**name].as_str().unwrap_or("nothing");
            let Some(did) = fitting(resource.action).iter().copied().find(|known| *known == did) else {
                differ.push(format!(
                    "{}, {}: `{name}`: Heat: {did}, the plan: {:?} {:?}\n{}",
                    answer["number"], answer["change"], resource.action, resource.because, answer["did"]
                ));
                continue;
            };
            if resource.because.iter().all(|reason| reason.through.is_some()) {
                *through.entry((format!("{:?}", resource.action), did)).or_default() += 1;
            }
        }
        for name in answer["did"].as_object().expect("a map").keys() {
            assert!(said.resources.contains_key(name.as_str()), "{}: `{name}`", answer["number"]);
        }
    }
    println!("{updated} updates; of what was not changed itself: {through:?}");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    assert_eq!(updated, count);
    let seen = [("Replace", "replaced"), ("Update", "updated"), ("MayUpdate", "nothing"), ("MayReplace", "replaced")];
    for (action, did) in seen.into_iter().take(if all { 4 } else { 2 }) {
        assert!(through.contains_key(&(action.to_owned(), did)), "{action}, {did}: {through:?}");
    }
}
