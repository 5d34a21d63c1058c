//! Messages of the `wattle` command about wrong usage, and its help.

mod at_once;
mod bandwidth;
mod openbao;
mod parameters;
mod place;
mod policies;
mod templates;

use std::path::Path;
use std::process::Command;

use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{self, Stage};
use wattle_tests::zookeeper::ZooKeeper;

/// Runs `wattle` in `directory`, and compares its output with a golden.
fn golden(name: &str, directory: &Path, args: &[&str]) {
    golden_with(name, directory, args, &[]);
}

/// Like `golden`, with further `names` that differ from run to run.
fn golden_with(name: &str, directory: &Path, args: &[&str], names: &[(&str, &str)]) {
    let mut command = Command::new(wattle());
    command.args(args).current_dir(directory).env("COLUMNS", "100");
    let ran = running::to_its_end(apart(&mut command, directory));
    let ran = format!("$ wattle {}\n{ran}", args.join(" ")).replace(directory.to_str().expect("text"), "<here>");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let ran = ran.replace(repository.to_str().expect("text"), "<repository>");
    let ran = names.iter().fold(ran, |ran, (name, mark)| ran.replace(name, mark));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("command-{name}"), ran));
}

#[test]
fn wrong_usage_is_reported_with_how_to_fix_it() {
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let here = stage.path();
    golden("typo-command", here, &["stauts"]);
    for sought in ["apply", "delete", "preview", "tail", "emit", "test", "refresh"] {
        golden(&format!("sought-{sought}"), here, &[sought]);
    }
    golden("typo-option", here, &["status", "--wacht"]);
    golden("directory-as-argument", here, &["destroy", "."]);
    golden("destroy-not-up", here, &["destroy", "--dir", "."]);
    golden("typo-time", here, &["agent", "--deadline", "5"]);
    golden("typo-number", here, &["logs", "db", "--lines", "ten"]);
    golden("no-directory", here, &["up"]);
    golden("no-seed", here, &["up", "elsewhere"]);
    std::fs::create_dir(here.join("old")).expect("a folder");
    std::fs::write(here.join("old/seed.yaml"), "format: wattle-seed/0\nstack: three_tier\n").expect("writes");
    golden("old-seed", here, &["up", "old"]);
    std::fs::create_dir(here.join("native")).expect("a folder");
    std::fs::write(here.join("native/template.yaml"), "heat_template_version: '2021-04-16'\n").expect("writes");
    golden("native-seed", here, &["up", "native"]);
    std::fs::create_dir(here.join("changed")).expect("a folder");
    let emitted = std::fs::read_to_string(here.join("seed.yaml")).expect("reads");
    std::fs::write(here.join("changed/seed.yaml"), emitted.replace("set -eu", "set -xeu")).expect("writes");
    golden("changed-seed", here, &["up", "changed"]);
    golden("no-parameter", here, &["up", "."]);
    golden("typo-parameter", here, &["up", ".", "--parameter", "db_pasword=x"]);
    std::fs::write(here.join("typo.yaml"), "parametrs:\n  db_password: x\n").expect("writes");
    golden("typo-section", here, &["up", ".", "-e", "typo.yaml"]);
    std::fs::write(here.join("typos.yaml"), "parametrs:\n  db_password: x\nregistry: {}\n").expect("writes");
    golden("typo-sections", here, &["up", ".", "-e", "typos.yaml"]);
    std::fs::write(here.join("list.yaml"), "parameters:\n  db_password: [1, 2]\n").expect("writes");
    golden("parameter-of-another-type", here, &["up", ".", "-e", "list.yaml"]);
    golden("attribute-without-value", here, &["up", ".", "--attribute", "web-port.fixed_ips"]);
    let password = ["up", ".", "-P", "db_password=x", "--attribute"];
    golden("attribute-of-nothing", here, &[&password[..], &["foo=1"]].concat());
    golden("typo-attribute", here, &[&password[..], &["web-prot.fixed_ips.0.ip_address=1"]].concat());
    golden("no-space", here, &["get", "db/postgres/url"]);
    golden("not-running", here, &["status", "."]);
    golden("not-running-as-option", here, &["status", "--dir", "."]);
    golden("not-up", here, &["down", "elsewhere"]);
    golden("space-of-no-kind", here, &["ls", "--space", "http://zk1:2181"]);
    golden("seed-without-space", here, &["seed", "apply", "."]);
    // The command checks its arguments before it connects or creates a key; nothing listens at this address.
    let nowhere = ["seed", "apply", ".", "--space", "zookeeper://127.0.0.1:1", "-P", "db_pasword=x"];
    golden("seed-judged-first", here, &nowhere);
    assert!(!here.join("operator.key").exists(), "a key was made");
    golden("no-identity", here, &["agent", "--identity", "nowhere.json"]);
    golden("no-key", here, &["ls", "--space", "unix:nowhere", "--key", "nowhere.key"]);
}

#[test]
fn an_operator_with_zookeeper() {
    let zookeeper = ZooKeeper::start(1);
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let (here, space) = (stage.path(), zookeeper.address());
    let names = [(space.as_str(), "<space>")];
    golden_with("seed-parameter-missing", here, &["seed", "apply", ".", "--space", &space], &names);
    golden_with("seed-parameter-typo", here, &["seed", "apply", ".", "--space", &space, "-P", "db_pasword=x"], &names);
    golden_with("seed-parameter-bare", here, &["seed", "apply", ".", "--space", &space, "-P", "db_password"], &names);
    golden_with("seed-diff", here, &["seed", "diff", ".", "--space", &space, "-P", "db_password=s3cret"], &names);
    golden_with("seed-apply", here, &["seed", "apply", ".", "--space", &space, "-P", "db_password=s3cret"], &names);
    let same = ["seed", "apply", ".", "--space", &space, "-P", "db_password=s3cret"];
    golden_with("seed-apply-same", here, &same, &names);
    golden_with("status-before-boot", here, &["status", "--space", &space], &names);
    let elsewhere = tempfile::tempdir().expect("a directory");
    golden_with("status-of-a-stranger", elsewhere.path(), &["status", "--space", &space], &names);
    // A second operator, with another key.
    std::fs::copy(here.join("seed.yaml"), elsewhere.path().join("seed.yaml")).expect("copies");
    let second = ["seed", "apply", ".", "--space", &space, "-P", "db_password=another"];
    golden_with("seed-apply-of-a-stranger", elsewhere.path(), &second, &names);
    let delete = ["seed", "delete", "three_tier", "--space", &space, "--yes"];
    golden_with("seed-delete-of-a-stranger", elsewhere.path(), &delete, &names);
    golden_with("seed-apply-same", here, &same, &names);
    // The same operator, who has lost the servers' credentials.
    let lost = tempfile::tempdir().expect("a directory");
    for file in ["seed.yaml", "operator.key"] {
        std::fs::copy(here.join(file), lost.path().join(file)).expect("copies");
    }
    golden_with("seed-apply-without-credentials", lost.path(), &same, &names);
    assert!(!lost.path().join("credentials.yaml").exists(), "credentials were left that open nothing");
}

#[test]
fn names_that_the_data_space_does_not_have() {
    let stage = Stage::new(&hello::hello.model(Default::default()));
    let up = stage.run(&["up", "-d"]);
    assert_eq!(up.code, Some(0), "{up}");
    let here = stage.path();
    golden("typo-entry", here, &["get", "alice/greter/greeting"]);
    golden("half-an-entry", here, &["get", "alice/greeter"]);
    golden("typo-stack", here, &["ls", "--stack", "helo"]);
    golden("set-without-force", here, &["set", "alice/greeter/greeting", "ho"]);
}

/// Ends the stacks that a failed test leaves up.
struct Down<'a>(&'a Path);

impl Drop for Down<'_> {
    fn drop(&mut self) {
        for name in ["a", "of-b"] {
            let _ = apart(Command::new(wattle()).args(["down", name]).current_dir(self.0), self.0).output();
        }
    }
}

#[test]
fn what_is_up_is_found_from_elsewhere() {
    let stage = Stage::new(&hello::hello.model(Default::default()));
    let here = stage.path();
    for name in ["a", "b"] {
        std::fs::create_dir(here.join(name)).expect("a folder");
        for file in ["seed.yaml", "environment.yaml"] {
            std::fs::copy(here.join(file), here.join(name).join(file)).expect("copies");
        }
    }
    let run = |args: &[&str]| {
        let mut command = Command::new(wattle());
        let ran = running::to_its_end(apart(command.args(args).current_dir(here), here));
        assert_eq!(ran.code, Some(0), "{ran}");
    };
    let _down = Down(here);
    run(&["up", "a", "-d"]);
    run(&["get", "alice/greeter/greeting", "--wait"]);
    run(&["up", "b", "-d", "--state", "of-b"]);
    golden("several", here, &["status"]);
    run(&["down", "a"]);
    run(&["get", "alice/greeter/greeting", "--wait"]);
    // Read-only commands report which stack they chose; commands that end something require its name.
    golden("get-from-elsewhere", here, &["get", "alice/greeter/greeting"]);
    golden("down-from-elsewhere", here, &["down"]);
    run(&["down", "of-b"]);
    golden("nothing-left", here, &["down"]);
}

#[test]
fn help() {
    let here = std::env::temp_dir();
    golden("help", &here, &["--help"]);
    golden("help-up", &here, &["up", "--help"]);
    golden("help-status", &here, &["status", "--help"]);
    golden("help-seed-apply", &here, &["seed", "apply", "--help"]);
    golden("help-ca-new", &here, &["ca", "new", "--help"]);
    golden("help-ca-issue", &here, &["ca", "issue", "--help"]);
    golden("help-agent", &here, &["agent", "--help"]);
    golden("help-set", &here, &["set", "--help"]);
    golden("help-check", &here, &["check", "--help"]);
    golden("help-lower", &here, &["lower", "--help"]);
    golden("help-graph", &here, &["graph", "--help"]);
}
