//! Real services process templates: of the examples, of the corpus, and of every kind of change.

use std::fs;
use std::path::{Path, PathBuf};

use wattle::author::Blueprint as _;
use wattle::lower::Options;
use wattle_tests::openstack::{RealHeat, emitted, is_there, source};

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

/// The book warns about this.
#[test]
fn heat_s_preview_replaces_servers_that_an_update_does_not_touch_on_a_real_openstack() {
    if !is_there("Heat's preview") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = emitted(folder.path(), &hello::hello.model(Default::default()), &Options::default());
    let heat = RealHeat::new();
    let stack = heat.made("previewed", &source);
    let (before, preview) = (stack.ids(), stack.previewed(&source));
    let replaced = preview["replaced"].as_array().expect("a list");
    let servers = replaced.iter().filter(|resource| resource["resource_type"] == "OS::Nova::Server").count();
    assert_eq!(servers, 2, "{preview}");
    assert_eq!(stack.update(&source).0, "UPDATE_COMPLETE");
    assert_eq!(stack.ids(), before);
    stack.delete();
}

/// Templates of the corpus that need only what the tests' cloud has.
const CORPUS: [&str; 22] = [
    "chain.yaml",
    "conditions_deep.yaml",
    "depends_on_forms.yaml",
    "facade.yaml",
    "network_older_names.yaml",
    "network_port_forwarding.yaml",
    "network_routes.yaml",
    "network_security.yaml",
    "old_functions.yaml",
    "ports_in_groups.yaml",
    "references_everywhere.yaml",
    "version_2013-05-23.yaml",
    "version_2014-10-16.yaml",
    "version_2015-04-30.yaml",
    "version_2015-10-15.yaml",
    "version_2016-04-08.yaml",
    "version_2016-10-14.yaml",
    "version_2017-02-24.yaml",
    "version_2017-09-01.yaml",
    "version_2018-03-02.yaml",
    "version_2018-08-31.yaml",
    "version_2021-04-16.yaml",
];

/// Names that differ in the tests' cloud, and values that only an administrator may set; each with its replacement.
const NAMES: [(&str, &str); 10] = [
    ("image: i,", "image: debian-12,"),
    ("ImageId: i,", "ImageId: debian-12,"),
    ("image: debian\n", "image: debian-12\n"),
    ("flavor: f,", "flavor: m1.tiny,"),
    ("floating_network: out", "floating_network: public"),
    ("network: n,", "network: private,"),
    ("network: n}", "network: private}"),
    (", properties: {ha: true, distributed: false}", ""),
    // Neutron does not accept a rule twice.
    ("default: \"a,b\"}", "default: \"tcp,udp\"}"),
    ("template: {protocol: tcp,", "template: {protocol: <%name%>,"),
];

#[test]
fn templates_of_the_corpus_live_on_a_real_openstack() {
    if !is_there("templates of the corpus") {
        return;
    }
    let heat = RealHeat::new();
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/good");
    let mut wrong = Vec::new();
    for name in CORPUS {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&good, folder.path());
        fs::rename(folder.path().join(name), folder.path().join("template.yaml")).expect("a template");
        let stack_name = format!("corpus-{}", name.replace('.', "-"));
        let source = source(folder.path(), &stack_name, &[]);
        let lives =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| heat.is_made_and_stays(&stack_name, &source)));
        wrong.extend(lives.is_err().then_some(name));
    }
    assert!(wrong.is_empty(), "{wrong:?}, for the reasons above");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, target): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy(&path, &target);
        } else {
            let text = fs::read_to_string(&path).expect("text");
            let text = NAMES.iter().fold(text, |text, (theirs, ours)| text.replace(theirs, ours));
            fs::write(&target, text).expect("writes");
        }
    }
}
