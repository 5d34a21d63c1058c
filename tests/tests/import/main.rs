//! Imported crates compile, and their emitted templates mean the same to Heat as the originals.

mod made;
mod meaning;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use wattle_tests::oracle::Oracle;
use wattle_tests::skip;

use made::Made;
use meaning::differences;

/// The templates of a folder that are valid by themselves, in order.
fn templates(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    found.sort();
    found
}

/// Modules in which rustfmt breaks a line differently: a chain that follows a long name, with a line break inside its
/// last call.
const OTHERWISE: [&str; 2] = ["network_routes", "types_aodh"];

/// Asserts that the templates mean the same in both forms. If Heat refuses a template, it must refuse both forms in the
/// same words.
fn judge(name: &str, templates: &[PathBuf]) {
    let made = Made::of(name, templates);
    for source in made.sources() {
        if OTHERWISE.iter().any(|name| source.parent().is_some_and(|folder| folder.ends_with(name))) {
            continue;
        }
        let output = Command::new("rustfmt")
            .args(["--edition", "2024", "--check"])
            .arg(&source)
            // Here, rustfmt does not find the settings of this workspace.
            .current_dir(std::env::temp_dir())
            .output()
            .expect("rustfmt starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let mut heat = Oracle::of_meaning();
    let mut wrong = String::new();
    for (name, template) in &made.templates {
        let emitted = match made.emit(name, "agents") {
            Ok(emitted) => emitted,
            Err(said) => {
                wrong += &format!("== {name}: it does not emit\n{said}\n");
                continue;
            }
        };
        let environment = template.parent().map(|folder| folder.join("environments").join(format!("{name}.yaml")));
        let environment = environment.filter(|path| path.exists());
        let [theirs, ours] = [template, &emitted].map(|path| meaning::of(&mut heat, path, environment.as_deref()));
        let reported = differences(&theirs, &ours);
        if !reported.is_empty() {
            wrong += &format!("== {name} ({})\n{}\n", emitted.display(), reported.join("\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_emitted_means_the_same() {
    judge("selftest", &templates("heat/selftest/good"));
}

/// Files that name other files, files outside of the folder, invisible text, all attributes of a resource.
#[test]
fn forms_that_few_templates_have_mean_the_same() {
    judge("forms", &templates("templates/import/forms"));
}

/// A component that replaces a deployment is lowered to an equivalent deployment for Heat's own agents.
#[test]
fn deployments_become_components_that_mean_the_same() {
    let template = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("templates/import/software.yaml");
    let made = Made::of("components", std::slice::from_ref(&template));
    let emitted = made.emit("software", "heat-native").expect("it emits");
    let mut heat = Oracle::start();
    let [theirs, ours] = [&template, &emitted].map(|path| heat.validate(path));
    assert_eq!(theirs["ok"], true, "{theirs}");
    // `db.install_db` stands for `install_db`, and `wattle_software.Install` for `install`.
    let named = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let graph: BTreeMap<String, BTreeSet<String>> = ours["graph"]
        .as_object()
        .expect("a graph")
        .iter()
        .map(|(name, others)| {
            let others = others.as_array().expect("a list").iter();
            (named(name), others.map(|other| named(other.as_str().expect("a name"))).collect())
        })
        .collect();
    assert_eq!(json!(graph), theirs["graph"]);
    let agents = fs::read_to_string(made.emit("software", "agents").expect("it emits")).expect("a template");
    assert_eq!(agents.matches("OS::Heat::SoftwareDeployment").count(), 1, "{agents}");
}

#[test]
fn so_it_is_for_the_corpus() {
    if skip::everything("crates made from each template of the corpus") {
        judge("corpus", &templates("templates/good"));
    }
}
