//! The forms of sections, definitions, parameters, functions, conditions and environments: what Heat takes of them is
//! taken, and what it refuses is refused. `templates/forms.txt` has the cases.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use wattle::check::has_errors;
use wattle::view::{Format, Options, render};
use wattle_hot::environment::Environment;
use wattle_hot::evaluate::{Mode, Scope, Value};
use wattle_hot::parameters::Inputs;
use wattle_hot::{Loaded, check};
use wattle_tests::oracle::{self, Oracle};

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
    /// What is in `child.yaml` beside it.
    file: Option<&'t str>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("=== ")
        .skip(1)
        .map(|text| {
            let (name, rest) = text.split_once('\n').expect("a name");
            let (rest, file) = match rest.split_once("--- file child.yaml\n") {
                Some((rest, file)) => (rest, Some(file)),
                None => (rest, None),
            };
            let (template, environment) = match rest.split_once("--- environment\n") {
                Some((template, environment)) => (template, Some(environment)),
                None => (rest, None),
            };
            Case { name, template, environment, file }
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
        let mut files = BTreeMap::new();
        let child = folder.path().join("child.yaml");
        if let Some(file) = case.file {
            fs::write(&child, file).expect("written");
            files.insert("child.yaml".to_owned(), file.as_bytes().to_vec());
        }
        let answer = oracle.ask(&question);
        if case.file.is_some() {
            fs::remove_file(&child).expect("it is there");
        }
        let heat = answer["ok"].as_bool().expect("an answer");
        let loaded = Loaded::load(case.template, "template.yaml", &files, &inputs);
        let findings = check(&loaded);
        let ours = !has_errors(&findings);
        let known = DISAGREEMENTS.iter().any(|(name, _)| *name == case.name);
        if known {
            seen.push(case.name);
        }
        if (heat != ours) != known {
            let read = |file: &str| -> Option<Arc<str>> {
                Some(
                    match file {
                        "template.yaml" => case.template,
                        "child.yaml" => case.file?,
                        _ => case.environment?,
                    }
                    .into(),
                )
            };
            let findings = render(&findings, Format::Concise, &read, &Options::default());
            let heat = if heat { "takes" } else { "refuses" };
            wrong.push(format!("{}: Heat {heat} it: {}\n{findings}", case.name, answer["message"]));
        }
    }
    assert_eq!(seen.len(), DISAGREEMENTS.len(), "a named disagreement is of no case");
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

/// A value as Heat's API shows it.
fn shown(value: &Value) -> Json {
    match value {
        Value::Null | Value::Absent | Value::Unknown => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(value) => json!(i64::try_from(*value).expect("a small number")),
        Value::Float(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(shown).collect(),
        Value::Map(items) => Json::Object(items.iter().map(|(key, value)| (key.clone(), shown(value))).collect()),
    }
}

/// The functions of all cases as the outputs of one stack for each version, made over the simulated cloud.
#[test]
fn functions_give_what_heat_gives() {
    let begin = "resources: {r: {type: 'OS::Heat::Value', properties: {value: ";
    let mut versions: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let mut parameters = "";
    let text = include_str!("../templates/forms.txt");
    for case in cases(text).into_iter().filter(|case| case.name.starts_with("fn_")) {
        let (head, rest) = case.template.split_once(begin).expect("a function");
        let (version, declared) = head.split_once('\n').expect("a version");
        parameters = declared;
        let function = rest.trim_end().strip_suffix("}}}").expect("a function");
        versions.entry(version).or_default().push((case.name, function));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut compared = 0;
    let mut wrong = Vec::new();
    // Each version costs the start of an engine; the others have few cases.
    for (version, functions) in versions.into_iter().filter(|(_, functions)| functions.len() > 8) {
        let resource = format!("{begin}x}}}}}}\n");
        let template = |functions: &[(&str, &str)]| {
            let outputs: String =
                functions.iter().map(|(name, function)| format!("  {name}: {{value: {function}}}\n")).collect();
            format!("{version}\n{parameters}{resource}outputs:\n{outputs}")
        };
        // What is known, of what can be called so.
        let known: Vec<_> = functions
            .into_iter()
            .filter_map(|function| {
                let loaded = Loaded::of(&template(&[function]), "template.yaml");
                let node = loaded.template.outputs[0].value.clone()?;
                let value = Scope::new(&loaded, Mode::Known).value(&node).ok()?;
                (value.is_known() && !has_errors(&check(&loaded))).then_some((function, value))
            })
            .collect();
        let path = folder.path().join(format!("{compared}.yaml"));
        let functions: Vec<_> = known.iter().map(|(function, _)| *function).collect();
        fs::write(&path, template(&functions)).expect("written");
        let answer = oracle::create(&[], &[], &path);
        assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer}");
        for ((name, function), value) in &known {
            compared += 1;
            let (heat, ours) = (&answer["outputs"][*name], shown(value));
            if *heat != ours {
                wrong.push(format!("{version} {function}: Heat gives {heat}, and not {ours}"));
            }
        }
    }
    assert!(compared > 100, "{compared} functions are compared");
    assert!(wrong.is_empty(), "of {compared}:\n{}", wrong.join("\n"));
}
