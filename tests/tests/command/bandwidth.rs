//! `wattle place` for software with declared bandwidths, before and after it is lowered.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wattle::diagram::{self, Diagram};
use wattle::model::Model;
use wattle::prelude::*;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Stage, to_its_end};

/// Files that other components mount.
#[derive(PortType)]
#[port_type(bandwidth = "2 Gbit/s")]
struct Share {
    path: String,
}

/// A component whose readers exchange much with it, little, or nothing.
#[component(recipe = "recipes/share.sh", bandwidth = "50 Mbit/s")]
struct Source {
    #[output]
    share: Share,
    #[output]
    url: String,
    #[output(bandwidth = "0 Mbit/s")]
    count: u32,
}

/// A component that reads some of the outputs of a source.
#[component(recipe = "recipes/mount.sh")]
struct Reader {
    #[input]
    share: Option<Share>,
    #[input]
    url: Option<String>,
    #[input]
    count: Option<u32>,
    #[output]
    read: String,
}

/// Three racks with room for one server on each host.
const CLOUD: &str = "\
places:
  r1: {is: rack}
  r2: {is: rack}
  r3: {is: rack}
defaults: {vcpus: 1, memory: 4 GiB, disk: 100}
hosts:
  a1: {in: r1}
  a2: {in: r1}
  b1: {in: r2}
  b2: {in: r2}
  c1: {in: r3}
  c2: {in: r3}
flavors:
  m1.small: {vcpus: 1, memory: 2 GiB, disk: 20}
";

/// A source, a server that mounts its files, one that queries it, and one that only counts; with a policy if
/// `is_apart`.
fn model(is_apart: bool) -> Model {
    let mut t = Topology::new("shares");
    let server = || RawResource::new("OS::Nova::Server").property("flavor", "m1.small").property("image", "debian-12");
    let [asks, files, counts, mounts] = ["asks", "files", "counts", "mounts"].map(|name| t.add(name, server()));
    let source = t.on(files).run("source", Source::new());
    t.on(mounts).run("reader", Reader::new().share(source.share).url(source.url));
    t.on(asks).run("reader", Reader::new().url(source.url));
    t.on(counts).run("reader", Reader::new().count(source.count));
    if is_apart {
        t.apart([mounts, asks]).by(Level::Rack);
    }
    t.finish(Exports::new())
}

/// Runs `wattle`, which must succeed.
fn ran(here: &Path, args: &[&str]) -> String {
    let mut command = Command::new(wattle());
    let ran = to_its_end(apart(command.args(args).current_dir(here), here));
    assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
    ran.out
}

/// The hosts chosen by `wattle place` for the servers of `template`, their bandwidths, and the bandwidth across racks.
fn placed(here: &Path, template: &str, out: &str) -> (Vec<(String, String)>, i64, i64) {
    let text = ran(here, &["place", template, "--hosts", "cloud.yaml", "--admin", "--format", "json", "--out", out]);
    let said: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(said["bandwidth"]["unit"], "Mbit/s", "{said}");
    let servers = said["servers"].as_array().expect("a list").iter();
    let text = |one: &Value, key: &str| one[key].as_str().expect("text").to_owned();
    let mut servers: Vec<_> = servers.map(|one| (text(one, "server"), text(one, "rack"))).collect();
    servers.sort();
    let number = |key: &str| said["bandwidth"][key].as_i64().expect("a number");
    (servers, number("all"), number("across_racks"))
}

fn stage(model: &Model) -> Stage {
    let stage = Stage::new(model);
    fs::write(stage.path().join("cloud.yaml"), CLOUD).expect("writes");
    fs::write(stage.path().join("graph.json"), diagram::of(model).without_texts().to_json()).expect("writes");
    let extended = wattle::emit::to_yaml(&wattle::extended::template(model)).expect("emits");
    fs::write(stage.path().join("model.yaml"), extended).expect("writes");
    stage
}

#[test]
fn a_placement_is_the_same_before_and_after_lowering() {
    for is_apart in [true, false] {
        let stage = stage(&model(is_apart));
        let here = stage.path();
        let after = placed(here, ".", "after");
        let before = placed(here, "model.yaml", "before");
        // A placed template can be lowered. A template that `lower` writes is placed like one that the program writes.
        ran(here, &["lower", "before/model.yaml", "--out", "lowered"]);
        let lowered = fs::read_to_string(here.join("lowered/shares/template.yaml")).expect("reads");
        assert_eq!(lowered.matches("nova:").count(), 4, "{lowered}");
        ran(here, &["lower", "model.yaml", "--out", "plain"]);
        let again = placed(here, "plain/shares", "again");
        assert_eq!((&before, &again), (&after, &after));

        let (servers, all, across) = after;
        let rack = |name: &str| &servers.iter().find(|(server, _)| server == name).expect("a server").1;
        assert_eq!((all, across), (2050, 50), "{servers:?}");
        assert_eq!(rack("files"), rack("mounts"), "{servers:?}");
        assert_ne!(rack("files"), rack("asks"), "{servers:?}");
    }
}

#[test]
fn what_was_placed_is_drawn_within_its_racks_and_hosts() {
    let stage = stage(&model(true));
    let here = stage.path();
    let (servers, ..) = placed(here, ".", "placed");
    let diagram = Diagram::from_json(&ran(here, &["graph", "placed", "--format", "json"])).expect("a diagram");
    let known: Vec<(String, String)> = servers
        .iter()
        .map(|(name, _)| (name.clone(), diagram.places[name.as_str()].rack.as_deref().expect("a rack").to_owned()))
        .collect();
    assert_eq!(known, servers);
    let drawn = ran(here, &["graph", "placed"]);
    for place in ["r1 (rack)", "a1 (host)"] {
        assert!(drawn.contains(place), "{drawn}");
    }
    assert!(drawn.contains(", 2 Gbit/s"), "{drawn}");
    let before = ran(here, &["graph", "."]);
    assert!(!before.contains("(rack)") && !before.contains("(host)"), "{before}");
    // The diagram of a template that names hosts shows them, but no racks.
    let template = ran(here, &["graph", "placed/template.yaml"]);
    assert!(template.contains("a1 (host)") && !template.contains("(rack)"), "{template}");
    assert!(ran(here, &["graph", "placed", "--format", "svg"]).contains(">host<"), "frames say what they are");
}
