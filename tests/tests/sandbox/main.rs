//! `wattle up --sandbox`: servers with their own file systems, which leave nothing behind.

mod hostile;
mod layout;
mod refused;

use std::fs;
use std::path::Path;
use std::time::Duration;

use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{self, Stage, eventually};
use wattle_tests::sandbox::image;
use wattle_tests::skip;

/// Leaves traces on its server.
#[component(recipe = "recipes/trespass.sh", deadline = "1m")]
pub struct Trespass {
    /// The word that it leaves.
    #[input]
    word: String,
    /// What another server has said.
    #[input]
    heard: Option<String>,
    /// How many seconds its process stays.
    #[input]
    seconds: String,

    /// The word, and where it was said.
    #[output]
    said: String,
}

/// Two servers: one hears what the other says.
#[blueprint]
pub fn trespassers(t: &mut Topology) -> Exports {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let server = || nova::Server::new().image("debian-12").flavor("m1.small").network(net);
    let [a, b] = ["a", "b"].map(|name| t.add(name, server()));
    let first = t.on(a).run("trespass", Trespass::new().word("one").seconds(SECONDS));
    let second = t.on(b).run("trespass", Trespass::new().word("two").heard(first.said).seconds(SECONDS));
    Exports::new().entry("said", second.said)
}

/// How long the processes that recipes leave behind sleep. The number identifies them.
const SECONDS: &str = "4719";

fn model() -> Model {
    trespassers.model(Default::default())
}

fn sandbox(image: &Path) -> String {
    format!("--sandbox={}", image.display())
}

/// The processes that recipes have left in the sandboxes of a stage, recognized by mounts in its folder.
fn left(stage: &Stage) -> Vec<i32> {
    let place = stage.path().display().to_string();
    let is_it = |pid: &i32| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == b"sleep\x004719\0")
            && fs::read_to_string(format!("/proc/{pid}/mountinfo")).is_ok_and(|mounts| mounts.contains(&place))
    };
    let entries = fs::read_dir("/proc").expect("reads").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_it).collect()
}

/// The mounts below the stage's folder.
fn mounts(stage: &Stage) -> Vec<String> {
    let all = fs::read_to_string("/proc/self/mountinfo").expect("reads");
    let place = stage.path().display().to_string();
    all.lines().filter(|line| line.contains(&place)).map(str::to_owned).collect()
}

/// Asserts that nothing of the sandboxes is left.
fn assert_gone(stage: &Stage) {
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert_eq!(left(stage), Vec::<i32>::new());
    assert_eq!(mounts(stage), Vec::<String>::new());
    for path in [".wattle/disks", ".wattle/servers/a/sandbox", ".wattle/servers/b/sandbox"] {
        assert!(!stage.path().join(path).exists(), "{path} is left");
    }
}

#[test]
fn recipes_leave_no_trace_on_the_machine() {
    let Some(image) = image() else { return };
    let stage = Stage::new(&model()).with("WATTLE_TEST_OUTSIDE", "1".into());
    let version = fs::read(image.join("etc/debian_version")).expect("Debian has one");
    let mut up = stage.up(&[sandbox(image).as_str()]);
    up.wait_for("is up", Duration::from_mins(2));
    assert!(up.said().contains("in sandboxes, "), "{}", up.said());
    assert!(!up.said().contains("recipes run"), "nothing to warn of: {}", up.said());
    // A value was passed from one server to the other.
    assert_eq!(stage.ask(&["get", "b/trespass/said"]).out, "two on b after one on a\n");

    // Each server has its own file system, and the machine and the image are unchanged.
    let own = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/root/etc/wattle-trespassed")).expect("reads");
    let mut found: Vec<String> = left(&stage).iter().map(own).collect();
    found.sort();
    assert_eq!(found, ["one\n", "two\n"]);
    for root in [Path::new("/"), image] {
        for trace in ["etc/wattle-trespassed", "usr/local/bin/wattle-trespassed"] {
            assert!(!root.join(trace).exists(), "{trace} in {}", root.display());
        }
    }
    assert_eq!(fs::read(image.join("etc/debian_version")).expect("it is still there"), version);
    assert_eq!(mounts(&stage), Vec::<String>::new(), "all mounts are the sandboxes' own");
    assert!(stage.path().join(".wattle/servers/a/sandbox/state/kept").exists(), "it can be looked at while it is up");

    // A dead agent is restarted in the same sandbox: finished components do not run again.
    let agents = stage.processes("servers/a/identity.json");
    running::kill(*agents.first().expect("an agent"));
    eventually("another agent of a", || stage.log("a").matches(" agent starts").count() == 2);
    assert_eq!(left(&stage).len(), 2);

    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
    assert!(!up.said().contains("by force"), "{}", up.said());
    assert_gone(&stage);

    // The next `up` starts with new servers: the recipes find no traces of earlier runs.
    let again = stage.run(&["up", &sandbox(image), "--until-done"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_gone(&stage);
}

#[test]
fn what_was_killed_takes_its_sandboxes_along() {
    let Some(image) = image() else { return };
    let stage = Stage::new(&model());
    let detached = stage.run(&["up", &sandbox(image), "--network", "loopback", "--detach", "--until-done"]);
    assert_eq!(detached.code, Some(0), "{detached}");
    let keeper = fs::read_to_string(stage.path().join(".wattle/up.json")).expect("reads");
    let keeper: serde_json::Value = serde_json::from_str(&keeper).expect("JSON");
    let left = left(&stage);
    assert_eq!(left.len(), 2);
    running::kill(i32::try_from(keeper["pid"].as_i64().expect("a number")).expect("a process"));
    eventually("nothing of it runs", || left.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()));
    assert!(stage.path().join(".wattle/disks/a").exists(), "nobody has removed it yet");
    let down = stage.run(&["down", "--delete"]);
    assert_eq!(down.code, Some(0), "{down}");
    assert_gone(&stage);
    assert!(!stage.path().join(".wattle/servers").exists());
}

#[test]
fn without_a_sandbox_the_first_line_says_what_recipes_do() {
    let stage = Stage::new(&crate::refused::harmless());
    let mut up = stage.up(&["--network", "loopback", "--ui"]);
    up.wait_for("is up", Duration::from_mins(1));
    let first = up.said().lines().next().unwrap_or_default().to_owned();
    assert!(first.contains("recipes run as "), "{first}");
    assert!(first.contains("`--sandbox`"), "{first}");
    // A running stack does not switch to a sandbox.
    let inside = stage.run(&["up", "--sandbox"]);
    assert_eq!(inside.code, Some(2), "{inside}");
    assert!(
        inside.err.contains("is already up, and not in a sandbox") && inside.err.contains("wattle down"),
        "{inside}"
    );
    assert_eq!(up.interrupt(), Some(0));
}

#[test]
fn three_tier_runs_in_sandboxes() {
    let Some(image) = image() else { return };
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let up = stage.run(&["up", &sandbox(image), "-P", "db_password=sesame", "--detach", "--until-done"]);
    assert_eq!(up.code, Some(0), "{up}");
    let url = stage.ask(&["get", "web/nginx/url"]).out;
    let answer = running::http_get(url.trim());
    assert!(answer.contains(r#""name": "hurdle""#), "{answer}");
    let down = stage.run(&["down"]);
    assert_eq!(down.code, Some(0), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert!(!stage.path().join(".wattle/disks").exists());
}

/// The image comes from debootstrap, and the packages from apt.
#[test]
fn packages_are_installed_in_sandboxes_only() {
    if !skip::everything("an image of Debian, and packages in it") || image().is_none() {
        return;
    }
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache");
    let stage = Stage::new(&crate::refused::installing()).with("XDG_CACHE_HOME", cache.display().to_string());
    let installed = || fs::read("/var/lib/dpkg/status").unwrap_or_default();
    let before = installed();
    let mut up = stage.up(&["--sandbox"]);
    up.wait_for("is up", Duration::from_mins(10));
    let said = stage.ask(&["get", "server/install/version"]).out;
    assert!(said.starts_with("ncal "), "{said}");
    assert!(installed() == before, "the machine's packages have changed");
    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert!(cache.join("wattle/images").is_dir(), "the image stays");
}
