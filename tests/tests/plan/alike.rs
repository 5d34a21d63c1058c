//! A blueprint's own `plan` and `wattle plan` have identical output.

use std::fs;
use std::path::Path;
use std::process::Command;

use wattle::cli::{planned, state_of};
use wattle_tests::command::{example, wattle};

/// The output of a command, and its exit code. The name of its directory is the same for both commands.
fn ran(program: &Path, args: &[&str], own: &Path) -> (String, String, Option<i32>) {
    let ran = Command::new(program).args(args).env("NO_COLOR", "1").output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").replace(own.to_str().expect("text"), "<own>");
    (text(ran.stdout), text(ran.stderr), ran.status.code())
}

/// The output of both commands for a change, as text. Also compares their JSON. `settings` and `environments` are those
/// before and after; an empty environment stays as it was emitted.
fn both(settings: [&str; 2], environments: [&str; 2]) -> (String, String, Option<i32>) {
    let stage = tempfile::tempdir().expect("a directory");
    let blueprint = example("three_tier");
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    let emit = |name: &str, settings: &str, environment: &str| {
        let out = stage.path().join(name);
        let (_, reported, code) = ran(&blueprint, &["--out", &text(&out), "--set", settings], &out);
        assert_eq!(code, Some(0), "{reported}");
        if !environment.is_empty() {
            fs::write(out.join("three_tier/environment.yaml"), environment).expect("writes");
        }
        out
    };
    let before = text(&emit("before", settings[0], environments[0]).join("three_tier"));
    // The blueprint does not emit again: the existing files are the old ones, except for the operator's values.
    let own = emit("own", settings[0], environments[1]);
    let emitted = emit("emitted", settings[1], environments[1]);
    let [plain, json] = ["plain", "json"].map(|format| {
        let options = ["--against", &before, "--format", format];
        let out = text(&own);
        let mine = ran(&blueprint, &[&["plan", "--out", &out, "--set", settings[1]], &options[..]].concat(), &own);
        let directory = text(&emitted.join("three_tier"));
        let theirs = ran(wattle(), &[&["plan", &directory], &options[..]].concat(), &emitted);
        assert_eq!(mine, theirs, "{settings:?} {environments:?} {format}");
        mine
    });
    assert_eq!(plain.2, json.2);
    plain
}

const GIVEN: &str = "parameters: {image: debian-12, db_password: one}\n";

#[test]
fn a_first_plan() {
    let stage = tempfile::tempdir().expect("a directory");
    let (blueprint, out) = (example("three_tier"), stage.path().to_str().expect("text"));
    for format in ["plain", "json"] {
        let (mine, reported, code) = ran(&blueprint, &["plan", "--out", out, "--format", format], stage.path());
        assert!(reported.contains("first deployment"), "{reported}");
        let emitted = tempfile::tempdir().expect("a directory");
        ran(&blueprint, &["--out", emitted.path().to_str().expect("text")], emitted.path());
        let after = state_of(&emitted.path().join("three_tier"), None).expect("was emitted");
        let (theirs, exit) = planned(None, &after, format == "json", false);
        assert_eq!((mine, code), (theirs, Some(i32::from(exit as u8))));
    }
}

#[test]
fn what_stays_and_what_changes() {
    let (text, _, code) = both(["apps=2", "apps=2"], [GIVEN, GIVEN]);
    assert!(text.starts_with("nothing changes") && code == Some(0), "{text}");
    let (text, _, code) = both(["apps=2", "apps=3"], ["", ""]);
    assert!(text.contains("+ app3 (OS::Nova::Server): is created") && code == Some(4), "{text}");
    let (text, ..) = both(["apps=2", "apps=2"], [GIVEN, "parameters: {image: debian-13, db_password: one}\n"]);
    assert!(text.contains("image: debian-12 -> debian-13") && text.contains("is rebuilt: its disk is lost"), "{text}");
    assert!(!text.contains("changes in place") && text.contains("runs\n"), "{text}");
    let (text, ..) = both(["apps=2", "apps=2"], [GIVEN, "parameters: {wattle_agent_url: 'http://agent.example/'}\n"]);
    assert!(text.contains("web (OS::Nova::Server): is replaced"), "{text}");
    let (text, ..) = both(["apps=2", "apps=2"], [GIVEN, "parameters: {image: debian-12, db_password: another}\n"]);
    assert!(text.contains("(secret)") && !text.contains("another"), "{text}");
    // A value that only one side knows counts as unchanged.
    let (text, ..) = both(["apps=2", "apps=2"], ["", GIVEN]);
    assert!(text.starts_with("nothing changes"), "{text}");
}

#[test]
fn environments_are_read_as_heat_reads_them() {
    let long = "12345678901234567890123";
    for values in [
        [("0644", "420"), ("yes", "True"), ("22:22", "1342")],
        [("1_000", "1000"), ("1.10", "1.1"), ("2024-01-02", "2024-01-02")],
        [("'0644'", "0644"), ("~x", "~x"), (long, long)],
    ] {
        let names = ["image", "flavor", "public_network"];
        let given: Vec<_> = names.iter().zip(values).map(|(name, (written, _))| format!("{name}: {written}")).collect();
        let given = format!("parameters: {{{}}}\n", given.join(", "));
        let (text, reported, _) =
            both(["apps=1", "apps=1"], ["parameters: {image: old, flavor: old, public_network: old}\n", &given]);
        for (written, read) in values {
            assert!(text.contains(&format!(": old -> {read}\n")), "{written}: {text}{reported}");
        }
    }
    // A null counts as no value, and a default in Heat's environment has lower priority.
    let (text, ..) = both(["apps=1", "apps=1"], ["", "parameters: {flavor: }\nparameter_defaults: {flavor: big}\n"]);
    assert!(text.contains("flavor: m1.small -> big"), "{text}");
}

#[test]
fn environments_that_heat_refuses() {
    for (wrong, why) in [
        ("parametrs: {flavor: a}\n", "`parametrs`"),
        ("parameters:\n  - flavor\n", "`parameters` is a list instead of a map"),
        ("parameters: {flavor: a\n", "<own>/three_tier/environment.yaml"),
        ("parameters:\n", "remove the section"),
    ] {
        let (text, reported, code) = both(["apps=1", "apps=1"], ["", wrong]);
        assert!(text.is_empty() && reported.contains(why) && code == Some(2), "{text}{reported}");
    }
}
