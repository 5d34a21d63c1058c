//! Files outside of a template's folder.

use std::collections::BTreeMap;

use wattle::cli::{Emission, TemplateFormat, emit};
use wattle::lower::Lowering;
use wattle::model::Model;
use wattle_heat::parameters::Inputs;
use wattle_hot::model::read;

/// A template in `app/` with these resources; there are files beside it and above it.
fn model(resources: &str) -> Model {
    let nested = "heat_template_version: 2021-04-16\nresources: {v: {type: OS::Heat::Value, properties: {value: {get_file: ../PATH}}}}\n";
    let files = [
        ("app/.profile", "hidden"),
        ("app/within.txt", "within"),
        ("outside.txt", "outside"),
        ("child.yaml", "heat_template_version: 2021-04-16\n"),
        ("app/part/within.yaml", &nested.replace("PATH", "within.txt")),
        ("app/part/outside.yaml", &nested.replace("PATH", "../outside.txt")),
    ];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into();
    let text = format!("heat_template_version: 2021-04-16\nresources:\n{resources}");
    read(&wattle_hot::load(&text, "app/template.yaml", &files, &Inputs::default())).model
}

fn value(path: &str) -> String {
    format!("  v: {{type: OS::Heat::Value, properties: {{value: {{get_file: {path}}}}}}}\n")
}

fn named(resources: &str) -> Vec<String> {
    model(resources).files.keys().map(ToString::to_string).collect()
}

#[test]
fn what_is_below_the_folder_comes_along() {
    assert_eq!(named(&value("within.txt")), ["within.txt"]);
    assert_eq!(named(&value("./within.txt")), ["within.txt"]);
    assert_eq!(named(&value(".profile")), [".profile"]);
    assert_eq!(named("  n: {type: part/within.yaml}\n"), ["part/within.yaml", "within.txt"]);
}

#[test]
fn no_template_is_written_whose_files_would_be_missing() {
    let nested = |path: &str| format!("  n: {{type: {path}}}\n");
    for (resources, path) in [
        (value("../outside.txt"), "../outside.txt"),
        (value("../app/within.txt"), "../app/within.txt"),
        (nested("../child.yaml"), "../child.yaml"),
        (nested("part/outside.yaml"), "../../outside.txt"),
    ] {
        let out = std::env::temp_dir().join(format!("wattle-outside-{}", std::process::id()));
        let emission = Emission {
            out: out.clone(),
            lowering: Lowering::Agents,
            format: TemplateFormat::Yaml,
            stack_resources: None,
            stack_bytes: None,
            deployed: None,
            model: false,
            settings: None,
            deny_warnings: false,
        };
        let refused = emit(&model(&resources), &emission).expect_err("it names what is not below");
        assert!(refused.message.contains(&format!("`{path}`")), "{}", refused.message);
        assert!(!out.exists());
    }
}
