//! A directory, a template or a file that somebody else made, given to `wattle`.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wattle_tests::command::{apart, wattle};

/// No command takes longer; one that waits for a pipe would take for ever.
const LONGEST: Duration = Duration::from_mins(2);

/// What it said, and its exit code; none if it had to be killed.
fn run(place: &Path, args: &[&str]) -> (String, Option<i32>) {
    let said = File::create(place.join(".said")).unwrap();
    let mut command = Command::new(wattle());
    apart(command.args(args).current_dir(place), place);
    let mut child = command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap();
    let begin = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if begin.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    (fs::read_to_string(place.join(".said")).unwrap(), code)
}

#[test]
fn down_deletes_only_what_up_made() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for (name, record) in [
        ("empty", "{}"),
        (
            "whole",
            r#"{"stack": "x", "pid": 1, "directory": "/", "network": "loopback", "servers": ["db"], "addresses": {}}"#,
        ),
    ] {
        fs::create_dir_all(at(name).join("servers/notes")).unwrap();
        fs::create_dir_all(at(name).join("space/more")).unwrap();
        fs::write(at(name).join("up.json"), record).unwrap();
        fs::write(at(name).join("source.rs"), "fn main() {}").unwrap();
        fs::write(at(name).join("servers/notes/todo"), "mine").unwrap();
        fs::write(at(name).join("space/more/todo"), "mine").unwrap();
        symlink(place.path(), at(name).join("servers/link")).unwrap();
        run(place.path(), &["down", "--delete", name]);
        for file in ["source.rs", "servers/notes/todo", "space/more/todo", "servers/link"] {
            assert!(at(name).join(file).symlink_metadata().is_ok(), "{name}: {file} is gone");
        }
    }
    let (said, code) = run(place.path(), &["down", "--delete", "empty"]);
    assert!(said.contains("`empty/up.json` was not written by `up`") && code == Some(1), "{said}");
    // What it made itself goes, a link does not lead elsewhere.
    fs::create_dir_all(at("own/.wattle/servers/db/state")).unwrap();
    fs::write(at("own/.wattle/servers/db/identity.json"), "{}").unwrap();
    fs::write(at("own/.wattle/.gitignore"), "*\n").unwrap();
    fs::write(at("own/.wattle/lock"), "").unwrap();
    let (said, code) = run(place.path(), &["down", "--delete", "own"]);
    assert!(!at("own/.wattle").exists() && code == Some(0), "{said}");
    symlink(at("whole"), at("own/.wattle")).unwrap();
    let (said, code) = run(place.path(), &["down", "--delete", "own"]);
    assert!(said.contains("is a link") && code == Some(1), "{said}");
}

#[test]
fn down_ends_no_process_because_a_file_names_it() {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("shop/.wattle");
    fs::create_dir_all(&state).unwrap();
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let lock = File::create(state.join("lock")).unwrap();
    lock.lock().unwrap();
    for began in ["", r#""began": 1, "#] {
        let record = format!(
            r#"{{"stack": "x", "pid": {}, {began}"directory": "/", "network": "loopback", "servers": [], "addresses": {{}}}}"#,
            other.id()
        );
        fs::write(state.join("up.json"), record).unwrap();
        let (said, code) = run(place.path(), &["down", "shop"]);
        assert!(said.contains("is not the one that wrote it") && code == Some(1), "{said}");
        assert!(other.try_wait().unwrap().is_none(), "it was ended");
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn what_never_ends_is_not_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    fs::create_dir(path.join("shop")).unwrap();
    fs::write(path.join("good.yaml"), "heat_template_version: 2018-08-31\nresources: {}\n").unwrap();
    fs::write(path.join("names.yaml"), "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::Value, properties: {value: {get_file: pipe}}}}\n").unwrap();
    for pipe in ["pipe", "shop/seed.yaml"] {
        assert!(Command::new("mkfifo").arg(path.join(pipe)).status().unwrap().success());
    }
    for args in [
        &["check", "pipe"][..],
        &["check", "names.yaml"],
        &["check", "good.yaml", "-e", "pipe"],
        &["check", "/dev/zero"],
        &["import", "pipe", "--out", "crate"],
        &["lower", "pipe", "--out", "lowered"],
        &["graph", "pipe"],
        &["up", "shop"],
        &["seed", "apply", "shop", "--space", "unix:none"],
        &["seed", "diff", "shop", "--space", "unix:none"],
        &["plan", "shop"],
    ] {
        let (said, code) = run(path, args);
        assert!(code.is_some_and(|code| code != 0), "{args:?}: {code:?} {said}");
    }
    let (said, _) = run(path, &["check", "pipe"]);
    assert!(said.contains("a pipe, a socket or a device"), "{said}");
}

#[test]
fn import_writes_no_control_characters() {
    let place = tempfile::tempdir().unwrap();
    let template = r#"
heat_template_version: 2018-08-31
description: "a \e[31m b \u202e c"
parameters:
  p: {type: string, description: "x \e]0;title\a y \r z"}
resources:
  r: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
"#;
    fs::write(place.path().join("t.yaml"), template).unwrap();
    let (said, code) =
        run(place.path(), &["import", "t.yaml", "--out", "t", "--wattle", concat!(env!("CARGO_MANIFEST_DIR"), "/..")]);
    let library = fs::read_to_string(place.path().join("t/src/lib.rs"))
        .unwrap_or_else(|error| panic!("{error}: {code:?} {said}"));
    let unseen = library.chars().find(|c| wattle::shown::is_unseen(*c) && *c != '\n');
    assert_eq!(unseen, None, "{library:?}");
    assert!(library.contains(r"\u{1b}"), "{library}");
}
