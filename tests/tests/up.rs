//! `wattle up`: whole topologies on this machine, with real software.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{self, Stage, eventually};
use wattle_tests::say::Say;
use wattle_tests::skip;
use wattle_tests::workload::{Size as Workload, workload};

/// What the servers say.
#[derive(Deserialize)]
#[serde(default)]
pub struct Words {
    first: String,
    second: String,
    third: bool,
}

impl Default for Words {
    fn default() -> Self {
        Self { first: "one".into(), second: "two".into(), third: false }
    }
}

/// Two or three servers: each writes its word after the word of the previous one.
#[blueprint]
pub fn talk(t: &mut Topology, (): (), words: Words) -> Exports {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let server = || nova::Server::new().image("debian-12").flavor("m1.small").network(net);
    let a = t.add("a", server());
    let before = t.on(a).run("before", Say::new().word("zero"));
    let first = t.on(a).run("say", Say::new().word(words.first).service("4711"));
    let b = t.add("b", server());
    let mut last = t.on(b).run("say", Say::new().word(words.second).heard(first.said));
    if words.third {
        let c = t.add("c", server());
        last = t.on(c).run("say", Say::new().word("three").heard(last.said).service("4712"));
    }
    Exports::new().entry("said", last.said).entry("before", before.said)
}

/// What another stack says.
const RUMOUR: Export<String> = Export::new("tavern", "rumour");
/// How often it says it.
const TIMES: Export<u8> = Export::new("tavern", "times");

/// One server that says what another stack says.
#[blueprint]
pub fn gossip(t: &mut Topology) -> Exports {
    let net = t.add("net", neutron::Net::new());
    let a = t.add("a", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
    let (rumour, times) = (t.import(RUMOUR), t.import(TIMES));
    let said = t.on(a).run("say", Say::new().word(text!("{rumour}, {times} times"))).said;
    Exports::new().entry("said", said)
}

/// What to say, chosen when the stack is deployed.
#[derive(Parameters)]
pub struct Whispered {
    /// The word.
    #[parameter]
    word: Parameter<String>,
}

/// One server that says the value of a parameter.
#[blueprint]
pub fn whisper(t: &mut Topology, p: Whispered) {
    let net = t.add("net", neutron::Net::new());
    let a = t.add("a", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
    t.on(a).run("say", Say::new().word(p.word));
}

/// Eight servers that all say the same.
#[blueprint]
pub fn chorus(t: &mut Topology, (): (), words: Words) {
    let net = t.add("net", neutron::Net::new());
    for number in 1..=8 {
        let server = nova::Server::new().image("debian-12").flavor("m1.small").network(net);
        let server = t.add(format!("voice{number}"), server);
        t.on(server).run("say", Say::new().word(words.first.as_str()));
    }
}

fn talking(first: &str, second: &str, third: bool) -> Model {
    talk.model(Words { first: first.into(), second: second.into(), third })
}

fn golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("command-{name}"), text));
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn three_tier_answers_with_data_of_its_database() {
    if !running::can_run_three_tier() {
        return;
    }
    let password = "p:a\\ss 'word' $HOME";
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let mut up = stage.up(&["--parameter", &format!("db_password={password}")]);
    up.wait_for("is up", Duration::from_mins(2));
    let url = stage.ask(&["get", "web/nginx/url"]).out;
    let answer = running::http_get(url.trim());
    assert!(answer.contains(r#""name": "hurdle""#), "{answer}");
    assert_eq!(stage.ask(&["get", "db/catalogue/products"]).out, "3\n");
    assert!(up.said().contains(url.trim()), "{}", up.said());

    // A dead agent is restarted. Finished components do not run again, and services are not affected.
    let count = |what: &str| stage.log("db").matches(&format!(" {what} component=")).count();
    assert_eq!((count("runs"), count("done")), (2, 2), "{}", stage.log("db"));
    let database = stage.processes("bin/postgres -D");
    assert_eq!(database.len(), 1, "{database:?}");
    let agents = stage.processes("agent --identity");
    assert_eq!(agents.len(), 4, "{agents:?}");
    let agent = stage.processes("servers/db/identity.json");
    running::kill(agent[0]);
    eventually("another agent of db", || {
        let now = stage.processes("servers/db/identity.json");
        now.len() == 1 && now != agent && count("done") == 4
    });
    assert_eq!(count("runs"), 2, "{}", stage.log("db"));
    assert_eq!(stage.processes("bin/postgres -D"), database);

    // After Ctrl-C, nothing is left running.
    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert!(stage.ask(&["status"]).err.contains("` is not up"));

    // Now in the background, with the same data.
    let again = stage.run(&["up", "--detach", "--until-done", "--parameter", &format!("db_password={password}")]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(running::http_get(url.trim()).contains(r#""name": "hurdle""#));
    let down = stage.run(&["down"]);
    assert_eq!((down.code, down.err.as_str()), (Some(0), ""), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert_eq!(stage.files_with(password), Vec::<String>::new());
    // Masking is only a safety net, so only the owner and their group may read logs.
    let servers = stage.path().join(".wattle/servers");
    for server in ["db", "app1", "app2", "web"] {
        let log = fs::metadata(servers.join(server).join("agent.log")).expect("it is there");
        assert_eq!(log.permissions().mode() & 0o777, 0o640, "{server}");
    }
}

#[test]
fn another_seed_is_applied_to_what_runs() {
    let stage = Stage::new(&talking("one", "two", false));
    let mut up = stage.up(&[]);
    up.wait_for("is up", Duration::from_mins(1));
    assert_eq!(stage.ask(&["get", "b/say/said"]).out, "two after one\n");
    let service = stage.services("4711");
    assert_eq!(service.len(), 1);

    stage.emit(&talking("one", "deux", true));
    let renewed = stage.run(&["up"]);
    assert_eq!(renewed.code, Some(0), "{renewed}");
    assert!(renewed.err.contains("now revision 2"), "{renewed}");
    assert!(renewed.out.contains("three after deux after one"), "{renewed}");
    assert_eq!(stage.said("a"), ["zero", "one"], "unchanged, so not run again");
    assert_eq!(stage.said("b"), ["two", "deux"]);
    assert_eq!(stage.services("4711"), service);

    let unchanged = stage.run(&["up"]);
    assert!(unchanged.err.contains("unchanged"), "{unchanged}");
    // It is deployed in no cloud, whatever `clouds.yaml` says.
    let destroyed = stage.run(&["destroy", "--yes"]);
    assert_eq!(destroyed.code, Some(2), "{destroyed}");
    assert!(destroyed.err.contains("is deployed in no cloud") && destroyed.err.contains("wattle down"), "{destroyed}");
    assert_eq!(stage.said("b"), ["two", "deux"]);
    assert_eq!(up.interrupt(), Some(0));
    assert_eq!(stage.services("4711"), Vec::<i32>::new());
    assert_eq!(stage.processes(""), Vec::<i32>::new());

    // After the next start, everything runs again, once.
    let boot = stage.run(&["up", "--until-done"]);
    assert_eq!(boot.code, Some(0), "{boot}");
    assert_eq!(stage.said("a"), ["zero", "one", "zero", "one"]);
    assert_eq!(stage.said("c"), ["three", "three"]);
    assert_eq!(stage.processes(""), Vec::<i32>::new());
}

#[test]
fn the_software_of_a_server_that_has_left_is_ended() {
    let stage = Stage::new(&talking("one", "two", true));
    let mut up = stage.up(&[]);
    up.wait_for("is up", Duration::from_mins(1));
    let stays = stage.services("4711");
    assert_eq!((stays.len(), stage.services("4712").len()), (1, 1));

    stage.emit(&talking("one", "two", false));
    let shrunk = stage.run(&["up"]);
    assert_eq!(shrunk.code, Some(0), "{shrunk}");
    assert!(shrunk.err.contains("talk: 2 servers, 3 components"), "{shrunk}");
    up.wait_for("c has left: what ran there has been stopped", Duration::from_mins(1));
    assert_eq!(stage.services("4712"), Vec::<i32>::new());
    assert_eq!(stage.processes("servers/c/"), Vec::<i32>::new(), "its agent");
    assert_eq!(stage.services("4711"), stays, "others go on");

    // It returns as a new machine, possibly with the old address.
    stage.emit(&talking("one", "two", true));
    assert_eq!(stage.run(&["up"]).code, Some(0));
    assert_eq!(stage.said("c"), ["three", "three"]);
    assert_eq!(stage.services("4712").len(), 1);
    assert_eq!(up.interrupt(), Some(0));
    assert_eq!(stage.processes(""), Vec::<i32>::new());
}

#[test]
fn what_fails_is_reported_with_its_root() {
    let stage = Stage::new(&talking("fail", "two", true));
    let mut up = stage.up(&[]);
    up.wait_for("2 are blocked", Duration::from_mins(1));
    let why = stage.ask(&["status", "--why"]);
    assert_eq!(why.code, Some(1));
    let text = running::without_times(&why.out);
    golden("why", &text);
    let status = json(&stage.ask(&["status", "--format", "json"]).out);
    let counts = [&status["components"]["failed"], &status["components"]["blocked"]];
    assert_eq!(counts, [3, 2], "for programs, what is blocked has failed as well");
    assert_eq!(status["servers"]["c"]["components"]["say"]["state"], "failed");
    assert_eq!(status["causes"][0]["component"], "a/say");
    assert_eq!(status["causes"][0]["holds"], serde_json::json!(["b/say", "c/say"]));
    let get = stage.ask(&["get", "c/say/said"]);
    assert!(get.err.contains("`c/say/said` has no value: a/say"), "{get}");

    let again = stage.run(&["up"]);
    assert_eq!(again.code, Some(1), "{again}");

    // The operator cannot set the value by hand, but a new revision tries failed components again.
    let refused = stage.ask(&["set", "a/say/said", "un"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    stage.emit(&talking("un", "two", true));
    let fixed = stage.run(&["up"]);
    assert_eq!(fixed.code, Some(0), "{fixed}");
    assert_eq!(stage.ask(&["get", "c/say/said"]).out, "three after two after un\n");
    assert_eq!(stage.said("a"), ["zero", "fail", "un"]);
    assert_eq!(up.interrupt(), Some(0));
}

#[test]
fn what_fails_alike_on_many_servers_is_reported_once() {
    let stage = Stage::new(&chorus.model(Words { first: "fail".into(), ..Words::default() }));
    let up = stage.run(&["up", "--until-done"]);
    assert_eq!(up.code, Some(1), "{up}");
    assert!(up.out.contains("8 of 8 have failed"), "{up}");
    assert_eq!(up.out.matches("has failed: ").count(), 1, "{up}");
    assert!(
        up.out.contains(
            "voice2/say, voice3/say, voice4/say, voice5/say, voice6/say and 2 more have failed in the same way"
        ),
        "{up}"
    );
}

#[test]
fn a_stack_that_imports_is_told_what_others_would_export() {
    let stage = Stage::new(&gossip.model(Default::default()));
    let without_imports = stage.run(&["up"]);
    assert_eq!(without_imports.code, Some(2), "{without_imports}");
    let without_imports = format!("{without_imports}").replace(stage.path().to_str().unwrap(), "<here>");
    golden("missing-import", &without_imports);
    let wrong = stage.run(&["up", "--import", "tavern:rumor=x", "--import", "tavern:times=often"]);
    assert_eq!(wrong.code, Some(2), "{wrong}");
    golden("wrong-import", &format!("{wrong}").replace(stage.path().to_str().unwrap(), "<here>"));
    let args = ["up", "--detach", "--until-done", "--import", "tavern:rumour=psst=1", "--import", "tavern:times=3"];
    let up = stage.run(&args);
    assert_eq!(up.code, Some(0), "{up}");
    assert_eq!(stage.ask(&["get", "a/say/said"]).out, "psst=1, 3 times\n");
    let plan = stage.run_at(stage.path(), &["plan", "."]);
    assert_eq!(plan.code, Some(0), "{plan}");
    assert_eq!(stage.run(&["down"]).code, Some(0));
}

#[test]
fn a_watch_tells_what_changes_until_all_is_done() {
    let stage = Stage::new(&talking("slow", "two", false));
    assert_eq!(stage.run(&["up", "-d"]).code, Some(0));
    let watched = stage.ask(&["status", "--watch"]);
    assert_eq!(watched.code, Some(0), "{watched}");
    let text = running::without_times(&watched.out);
    let frames: Vec<&str> = text.split("talk  revision 1: ").skip(1).collect();
    assert!(frames.len() > 1 && text.contains("for a/say"), "{watched}");
    assert!(frames.last().is_some_and(|frame| frame.starts_with("3 of 3 components done")), "{watched}");
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "time alone is reported: {watched}");
}

#[test]
fn who_follows_learns_when_it_is_ended() {
    let stage = Stage::new(&talking("slow", "two", false));
    let mut up = stage.up(&[]);
    up.wait_for("a/say runs", Duration::from_mins(1));
    let mut follower = stage.up(&[]);
    follower.wait_for("is already up", Duration::from_mins(1));
    assert_eq!(up.interrupt(), Some(1), "{}", up.said());
    assert_eq!(follower.ended(), Some(1), "{}", follower.said());
    assert!(follower.said().contains("talk was stopped before it was done"), "{}", follower.said());
}

#[test]
fn what_a_killed_up_leaves_is_ended_by_the_next() {
    let stage = Stage::new(&talking("one", "two", false));
    assert_eq!(stage.run(&["up", "-d", "--until-done"]).code, Some(0));
    assert_eq!(stage.services("4711").len(), 1);
    running::kill(stage.processes("--background")[0]);
    eventually("it is gone", || stage.processes("--background").is_empty());
    assert!(!stage.processes("").is_empty(), "the agents are still there");
    let status = stage.ask(&["status"]);
    assert_eq!(status.code, Some(1), "{status}");
    assert!(status.err.contains("was killed, and has left 3 processes running"), "{status}");
    // Without a directory, a command from elsewhere names the one that is up.
    for command in ["status", "down"] {
        let ran = stage.run_at(std::path::Path::new("/"), &[command]);
        assert!(ran.err.contains(&format!("wattle down {}", stage.path().display())), "{ran}");
    }
    assert_eq!(stage.services("4711").len(), 1, "nobody has ended it");
    let down = stage.run(&["down"]);
    assert_eq!(down.code, Some(0), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert_eq!(stage.services("4711"), Vec::<i32>::new());
}

#[test]
fn no_process_that_stays_shows_what_a_parameter_holds() {
    let stage = Stage::new(&whisper.model(Default::default()));
    let up = stage.run(&["up", "-dP", "word=hunter22", "--until-done"]);
    assert_eq!(up.code, Some(0), "{up}");
    assert_eq!(stage.said("a"), ["hunter22"]);
    assert_eq!(stage.processes("--background").len(), 1);
    assert_eq!(stage.processes("hunter22"), Vec::<i32>::new());

    let file = stage.path().join("word.txt");
    std::fs::write(&file, "hunter33\n").expect("writes");
    let again = stage.run(&["up", "--parameter-file", &format!("word={}", file.display())]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(stage.said("a"), ["hunter22", "hunter33"]);
    std::fs::write(&file, "").expect("writes");
    let empty = stage.run(&["up", "--parameter-file", &format!("word={}", file.display())]);
    assert_eq!(empty.code, Some(2), "{empty}");
    assert!(empty.err.contains("it is empty"), "{empty}");
}

/// A command may return its value only once, and an `up` in the background is a process of its own.
#[test]
fn what_a_command_gives_once_arrives_in_the_background() {
    let stage = Stage::new(&whisper.model(Default::default()));
    let runs = stage.path().join("runs");
    let command = format!("word=echo x >>'{}'; echo hunter44", runs.display());
    let up = stage.run(&["up", "-d", "--until-done", "-P", "word=wrong", "--parameter-from", &command]);
    assert_eq!(up.code, Some(0), "{up}");
    assert_eq!(stage.said("a"), ["hunter44"]);
    assert_eq!(std::fs::read_to_string(&runs).expect("it ran"), "x\n");
    assert_eq!(stage.processes("hunter44"), Vec::<i32>::new());
}

#[test]
fn servers_with_networks_of_their_own() {
    if !running::can_make_networks() {
        return;
    }
    let stage = Stage::new(&talking("one", "two", false));
    let mut up = stage.up(&["--network", "namespaces"]);
    up.wait_for("is up", Duration::from_mins(2));
    let agents = stage.processes("agent --identity");
    let network = |pid: &i32| std::fs::read_link(format!("/proc/{pid}/ns/net")).expect("a network");
    let mut networks: Vec<_> = agents.iter().map(network).chain([network(&stage.services("4711")[0])]).collect();
    networks.sort();
    networks.dedup();
    assert_eq!(networks.len(), 2, "one for each server, its services included");
    assert!(!networks.contains(&std::fs::read_link("/proc/self/ns/net").expect("a network")));

    // Listeners in a server's network are reachable from here, at the server's address.
    let record = std::fs::read_to_string(stage.path().join(".wattle/up.json")).expect("reads");
    let address = json(&record)["addresses"]["b"].as_str().expect("an address").to_owned();
    let agent = stage.processes("servers/b/identity.json")[0];
    let mut listener = running::listen_in_network_of(agent, &address, 8080);
    eventually("an answer from the server's network", || {
        running::try_http_get(&format!("http://{address}:8080/")).is_some()
    });
    listener.kill().expect("ends");
    listener.wait().expect("ends");

    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert!(!running::routes().contains(&address[..address.rfind('.').expect("dots")]), "{}", running::routes());
}

#[test]
fn two_hundred_tiers() {
    if !skip::everything("200 servers") {
        return;
    }
    let stage = Stage::new(&workload.model(Workload::of(200)));
    let up = stage.run(&["up", "--until-done"]);
    assert_eq!(up.code, Some(0), "{up}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
}

#[test]
fn a_server_whose_name_leads_elsewhere_is_refused_before_anything_is_written() {
    let stage = Stage::new(&talking("one", "two", false));
    let file = stage.path().join("seed.yaml");
    let outside = stage.path().parent().unwrap().join(format!("wattle-elsewhere-{}", std::process::id()));
    let name = format!("../../../{}", outside.file_name().unwrap().display());
    let seed = std::fs::read_to_string(&file).unwrap();
    let hostile = seed.replace("\n  b:", &format!("\n  \"{name}\":"));
    assert_ne!(seed, hostile);
    std::fs::write(&file, hostile).unwrap();
    let ran = stage.run(&["up", "--until-done"]);
    assert!(!outside.exists(), "{} was written; {ran}", outside.display());
    assert!(ran.code.is_some_and(|code| code != 0) && ran.err.contains("it has a `/` or a `:`"), "{ran}");
}
