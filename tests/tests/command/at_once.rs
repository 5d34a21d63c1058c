//! What two colleagues see who share a key and work on the same stack at once.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle_tests::proxy::Proxy;
use wattle_tests::running::{Ran, Stage};
use wattle_tests::zookeeper::ZooKeeper;

const PASSWORD: [&str; 2] = ["-P", "db_password=s3cret"];

fn shop(apps: usize) -> Stage {
    Stage::new(&three_tier::three_tier.model(serde_json::from_value(json!({ "apps": apps })).expect("settings")))
}

/// Runs a command for the stack in `place`, with the keys that the colleagues share.
fn with_keys(stage: &Stage, command: &[&str], place: &Path, space: &str) -> Ran {
    with_password(stage, &[command, &PASSWORD].concat(), place, space)
}

fn with_password(stage: &Stage, command: &[&str], place: &Path, space: &str) -> Ran {
    let place = place.to_str().expect("text");
    let keys = ["--key", &format!("{place}/operator.key"), "--credentials", &format!("{place}/credentials.yaml")];
    stage.run_at(stage.path(), &[command, &["--space", space, "."], &keys].concat())
}

#[test]
fn who_is_overtaken_writes_nothing_and_is_told_so() {
    let zookeeper = ZooKeeper::start(1);
    let space = zookeeper.address();
    let (ann, bob) = (shop(2), shop(3));
    let keys = ann.path();
    let first = ann.run_at(keys, &[&["seed", "apply", ".", "--space", &space], &PASSWORD[..]].concat());
    assert_eq!(first.code, Some(0), "{first}");
    ann.emit(&three_tier::three_tier.model(serde_json::from_value(json!({ "apps": 1 })).expect("settings")));

    // Ann's network stalls as soon as she announces the second revision, and recovers after Bob's is complete.
    let proxy = Arc::new(Proxy::before(zookeeper.hosts()));
    proxy.stall_before(|asked| asked.windows(12).any(|bytes| bytes == br#""applying":2"#));
    let far = format!("zookeeper://{}", proxy.hosts());
    let (slow, quick) = std::thread::scope(|scope| {
        let slow = scope.spawn(|| with_keys(&ann, &["seed", "apply"], keys, &far));
        proxy.wait_until_stalled();
        let quick = with_keys(&bob, &["seed", "apply"], keys, &space);
        proxy.fix();
        (slow.join().expect("no panic"), quick)
    });
    assert!(quick.code == Some(0) && quick.out.contains("revision 1 -> 2"), "{quick}");
    assert_eq!(slow.code, Some(1), "{slow}");
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/team.md")).expect("the page");
    assert!(page.contains(&slow.err.replace("three_tier", "depot")), "the page shows another message: {slow}");

    // Everything in the data space is Bob's, and nothing is Ann's.
    let same = with_keys(&bob, &["seed", "diff"], keys, &space);
    assert!(same.out.starts_with("stack `three_tier`: revision 2, unchanged\n"), "{same}");
    let plan = with_keys(&ann, &["plan"], keys, &space);
    assert!(plan.code == Some(4) && plan.err.contains("compared with revision 2 of `three_tier`"), "{plan}");
    let again = with_keys(&ann, &["seed", "apply"], keys, &space);
    assert!(again.code == Some(0) && again.out.contains("revision 2 -> 3"), "{again}");
}

/// Whatever the order of events, each of them has either applied everything or written nothing.
#[test]
fn of_two_who_start_at_the_same_moment_each_applies_or_is_refused() {
    let zookeeper = ZooKeeper::start(1);
    let (space, stage) = (zookeeper.address(), shop(2));
    let here = stage.path();
    let first = stage.run_at(here, &[&["seed", "apply", ".", "--space", &space], &PASSWORD[..]].concat());
    assert_eq!(first.code, Some(0), "{first}");
    // They differ only in a value, so that neither has servers for which the other lacks credentials.
    let ask = |command: &[&str], password: &str| {
        with_password(&stage, &[command, &["-P", &format!("db_password={password}")]].concat(), here, &space)
    };
    for round in 0..6 {
        let (ask, passwords) = (&ask, ["anns", "bobs"]);
        let ran = std::thread::scope(|scope| {
            let apply = |password| scope.spawn(move || ask(&["seed", "apply", "--again"], password));
            passwords.map(apply).map(|applying| applying.join().expect("no panic"))
        });
        let is_done = |ran: &Ran| match ran.code {
            Some(0) => true,
            Some(1) if ran.err.contains("came in between: try again once it is done") => false,
            _ => panic!("{round}: {ran}"),
        };
        let done = ran.each_ref().map(is_done);
        assert!(done.contains(&true), "{round}: nobody has got through\n{}\n{}", ran[0], ran[1]);
        // The data space is complete, and holds the value of one whose command succeeded.
        let whole = passwords.map(|password| {
            let same = ask(&["seed", "diff"], password);
            assert_eq!(same.code, Some(0), "{same}");
            same.out.lines().next().is_some_and(|line| line.ends_with(", unchanged"))
        });
        let is_whole = whole.iter().zip(done).filter(|(whole, done)| **whole && *done).count();
        assert_eq!(is_whole, 1, "{round}: {whole:?} of {done:?}");
    }
}
