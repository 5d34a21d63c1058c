//! Heat's engine accepts every template, and orders components exactly as the model does.

use std::collections::BTreeSet;
use std::path::Path;

use wattle::check::{Severity, check};
use wattle::lower::native::lower;
use wattle::model::{Binding, Declaration, Expr, Model, Name, OutputDeclaration, Reference, Scalar, Type};
use wattle_tests::native::{heat_takes, limits};
use wattle_tests::oracle::Oracle;
use wattle_tests::random;

use crate::agents::every_tool;
use crate::examples;

#[test]
fn heat_takes_every_example_and_orders_it_as_the_model_does() {
    let mut oracle = Oracle::start();
    for model in examples() {
        assert_eq!(check(&model, &limits()), [], "an example has diagnostics");
        heat_takes(&mut oracle, &model);
    }
}

#[test]
fn user_data_of_ones_own_comes_along() {
    let [mut model, ..] = examples();
    let at = model.at.clone();
    let alice = &mut model.resources["alice"];
    for (property, value) in
        [("user_data", "#!/bin/sh\ninstall-heat-agents\n"), ("user_data_format", "SOFTWARE_CONFIG")]
    {
        alice.properties.insert(property.into(), Binding { value: value.into(), at: at.clone() });
    }
    assert_eq!(check(&model, &limits()), []);
    heat_takes(&mut Oracle::start(), &model);
    let alice = serde_json::to_value(&lower(&model).template).expect("JSON")["resources"]["alice"].clone();
    assert_eq!(alice["properties"]["user_data"], "#!/bin/sh\ninstall-heat-agents\n");
    assert_eq!(alice["properties"]["user_data_format"], "SOFTWARE_CONFIG");
}

fn reads_imports(model: &Model) -> bool {
    let mut bindings = model.components.values().flat_map(|component| component.inputs.values());
    bindings.any(|binding| binding.value.leaves().any(|leaf| matches!(leaf, Reference::Import { .. })))
}

/// The hook of each component type.
fn groups(model: &Model) -> Vec<String> {
    let resources = lower(model).template.resources;
    let groups = resources.values().filter_map(|resource| resource.property("group"));
    groups.map(|group| serde_json::to_value(group).expect("JSON").as_str().expect("a name").to_owned()).collect()
}

#[test]
fn what_a_hook_does_not_do_a_program_does() {
    let model = every_tool();
    assert_eq!(groups(&model), ["script", "ansible", "script", "puppet", "script", "script", "script"]);
    let changed = |key: &str, change: &dyn Fn(&mut Declaration)| {
        let mut model = every_tool();
        change(&mut model.declarations[key]);
        groups(&model)
    };
    let kind = |name: &str| model.declarations.keys().find(|key| key.ends_with(name)).expect("a kind").to_string();
    let (hook, facts) = (kind("::Hook"), kind("::Facts"));
    assert_eq!(changed(&hook, &|hook| hook.deadline = Some(60))[1], "script");
    assert_eq!(changed(&facts, &|facts| facts.deadline = Some(60))[3], "script");
    let port = Type::integer(0, 65_535);
    assert_eq!(changed(&facts, &|facts| facts.inputs["before"].ty = port.clone())[3], "script");
    let mut model = every_tool();
    model.components["server/hook"].inputs["texts"].value = Expr::from(vec!["{{ y }}".to_owned()]);
    assert_eq!(groups(&model)[1], "script");
}

/// Reads texts as values of types, with the program of a component type that has all of them.
const READING: &str = r#"
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
def holds(ty, text):
    try:
        program.read(ty, text, "it")
        return True
    except program.Failure:
        return False
print(json.dumps([[holds(ty, text) for text in json.loads(sys.argv[3])] for ty in json.loads(sys.argv[2])]))
"#;

#[test]
fn programs_judge_addresses_as_wattle_does() {
    let scalars = [Scalar::Ip, Scalar::Ipv4, Scalar::Ipv6, Scalar::Network];
    let texts = [
        "10.0.0.1",
        "10.0.0.7/24",
        "10.0.0.0/33",
        "10.0.0.0/024",
        "10.0.0.0/",
        "/24",
        "::1",
        "2001:DB8::/32",
        "::/129",
        "10.0.0",
        "",
        "x",
        "10.0.0.0/24/24",
        "10.0.0.0/255.0.0.0",
        " 10.0.0.0/8",
    ];
    let mut model = every_tool();
    let kind = model.declarations.keys().find(|key| key.ends_with("::Shell")).expect("a kind").clone();
    let outputs = &mut model.declarations[&kind].outputs;
    let output = outputs["line"].clone();
    *outputs = scalars
        .map(|scalar| (scalar.word().into(), OutputDeclaration { ty: Type::Scalar(scalar), ..output.clone() }))
        .into_iter()
        .collect();
    let config = |name: &Name| name.contains("Shell");
    let resources = lower(&model).template.resources;
    let config = resources.iter().find(|(name, _)| config(name)).and_then(|(_, config)| config.property("config"));
    let program = serde_json::to_value(config.expect("a program")).expect("JSON");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program.py");
    std::fs::write(&path, program.as_str().expect("text")).expect("a new file");
    let words = serde_json::to_string(&scalars.map(Scalar::word)).expect("JSON");
    let said = std::process::Command::new("python3")
        .args(["-c", READING])
        .args([path.as_os_str(), words.as_ref(), serde_json::to_string(&texts).expect("JSON").as_ref()])
        .output()
        .expect("python3 runs");
    let said: Vec<Vec<bool>> = serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    for (scalar, said) in scalars.into_iter().zip(said) {
        for (text, holds) in texts.into_iter().zip(said) {
            assert_eq!(holds, scalar.holds(text), "`{text}` as {scalar}");
        }
    }
}

#[test]
fn heat_takes_random_models_and_orders_them_as_they_are() {
    let mut oracle = Oracle::start();
    let mut taken = 0;
    for seed in 0..80_u32 {
        let model = random::model(&random::bytes(seed, 400));
        let found = check(&model, &limits());
        let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        // Only reads from other stacks are refused.
        let errors: BTreeSet<&str> = errors.map(|diagnostic| diagnostic.code).collect();
        assert!(errors.iter().all(|code| *code == "W0901"), "{found:#?}");
        assert_eq!(errors.is_empty(), !reads_imports(&model));
        if errors.is_empty() {
            heat_takes(&mut oracle, &model);
            taken += 1;
        }
    }
    assert!(taken > 20, "only {taken} models were tried");
}

#[test]
fn every_reference_of_a_component_is_heats() {
    use wattle::lower::{Reader, Way};
    for model in examples() {
        let lowered = lower(&model);
        assert!(lowered.decisions.iter().all(|decision| decision.way == Way::Heat && decision.at.is_known()));
        let readers =
            lowered.decisions.iter().filter(|decision| matches!(decision.reader, Reader::Input { .. })).count();
        assert!(readers > 0, "{}", model.stack);
        assert_eq!(lowered, lower(&model));
    }
}

/// The templates of the two small examples. The third example only has more of the same.
#[test]
fn templates_read_as_they_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    settings.set_omit_expression(true);
    settings.bind(|| {
        for model in &examples()[..2] {
            let text = wattle::emit::to_yaml(&lower(model).template).expect("emits");
            insta::assert_snapshot!(format!("{}-native.yaml", model.stack), without_program(&text));
        }
    });
}

/// The text without the common part of the programs.
fn without_program(text: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        let code = line.trim_start();
        if code.starts_with("class Failure") {
            kept.push_str("        ...\n");
            inside = true;
        }
        if inside && !line.is_empty() && !line.starts_with("        ") {
            inside = false;
        }
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
