//! An attacker with the operator's rights to the data space restores a complete earlier state: all of it is signed, and
//! nothing in it shows that there was a newer one.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use wattle_runtime::seed::read_operator_key;
use wattle_runtime::space::Layout;
use wattle_runtime::store::{Address, Store};
use wattle_tests::running::{Ran, Stage};
use wattle_tests::zookeeper::ZooKeeper;

use crate::Stack;

/// All nodes at `top` and below it.
async fn all(store: &Arc<dyn Store>, top: &str) -> BTreeMap<String, Vec<u8>> {
    let (mut nodes, mut level) = (BTreeMap::new(), vec![top.to_owned()]);
    while let Some(path) = level.pop() {
        let below = store.children(&path).await.expect("reads");
        level.extend(below.into_iter().map(|name| format!("{path}/{name}")));
        let node = store.get(&path).await.expect("reads").expect("it is there");
        nodes.insert(path, node.data);
    }
    nodes
}

#[track_caller]
fn refused(ran: &Ran, desired: &str) {
    assert_eq!(ran.code, Some(1), "{ran}");
    for words in [desired, "and this operator knows of revision 2 of", "put back an earlier state", "--restore"] {
        assert!(ran.err.contains(words), "{words}: {ran}");
    }
}

#[tokio::test]
async fn an_earlier_state_that_was_put_back_as_a_whole_is_not_gone_on_from() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("put_back", &zookeeper);
    let stage = Stage::new(&stack.model);
    let (here, space) = (stage.path(), zookeeper.address());
    let run = |more: &[&str]| stage.run_at(here, &[more, &["--space", &space]].concat());
    let first = run(&["seed", "apply", "."]);
    assert_eq!(first.code, Some(0), "{first}");
    let key = read_operator_key(&here.join("operator.key")).expect("reads").expect("it was made");
    let address: Address = space.parse().expect("an address");
    let thief = address.connect(&[key.login()]).await.expect("connects");
    let former = all(&thief, "/wattle").await;
    let second = run(&["seed", "apply", ".", "--again"]);
    assert!(second.out.contains("revision 1 -> 2"), "{second}");

    let put_back = async || {
        for (path, data) in &former {
            thief.set(path, data, None).await.expect("the password is enough");
        }
    };
    put_back().await;
    let desired = Layout::new("put_back").revision();
    let status = run(&["status", "--stack", "put_back"]);
    assert!(status.out.contains("and this operator knows of revision 2 of"), "{status}");
    let json = run(&["status", "--stack", "put_back", "--format", "json"]);
    assert!(json.out.contains("\"newer\": {"), "{json}");
    let diff = run(&["seed", "diff", "."]);
    let line = format!("not as the operator wrote it: `{desired}`: it is revision 1 of the data space of ");
    assert!(diff.out.contains(&line), "{diff}");
    for args in [
        &["seed", "apply", "."][..],
        &["seed", "apply", ".", "--again"],
        &["seed", "apply", ".", "--renew"],
        &["seed", "admit"],
        &["seed", "rotate"],
        &["seed", "rotate", "db"],
    ] {
        refused(&run(args), &desired);
        assert_eq!(all(&thief, "/wattle/put_back").await[&desired], former[&desired], "{args:?} wrote");
    }
    assert!(!here.join("operator.key.next").exists());
    // One command writes everything again, with a number above all known ones.
    let restored = run(&["seed", "apply", ".", "--restore"]);
    assert_eq!(restored.code, Some(0), "{restored}");
    let unchanged = run(&["seed", "apply", "."]);
    assert!(unchanged.code == Some(0) && unchanged.out.contains("nothing has changed"), "{unchanged}");
    // An even earlier state is detected as well, whatever its number, and can be deleted.
    put_back().await;
    let earlier = run(&["seed", "apply", "."]);
    assert!(earlier.code == Some(1) && earlier.err.contains("this operator knows of revision 1 of"), "{earlier}");
    let deleted = run(&["seed", "delete", "put_back", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{deleted}");
    let again = run(&["seed", "apply", ".", "--key", "operator.key", "--credentials", "credentials.yaml"]);
    assert_eq!(again.code, Some(0), "{again}");
}

/// The record is only an aid: without it, everything works as before.
#[tokio::test]
async fn who_knows_of_nothing_newer_goes_on() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("forgotten", &zookeeper);
    let stage = Stage::new(&stack.model);
    let (here, space) = (stage.path(), zookeeper.address());
    let run = |more: &[&str]| stage.run_at(here, &[more, &["--space", &space]].concat());
    let revisions = here.join(".user/wattle/revisions");
    for (args, forget) in [(&["seed", "apply", "."][..], true), (&["seed", "apply", ".", "--again"], false)] {
        let ran = run(args);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert_eq!(fs::read_dir(&revisions).expect("it was made").count(), 1);
        if forget {
            fs::remove_dir_all(&revisions).expect("removes");
        }
    }
    for damaged in ["", "[{", "[]"] {
        for file in fs::read_dir(&revisions).expect("a folder") {
            fs::write(file.expect("a file").path(), damaged).expect("writes");
        }
        let ran = run(&["seed", "apply", "."]);
        assert!(ran.code == Some(0) && ran.out.contains("nothing has changed"), "{ran}");
    }
    // A failure to write the record does not block anyone either.
    fs::remove_dir_all(&revisions).expect("removes");
    fs::write(&revisions, "no folder").expect("writes");
    let ran = run(&["seed", "apply", ".", "--again"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}
