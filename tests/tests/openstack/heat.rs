//! What real services make of templates: of the examples, of the corpus, and of every kind of change.

use std::fs;
use std::path::{Path, PathBuf};

use wattle::author::Blueprint as _;
use wattle::lower::Options;
use wattle_tests::openstack::{RealHeat, is_there, source};

#[test]
fn examples_live_on_a_real_openstack() {
    if !is_there("the examples") {
        return;
    }
    let heat = RealHeat::new();
    let mut small = Options::default();
    small.stack_resources = 12;
    heat.lives(&hello::hello.model(Default::default()), &Options::default());
    for options in [Options::default(), small] {
        heat.lives(&three_tier::three_tier.model(Default::default()), &options);
        heat.lives(&connections::connections.model(Default::default()), &options);
    }
}

/// Templates of the corpus that the services of the tests can make as they are.
const CORPUS: [&str; 20] = [
    "aws.yaml",
    "chain.yaml",
    "conditions_deep.yaml",
    "depends_on_forms.yaml",
    "environment_registry.yaml",
    "facade.yaml",
    "facade_by_name.yaml",
    "interface_by_port.yaml",
    "nested_two_deep.yaml",
    "nested_unknown_values.yaml",
    "network_basic.yaml",
    "network_security.yaml",
    "old_functions.yaml",
    "parameters_all.yaml",
    "ports_in_groups.yaml",
    "references_everywhere.yaml",
    "resource_groups.yaml",
    "servers.yaml",
    "storage.yaml",
    "version_2021-04-16.yaml",
];

#[test]
fn templates_of_the_corpus_live_on_a_real_openstack() {
    if !is_there("templates of the corpus") {
        return;
    }
    let heat = RealHeat::new();
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/good");
    for name in CORPUS {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&good, folder.path());
        fs::rename(folder.path().join(name), folder.path().join("template.yaml")).expect("a template");
        let stack_name = format!("corpus-{}", name.replace('.', "-"));
        let source = source(folder.path(), &stack_name, &[]);
        heat.is_made_and_stays(&stack_name, &source);
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, target): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copies");
        }
    }
}
