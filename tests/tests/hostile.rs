//! Directories, templates and files from someone else, given to `wattle`.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::Stage;
use wattle_tests::site::Site;
use wattle_tests::skip::{is_root, skipped};
use wattle_tests::zookeeper::ZooKeeper;

/// The timeout of a command; one that waits for a pipe would never end.
const LONGEST: Duration = Duration::from_mins(2);

/// Runs `wattle`, and returns its output and its exit code, which is `None` if the command had to be killed.
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
    assert!(
        said.contains("`empty/space` is not a file or folder that `wattle up` creates") && code == Some(2),
        "{said}"
    );
    // wattle's own files are deleted, and other files beside them remain.
    let state = up_once(&at("own"));
    fs::create_dir_all(state.join("servers/notes")).unwrap();
    fs::write(state.join("servers/notes/todo"), "mine").unwrap();
    fs::write(state.join("source.rs"), "fn main() {}").unwrap();
    let record = fs::read(state.join("up.json")).unwrap();
    fs::write(state.join("up.json"), "{}").unwrap();
    let (said, code) = run(&at("own"), &["down", "--delete", "."]);
    assert!(said.contains("up.json` was not written by `up`") && code == Some(1), "{said}");
    fs::write(state.join("up.json"), record).unwrap();
    let (said, code) = run(&at("own"), &["down", "--delete", "."]);
    assert!(said.contains("has other files, which `up` did not make") && code == Some(0), "{said}");
    assert!(state.join("servers/notes/todo").exists() && state.join("source.rs").exists(), "{said}");
    assert!(!state.join("servers/alice").exists() && !state.join("operator.key").exists(), "{said}");
    fs::remove_dir_all(&state).unwrap();
    symlink(at("whole"), &state).unwrap();
    let (said, code) = run(&at("own"), &["down", "--delete", "."]);
    assert!(said.contains("is a link") && code == Some(2), "{said}");
}

/// The state in `folder` of a stack that this user has brought up, and that has ended.
fn up_once(folder: &Path) -> PathBuf {
    let stage = Stage::new(&hello::hello.model(Default::default()));
    fs::create_dir_all(folder).unwrap();
    fs::copy(stage.path().join("seed.yaml"), folder.join("seed.yaml")).unwrap();
    let (said, code) = run(folder, &["up", ".", "--until-done", "--network", "loopback"]);
    assert_eq!(code, Some(0), "{said}");
    folder.join(".wattle")
}

#[test]
fn down_ends_no_process_because_a_file_names_it() {
    let place = tempfile::tempdir().unwrap();
    let state = up_once(place.path());
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let lock = File::options().append(true).open(state.join("lock")).unwrap();
    lock.lock().unwrap();
    for began in ["", r#""began": 1, "#] {
        let record = format!(
            r#"{{"stack": "x", "pid": {}, {began}"directory": "/", "network": "loopback", "servers": [], "addresses": {{}}}}"#,
            other.id()
        );
        fs::write(state.join("up.json"), record).unwrap();
        let (said, code) = run(place.path(), &["down", "."]);
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
    let whole = Stage::new(&hello::hello.model(Default::default()));
    for (folder, file) in [
        ("keyed", "operator.key"),
        ("credited", "credentials.yaml"),
        ("filled", "environment.yaml"),
        ("drawn", "graph.json"),
        ("templated", "template.yaml"),
        ("locked", ".wattle/lock"),
        ("logged", ".wattle/up.log"),
        ("spaced", ".wattle/space"),
        ("secret", ".wattle/secrets.json"),
    ] {
        fs::create_dir_all(path.join(folder).join(".wattle")).unwrap();
        fs::copy(whole.path().join("seed.yaml"), path.join(folder).join("seed.yaml")).unwrap();
        symlink(path.join("pipe"), path.join(folder).join(file)).unwrap();
    }
    for pipe in ["pipe", "shop/seed.yaml", "clouds.yaml"] {
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
        &["seed", "apply", "keyed", "--space", "unix:none"],
        &["seed", "apply", "credited", "--space", "unix:none"],
        &["seed", "apply", "filled", "--space", "unix:none"],
        &["seed", "apply", "drawn", "--space", "unix:none"],
        &["seed", "apply", "templated", "--space", "unix:none"],
        &["seed", "apply", "drawn", "--space", "unix:none", "--parameter-file", "x=pipe"],
        &["seed", "apply", "drawn", "--space", "unix:none", "--parameter-file", "x=/dev/zero"],
        &["seed", "apply", "drawn", "--space", "unix:none", "--parameter-file", "x=/dev/fd/0"],
        &["seed", "apply", "drawn", "--space", "unix:none", "-e", "pipe"],
        &["plan", "templated", "--against", "templated"],
        &["status", "--space", "zookeeper+tls://127.0.0.1:1", "--ca", "pipe"],
        &["status", "--space", "zookeeper+tls://127.0.0.1:1?ca=/dev/zero"],
        &["status", "--space", "unix:none", "--key", "pipe"],
        &["status", "locked"],
        &["up", "locked"],
        &["up", "spaced"],
        &["up", "secret"],
        &["up", "-d", "logged"],
        &["agent", "--identity", "pipe"],
        &["cloud", "--listen", "127.0.0.1:0"],
        &["cloud", "--listen", "127.0.0.1:0", "--clouds", "pipe"],
    ] {
        let (said, code) = run(path, args);
        assert!(code.is_some_and(|code| code != 0), "{args:?}: {code:?} {said}");
        let is_device = args.iter().any(|arg| arg.starts_with("x=/dev/"));
        assert!(!is_device || said.contains("device, not a file"), "{args:?}: {said}");
    }
    let (said, _) = run(path, &["check", "pipe"]);
    assert!(said.contains("a pipe, a socket or a device"), "{said}");
}

/// Unlike the key, the servers' credentials are read only after everything is deleted. If the command blocked at that
/// point, the next call would no longer find a stack.
#[test]
fn a_pipe_beside_the_key_is_refused_before_anything_is_deleted() {
    let site = Site::new();
    site.deployed(&[]);
    let servers = || site.cloud.world().servers().len();
    let before = servers();
    let beside = site.path().join("keys");
    fs::create_dir(&beside).unwrap();
    fs::copy(site.path().join("operator.key"), beside.join("operator.key")).unwrap();
    assert!(Command::new("mkfifo").arg(beside.join("credentials.yaml")).status().unwrap().success());
    let ran = site.ask(&["destroy", "--yes", "--key", "keys/operator.key"]);
    assert!(ran.code == Some(2) && ran.err.contains("keys/credentials.yaml`: it is a pipe"), "{ran}");
    assert!(before > 0 && servers() == before, "{ran}");
    fs::remove_file(beside.join("credentials.yaml")).unwrap();
    let ran = site.ask(&["destroy", "--yes", "--key", "keys/operator.key"]);
    assert!(ran.code == Some(0) && ran.err.contains("removed ./credentials.yaml") && servers() == 0, "{ran}");
}

/// Files of a template are written only below the requested folder, and never under a name that wattle itself uses.
#[test]
fn no_template_brings_a_key_along_or_writes_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    let names = [
        "operator.key",
        "./operator.key",
        "x/../operator.key",
        "x/operator.key",
        "OPERATOR.KEY",
        "operator.key.next",
        "credentials.yaml",
        "up.json",
        ".wattle/secrets.json",
        ".wattle/up.json",
        ".Wattle/space",
        "x/.wattle/operator.key",
        "seed.yaml",
    ];
    for name in names {
        let _ = fs::remove_dir_all(path.join("in"));
        fs::create_dir_all(path.join("in/x")).unwrap();
        fs::create_dir_all(path.join("in").join(name).parent().unwrap()).unwrap();
        fs::write(path.join("in").join(name), "AGE-SECRET-KEY-1").unwrap();
        let template = format!(
            "heat_template_version: 2018-08-31\nresources: {{a: {{type: OS::Heat::Value, properties: {{value: {{get_file: '{name}'}}}}}}}}\n"
        );
        fs::write(path.join("in/t.yaml"), template).unwrap();
        let (said, code) = run(path, &["lower", "in/t.yaml", "--out", "lowered", "--stack", "t"]);
        assert!(
            code.is_some_and(|code| code != 0) && said.contains("cannot be next to the template"),
            "{name}: {said}"
        );
        assert!(!path.join("lowered/t").exists(), "{name}: something was written");
        let wattle = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let (said, _) = run(path, &["import", "in/t.yaml", "--out", "crate", "--wattle", wattle, "--force"]);
        let found = Command::new("grep").args(["-rlF", "AGE-SECRET-KEY-1"]).arg(path.join("crate")).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        let is_left_out = found.is_empty() && said.contains("can be placed next to the template: it is not imported");
        assert!(name == "seed.yaml" || is_left_out, "{name}: {found} {said}");
        let _ = fs::remove_dir_all(path.join("crate"));
    }
    // Links in the place of folders, which lead elsewhere.
    fs::create_dir_all(path.join("home/.ssh")).unwrap();
    fs::create_dir_all(path.join("in/keys")).unwrap();
    fs::write(path.join("in/keys/authorized_keys"), "ssh-ed25519 AAAA").unwrap();
    let template = "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::Value, properties: {value: {get_file: keys/authorized_keys}}}}\n";
    fs::write(path.join("in/t.yaml"), template).unwrap();
    fs::create_dir_all(path.join("lowered/t")).unwrap();
    symlink(path.join("home/.ssh"), path.join("lowered/t/keys")).unwrap();
    fs::create_dir_all(path.join("crate/files")).unwrap();
    symlink(path.join("home/.ssh"), path.join("crate/files/keys")).unwrap();
    symlink(path.join("home/.profile"), path.join("crate/Cargo.toml")).unwrap();
    let wattle = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for args in [
        &["lower", "in/t.yaml", "--out", "lowered", "--stack", "t"][..],
        &["import", "in/t.yaml", "--out", "crate", "--wattle", wattle, "--force"],
    ] {
        let (said, code) = run(path, args);
        assert!(code.is_some_and(|code| code != 0) && said.contains("is a link"), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(path.join("home/.ssh")).unwrap().count(), 0);
    assert!(!path.join("home/.profile").exists());
}

/// Names in a seed are parts of paths, in a data space and in folders.
#[test]
fn names_are_judged_before_anything_is_written() {
    let stage = Stage::new(&hello::hello.model(Default::default()));
    let seed = fs::read_to_string(stage.path().join("seed.yaml")).unwrap();
    for (from, to) in [
        ("alice", "../alice"),
        ("alice", "a:b"),
        ("greeter", "a/b"),
        ("greeter", ".."),
        ("stack: hello", "stack: \"..\""),
    ] {
        let hostile = seed.replace(from, to);
        assert_ne!(hostile, seed);
        fs::write(stage.path().join("seed.yaml"), hostile).unwrap();
        for args in [&["up", "."][..], &["seed", "apply", ".", "--space", "unix:none"]] {
            let (said, code) = run(stage.path(), args);
            assert!(code == Some(2), "{to}: {args:?}: {code:?} {said}");
            assert!(!said.contains('\u{1b}'), "{said}");
            let left: Vec<_> = fs::read_dir(stage.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert!(left.iter().all(|name| !name.to_str().unwrap().ends_with(".key")), "{left:?}");
            assert!(!stage.path().join(".wattle/servers/../alice").exists(), "{to}");
        }
    }
    let (said, code) = run(stage.path(), &["new", "../..", "--wattle", concat!(env!("CARGO_MANIFEST_DIR"), "/..")]);
    assert!(code == Some(2) && said.contains("nothing was written"), "{said}");
}

/// Suggested commands can be pasted into a shell, whatever names they contain.
#[test]
fn suggested_commands_are_quoted() {
    let place = tempfile::tempdir().unwrap();
    let hostile = "x; touch pwned; ' $(touch pwned) `touch pwned` \u{1b}[2J";
    let folder = place.path().join(hostile);
    fs::create_dir(&folder).unwrap();
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    for file in ["seed.yaml", "template.yaml"] {
        fs::copy(stage.path().join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("a b.yaml"), "parameters: {db_password: x}\n").unwrap();
    let zookeeper = ZooKeeper::start(1);
    let space = zookeeper.address();
    let environment = format!("{hostile}/a b.yaml");
    let (said, code) = run(place.path(), &["seed", "apply", hostile, "--space", &space, "-e", &environment]);
    assert_eq!(code, Some(0), "{said}");
    let command = said.lines().find(|line| line.starts_with("  openstack stack create")).unwrap();
    let words = |command: &str| {
        let script = format!("openstack() {{ printf '%s\\n' \"$@\"; }}\n{command}");
        let ran = Command::new("bash").args(["-c", &script]).current_dir(place.path()).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    for file in ["template.yaml", "a b.yaml", "credentials.yaml"] {
        assert!(words(command).contains(&format!("{hostile}/{file}\n")), "{command}");
    }
    assert!(!place.path().join("pwned").exists());
}

/// Text that looks like an option cannot name a stack or a server, but it may name a folder.
#[test]
fn what_begins_with_a_hyphen_is_no_name_and_is_suggested_as_a_path() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("-y");
    fs::create_dir(&folder).unwrap();
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    for file in ["seed.yaml", "template.yaml"] {
        fs::copy(stage.path().join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("environment.yaml"), "parameters: {db_password: x}\n").unwrap();
    let seed = fs::read_to_string(folder.join("seed.yaml")).unwrap();
    let zookeeper = ZooKeeper::start(1);
    let space = zookeeper.address();
    let apply = |more: &[&str]| {
        let args = ["seed", "apply", "./-y", "--space", &space, "-e", "./-y/environment.yaml"];
        run(place.path(), &[&args[..], more].concat())
    };
    let (said, code) = apply(&["--stack=-y"]);
    assert!(code != Some(0) && said.contains("`-y` cannot be the name of a stack: it begins with `-`"), "{said}");
    for (of, before, after) in [("stack", "stack: three_tier", "stack: -y"), ("server", "\n  db:\n", "\n  -db:\n")] {
        assert!(seed.contains(before), "{seed}");
        fs::write(folder.join("seed.yaml"), seed.replacen(before, after, 1)).unwrap();
        let (said, code) = apply(&[]);
        assert!(
            code != Some(0) && said.contains(&format!("cannot be the name of a {of}: it begins with `-`")),
            "{said}"
        );
    }
    fs::write(folder.join("seed.yaml"), seed).unwrap();
    let (said, code) = apply(&["--stack", "a $(b) c"]);
    assert_eq!(code, Some(0), "{said}");
    let words = |command: &str| {
        let script = format!("openstack() {{ printf '%s\\n' \"$@\"; }}; wattle() {{ openstack \"$@\"; }}\n{command}");
        let ran = Command::new("bash").args(["-c", &script]).current_dir(place.path()).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let suggested = |begins: &str| words(said.lines().find(|line| line.starts_with(begins)).unwrap());
    let create = suggested("  openstack stack create");
    assert!(create.contains("\n./-y/template.yaml\n") && create.ends_with("\na $(b) c\n"), "{create}");
    assert_eq!(suggested("  wattle seed admit"), "seed\nadmit\n--wait\n--stack\na $(b) c\n");
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

/// The target of a link that leads out of the folder is imported under the link's name, and always reported.
#[test]
fn import_says_of_links_that_lead_out_of_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    fs::create_dir_all(path.join("in")).unwrap();
    fs::write(path.join("secret"), "one").unwrap();
    fs::write(path.join("in/within"), "two").unwrap();
    for (link, to) in [("lnk", path.join("secret")), ("near", "within".into())] {
        symlink(to, path.join("in").join(link)).unwrap();
    }
    let wattle = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let within = path.join("in");
    for (name, folder, written, is_noted) in [
        ("../secret", path, "in/t.yaml", true),
        ("lnk", path, "in/t.yaml", true),
        ("lnk", &within, "t.yaml", true),
        ("near", path, "in/t.yaml", false),
    ] {
        let template = format!(
            "heat_template_version: 2018-08-31\nresources: {{a: {{type: OS::Heat::Value, properties: {{value: {{get_file: {name}}}}}}}}}\n"
        );
        fs::write(path.join("in/t.yaml"), template).unwrap();
        let (said, code) = run(folder, &["import", written, "--out", "crate", "--wattle", wattle, "--force"]);
        let note = "the file is outside the template's folder: its content is now in the crate";
        assert_eq!((said.contains(note), code), (is_noted, Some(0)), "{name}: {said}");
    }
}

/// Other users cannot read the state, and do not report the stack as down.
#[test]
fn what_another_user_has_up_is_not_called_down() {
    if !is_root() {
        return skipped("what another user has up", "only root can be somebody else");
    }
    let place = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    up_once(place.path());
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    chown(home.path(), Some(65534), Some(65534)).unwrap();
    // After it has ended, and while it runs: another user's lock tells nobody else anything.
    for is_up in [false, true] {
        if is_up {
            let (said, code) = run(place.path(), &["up", ".", "--detach", "--network", "loopback"]);
            assert_eq!(code, Some(0), "{said}");
        }
        for args in [&["status"][..], &["status", "."], &["down"], &["down", "."], &["get", "alice/greeter/greeting"]] {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(wattle()).args(args);
            apart(command.current_dir(place.path()), home.path());
            let ran = command.stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(said.contains("belongs to another user") && ran.status.code() == Some(2), "{args:?}: {said}");
            assert!(said.contains("run the command as the user who ran `wattle up`"), "{args:?}: {said}");
        }
    }
    let (said, code) = run(place.path(), &["down", "."]);
    assert_eq!(code, Some(0), "{said}");
}
