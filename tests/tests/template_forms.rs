//! The forms of sections, definitions, parameters, functions, conditions and environments: `check` accepts what Heat
//! accepts, and refuses what Heat refuses. `templates/forms.txt` has the cases.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use wattle::check::has_errors;
use wattle::view::{Format, Options, render};
use wattle_heat::Loaded;
use wattle_heat::environment::Environment;
use wattle_heat::evaluate::{Mode, Resources, Scope, Value};
use wattle_heat::parameters::Inputs;
use wattle_hot::check;
use wattle_tests::oracle::{self, Oracle};

const FORMS: &str = include_str!("../templates/forms.txt");

/// The cases in which Heat and these checks disagree, each with the reason.
const DISAGREEMENTS: &[(&str, &str)] = &[
    ("fn_old_azs", "the zones are the cloud's, and the oracle has no cloud to ask"),
    ("par_72", "whether a time is over is for a clock to say"),
];

struct Case<'t> {
    name: &'t str,
    template: &'t str,
    environment: Option<&'t str>,
    /// The content of `child.yaml` beside it.
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

/// Judges each case with Heat and with these checks; returns the disagreements, with both verdicts.
fn disagreements(cases: &[Case<'_>]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut oracle = Oracle::strict();
    let mut found = Vec::new();
    for case in cases {
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
        let loaded = wattle_hot::load(case.template, "template.yaml", &files, &inputs);
        let diagnostics = check(&loaded);
        if heat == has_errors(&diagnostics) {
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
            let diagnostics = render(&diagnostics, Format::Concise, &read, &Options::default());
            let heat = if heat { "takes" } else { "refuses" };
            let said = format!("Heat {heat} it: {}\n{diagnostics}", answer["message"]);
            found.push((case.name.to_owned(), said));
        }
    }
    found
}

#[test]
fn heat_takes_and_refuses_the_same() {
    let found = disagreements(&cases(FORMS));
    let wrong: Vec<_> = found.iter().filter(|(name, _)| DISAGREEMENTS.iter().all(|(known, _)| known != name)).collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{wrong:#?}", wrong.len());
    assert_eq!(found.len(), DISAGREEMENTS.len(), "a named disagreement is none any more");
}

/// Replaces a random word with one of `words`.
fn change(text: &mut String, below: &mut dyn FnMut(usize) -> usize, words: &[&str]) {
    let is_word = |sign: char| sign.is_alphanumeric() || "_-:".contains(sign);
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|(at, sign)| sign.is_alphanumeric() && !text[..*at].ends_with(is_word))
        .map(|(at, _)| at)
        .collect();
    let Some(&at) = starts.get(below(starts.len().max(1))) else { return };
    let length = text[at..].find(|sign: char| " {}[],'\"\n".contains(sign)).unwrap_or(text.len() - at);
    let end = at + text[at..at + length].trim_end_matches(':').len();
    text.replace_range(at..end, words[below(words.len())]);
}

/// Templates, environments and nested templates with words from other cases inserted.
#[test]
fn changed_forms_are_judged_alike() {
    let all = cases(FORMS);
    let words: Vec<&str> = FORMS
        .split(|sign: char| sign.is_whitespace() || "{}[],:'\"".contains(sign))
        .filter(|word| !word.is_empty() && !word.starts_with(['=', '-']))
        .collect();
    let rounds = std::env::var("ROUNDS").map_or(500, |rounds| rounds.parse().expect("a number"));
    let mut state = std::env::var("SEED").map_or(0x9E37_79B9_7F4A_7C15_u64, |seed| seed.parse().expect("a number"));
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).expect("a small number")
    };
    let mut texts = Vec::new();
    for round in 0..rounds {
        let case = &all[below(all.len())];
        let mut parts = [Some(case.template), case.environment, case.file].map(|text| text.map(str::to_owned));
        let part = loop {
            if let Some(part) = &mut parts[below(3)] {
                break part;
            }
        };
        for _ in 0..=below(2) {
            change(part, &mut below, &words);
        }
        // This excludes cases that depend on the oracle, a clock, or a lookahead in a pattern.
        let is_ours =
            |text: &String| ["timezone", "expiration", "GetAZs", "(?="].iter().all(|word| !text.contains(word));
        if parts.iter().flatten().all(is_ours) {
            texts.push((format!("changed_{round}"), parts));
        }
    }
    let changed: Vec<_> = texts
        .iter()
        .map(|(name, [template, environment, file])| Case {
            name,
            template: template.as_deref().expect("a template"),
            environment: environment.as_deref(),
            file: file.as_deref(),
        })
        .collect();
    let wrong = disagreements(&changed);
    let shown: Vec<_> = wrong
        .iter()
        .map(|(name, said)| {
            let parts = texts.iter().find(|(of, _)| of == name).map(|(_, parts)| parts.iter().flatten());
            let parts: Vec<_> = parts.into_iter().flatten().map(String::as_str).collect();
            format!("{name}: {said}{}", parts.join("---\n"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} disagree:\n{}", wrong.len(), changed.len(), shown.join("\n"));
}

/// A value in the form of Heat's API.
fn shown(value: &Value) -> Json {
    match value {
        Value::Null | Value::Absent | Value::Unknown | Value::Open(_) => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(value) => json!(i64::try_from(*value).expect("a small number")),
        Value::Float(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(shown).collect(),
        Value::Map(items) => Json::Object(items.iter().map(|(key, value)| (key.clone(), shown(value))).collect()),
    }
}

/// A stack that knows nothing about its resources.
#[derive(Debug)]
struct Nothing;

impl Resources for Nothing {
    fn full_name(&self, resource: &str) -> String {
        resource.to_owned()
    }

    fn reference(&self, _: &str) -> Option<Value> {
        None
    }

    fn attribute(&self, _: &Scope<'_>, _: &str, _: &[Value]) -> Option<(Value, usize)> {
        None
    }

    fn facade(&self, _: &str) -> Option<Value> {
        None
    }
}

/// The functions of all cases are the outputs of one stack for each version, created over the simulated cloud.
#[test]
fn functions_give_what_heat_gives() {
    let begin = "resources: {r: {type: 'OS::Heat::Value', properties: {value: ";
    let mut versions: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let mut parameters = "";
    for case in cases(FORMS).into_iter().filter(|case| case.name.starts_with("fn_")) {
        let (head, rest) = case.template.split_once(begin).expect("a function");
        let (version, declared) = head.split_once('\n').expect("a version");
        parameters = declared;
        let function = rest.trim_end().strip_suffix("}}}").expect("a function");
        versions.entry(version).or_default().push((case.name, function));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut compared = 0;
    let mut wrong = Vec::new();
    // Each version requires the start of an engine, so versions with few cases are left out.
    for (version, functions) in versions.into_iter().filter(|(_, functions)| functions.len() > 8) {
        let resource = format!("{begin}x}}}}}}\n");
        let template = |functions: &[(&str, &str)]| {
            let outputs: String =
                functions.iter().map(|(name, function)| format!("  {name}: {{value: {function}}}\n")).collect();
            format!("{version}\n{parameters}{resource}outputs:\n{outputs}")
        };
        // Only cases with a known value and a name that is valid for an output.
        let known: Vec<_> = functions
            .into_iter()
            .filter_map(|function| {
                let loaded = Loaded::of(&template(&[function]), "template.yaml");
                let node = loaded.template.outputs[0].value.clone()?;
                let value = Scope::new(&loaded, Mode::Known).value(&node).ok()?;
                // The value as plans resolve it.
                let partly = Scope::new(&loaded, Mode::Partial(&Nothing)).value(&node).ok()?;
                (value.is_known() && !has_errors(&check(&loaded))).then_some((function, [value, partly]))
            })
            .collect();
        let path = folder.path().join(format!("{compared}.yaml"));
        let functions: Vec<_> = known.iter().map(|(function, _)| *function).collect();
        fs::write(&path, template(&functions)).expect("written");
        let answer = oracle::create(&[], &[], &path);
        assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer}");
        for ((name, function), values) in &known {
            compared += 1;
            for value in values {
                let (heat, ours) = (&answer["outputs"][*name], shown(value));
                if *heat != ours {
                    wrong.push(format!("{version} {function}: Heat gives {heat}, and not {ours}"));
                }
            }
        }
    }
    assert!(compared > 100, "{compared} functions are compared");
    assert!(wrong.is_empty(), "of {compared}:\n{}", wrong.join("\n"));
}
