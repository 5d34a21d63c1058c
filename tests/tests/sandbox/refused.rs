//! Invalid images, and machines that cannot create sandboxes: the fault, its place, and how to fix it.

use std::fs;

use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{Ran, Stage};
use wattle_tests::sandbox::image;
use wattle_tests::say::Say;

/// Installs a package.
#[component(recipe = "recipes/install.sh", deadline = "5m")]
pub struct Install {
    /// The package, with its version.
    #[output]
    version: String,
}

/// One server, which says a word.
#[blueprint]
pub fn saying(t: &mut Topology) {
    let net = t.add("net", neutron::Net::new());
    let a = t.add("a", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
    t.on(a).run("say", Say::new().word("one"));
}

/// One server, on which a package is installed.
#[blueprint]
pub fn packages(t: &mut Topology) -> Exports {
    let net = t.add("net", neutron::Net::new());
    let server = t.add("server", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
    Exports::new().entry("version", t.on(server).run("install", Install::new()).version)
}

pub(crate) fn harmless() -> Model {
    saying.model(Default::default())
}

pub(crate) fn installing() -> Model {
    packages.model(Default::default())
}

/// Asserts that `up` did not start, and that its message contains all of `parts`.
pub(crate) fn assert_refused(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(1), "{ran}");
    for part in parts {
        assert!(ran.err.contains(part), "{part:?} in\n{ran}");
    }
}

#[test]
fn what_is_no_image_is_refused() {
    if image().is_none() {
        return;
    }
    let stage = Stage::new(&harmless());
    let given = |name: &str| stage.run(&["up", &format!("--sandbox={}", stage.path().join(name).display())]);
    assert_refused(&given("nowhere"), &["there is no image `", "nowhere`", "--sandbox=PATH"]);
    assert_refused(&given("seed.yaml"), &["seed.yaml` is not a folder"]);
    fs::create_dir(stage.path().join("empty")).expect("a folder");
    assert_refused(&given("empty"), &["empty` is not an image", "`bin/sh`", "`oci-layout`", "skopeo copy"]);

    // The image has a shell, but nothing that `wattle` needs to run.
    fs::create_dir_all(stage.path().join("bare/bin")).expect("a folder");
    fs::write(stage.path().join("bare/bin/sh"), "").expect("writes");
    assert_refused(&given("bare"), &["`wattle` cannot run in the image `", "bare`", "glibc"]);
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert!(!stage.path().join(".wattle/disks").exists());
}

#[test]
fn what_is_missing_here_is_named() {
    if image().is_none() {
        return;
    }
    let stage = Stage::new(&harmless()).with("PATH", "/nowhere".into());
    assert_refused(&stage.run(&["up", "--sandbox"]), &["needs the program `unshare`", "package util-linux"]);

    // A user who may neither mount anything nor create namespaces.
    let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].map(str::to_owned).to_vec();
    let stage = Stage::new(&harmless()).within(words);
    for path in [stage.path().to_owned(), stage.path().join("seed.yaml")] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).expect("root may");
    }
    assert_refused(&stage.run(&["up", "--sandbox"]), &["only root can make a sandbox", "without `--sandbox`"]);
}
