//! Values of parameters from shell commands, for example from a vault.

use wattle::author::Blueprint as _;
use wattle_tests::running::{Ran, Stage};
use wattle_tests::zookeeper::ZooKeeper;

fn from(stage: &Stage, space: &str, command: &str) -> Ran {
    let given = format!("db_password={command}");
    stage.run_at(stage.path(), &["seed", "apply", ".", "--space", space, "--parameter-from", &given])
}

#[test]
fn a_value_comes_from_a_command_which_runs_once() {
    let zookeeper = ZooKeeper::start(1);
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let (here, space) = (stage.path(), zookeeper.address());
    let runs = || std::fs::read_to_string(here.join("runs")).expect("it ran").lines().count();
    let applied = from(&stage, &space, "echo x >>runs; cat; printf 's3cret\\n\\n'");
    assert_eq!(applied.code, Some(0), "{applied}");
    assert_eq!(runs(), 1);
    assert!(!format!("{applied}").contains("s3cret"), "{applied}");
    assert!(applied.out.contains("--parameter db_password=..."), "{applied}");
    // The value from a command has priority over all others, so it is still the same.
    std::fs::write(here.join("file"), "another\n").expect("writes");
    let options = ["--parameter-file", "db_password=file", "-P", "db_password=wrong"];
    let command = ["--parameter-from", "db_password=echo s3cret"];
    let same = stage.run_at(here, &[&["seed", "apply", ".", "--space", &space], &command[..], &options].concat());
    assert!(same.code == Some(0) && same.out.contains("nothing has changed"), "{same}");
    let plain = stage.run_at(here, &["seed", "apply", ".", "--space", &space, "-P", "db_password=s3cret"]);
    assert!(plain.code == Some(0) && plain.out.contains("nothing has changed"), "{plain}");
}

#[test]
fn what_is_wrong_with_a_command_is_said_without_what_it_prints() {
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
    let cases = [
        ("no-such-vault kv get", "from its command: it ended with exit code 127; there is no such command"),
        ("./seed.yaml", "from its command: it ended with exit code 126; a command in it cannot be run"),
        ("echo s3cret; exit 2", "from its command: it ended with exit code 2\n"),
        ("echo s3cret; kill -9 $$", "from its command: it was ended by signal 9\n"),
        ("true", "from its command: it prints nothing\n"),
        ("echo", "from its command: it prints nothing\n"),
        ("echo s3cret; echo s3cret more; echo", "from its command: it prints 2 lines, and a value is one\n"),
        ("echo s3cret; printf '\\377'", "from its command: it is not UTF-8\n"),
    ];
    for (command, expected) in cases {
        // The command checks its arguments before it connects; nothing listens at this address.
        let ran = from(&stage, "zookeeper://127.0.0.1:1", command);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{command}: {ran}");
        assert!(
            ran.err.contains(&format!("error: cannot get the value of `db_password` {expected}")),
            "{command}: {ran}"
        );
        assert!(!ran.err.contains("s3cret"), "{command}: {ran}");
    }
    let lines = from(&stage, "zookeeper://127.0.0.1:1", "printf '1\\n2\\n'");
    assert!(lines.err.contains("--parameter-file db_password=<(COMMAND)"), "{lines}");
    // The command's own messages are shown unchanged.
    let said = from(&stage, "zookeeper://127.0.0.1:1", "echo 'permission denied' >&2; exit 1");
    assert!(said.err.starts_with("permission denied\n"), "{said}");
    for wrong in ["vault kv get s3cret", "=vault s3cret", "db_password= "] {
        let ran = stage.run_at(
            stage.path(),
            &["seed", "apply", ".", "--space", "zookeeper://127.0.0.1:1", "--parameter-from", wrong],
        );
        assert!(ran.code == Some(2) && ran.err.contains("is not NAME=COMMAND"), "{ran}");
        assert!(!ran.err.contains("s3cret"), "{ran}");
    }
    assert!(!stage.path().join("operator.key").exists(), "a key was made");
}
