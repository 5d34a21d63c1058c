//! The forms of sections, definitions, parameters, functions, conditions and environments: what Heat takes of them is
//! taken, and what it refuses is refused. `templates/forms.txt` has the cases.

use std::fs;
use std::sync::Arc;

use serde_json::json;
use wattle::check::has_errors;
use wattle::view::{Format, Options, render};
use wattle_hot::environment::Environment;
use wattle_hot::files::NoFiles;
use wattle_hot::parameters::Inputs;
use wattle_hot::{Loaded, check};
use wattle_tests::oracle::Oracle;

/// The cases in which Heat and these checks do not agree, each with the reason.
const DISAGREEMENTS: &[(&str, &str)] = &[
    ("fn_old_azs", "the zones are the cloud's, and the oracle has no cloud to ask"),
    ("par_65", "which time zones there are is for Heat's own machine to say"),
    ("par_72", "whether a time is over is for a clock to say"),
];

struct Case<'t> {
    name: &'t str,
    template: &'t str,
    environment: Option<&'t str>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("=== ")
        .skip(1)
        .map(|text| {
            let (name, rest) = text.split_once('\n').expect("a name");
            let (template, environment) = match rest.split_once("--- environment\n") {
                Some((template, environment)) => (template, Some(environment)),
                None => (rest, None),
            };
            Case { name, template, environment }
        })
        .collect()
}

#[test]
fn heat_takes_and_refuses_the_same() {
    let text = include_str!("../templates/forms.txt");
    let folder = tempfile::tempdir().expect("a folder");
    let mut oracle = Oracle::strict();
    let mut wrong = Vec::new();
    let mut seen = Vec::new();
    for case in cases(text) {
        let template = folder.path().join(format!("{}.yaml", case.name));
        fs::write(&template, case.template).expect("written");
        let mut question = json!({ "template": template });
        let mut inputs = Inputs::default();
        if let Some(environment) = case.environment {
            let path = folder.path().join(format!("{}-environment.yaml", case.name));
            fs::write(&path, environment).expect("written");
            question["environment"] = json!([path]);
            inputs.environment = Arc::new(Environment::read([("environment.yaml", environment)]));
        }
        let answer = oracle.ask(&question);
        let heat = answer["ok"].as_bool().expect("an answer");
        let loaded = Loaded::load(case.template, "template.yaml", &NoFiles, &inputs);
        let findings = check(&loaded);
        let ours = !has_errors(&findings);
        let known = DISAGREEMENTS.iter().any(|(name, _)| *name == case.name);
        if known {
            seen.push(case.name);
        }
        if (heat != ours) != known {
            let read = |file: &str| -> Option<Arc<str>> {
                Some(if file == "template.yaml" { case.template } else { case.environment? }.into())
            };
            let findings = render(&findings, Format::Concise, &read, &Options::default());
            let heat = if heat { "takes" } else { "refuses" };
            wrong.push(format!("{}: Heat {heat} it: {}\n{findings}", case.name, answer["message"]));
        }
    }
    assert_eq!(seen.len(), DISAGREEMENTS.len(), "a named disagreement is of no case");
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}
