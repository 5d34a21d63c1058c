//! Messages to an operator, and the commands that fix the problem.

use std::fs;

use wattle_runtime::seed::{Credentials, apply, read_operator_key};
use wattle_runtime::space::Layout;
use wattle_runtime::store::Address;
use wattle_tests::running::Stage;
use wattle_tests::seeds::unsigned;
use wattle_tests::zookeeper::ZooKeeper;

use crate::Stack;
use crate::agents::{Db, is_done, refuses, until};

/// The credentials that are in a file, as the versions before wrote them.
fn of_before(path: &std::path::Path) -> String {
    let text = fs::read_to_string(path).expect("it is there");
    let line = |line: &str| match line.split_once("wattle4:") {
        Some((server, rest)) => {
            let key = rest.split(':').next().expect("a key");
            format!("{server}wattle1:{key}:{}\"\n", "m".repeat(64))
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[tokio::test]
async fn a_server_of_before_runs_and_says_what_cannot_be_known_of_it() {
    let mut stack = Stack::new("unproven");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("credentials.yaml");
    stack.options.credentials.write(&file, "unproven", "unix:/run/x", "").expect("writes");
    fs::write(&file, of_before(&file)).expect("writes");
    stack.options.credentials = Credentials::read(&file).expect("reads");
    let operator = stack.operator().await;
    let applied = apply(&operator, &stack.seed, &stack.options).await.expect("applies");
    let warnings = applied.changes.warnings.join("\n");
    assert!(warnings.contains("the credentials of `db` and `web`") && warnings.contains("--renew"), "{warnings}");
    let mut db = Db::new();
    db.start(&stack).await;
    until(&stack, "done", is_done).await;
    refuses(&stack, "credential is from before anything was signed").await;
    db.kill().await;
}

#[tokio::test]
async fn one_command_writes_anew_what_somebody_has_changed_and_one_makes_other_credentials() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("by_command", &zookeeper);
    let stage = Stage::new(&stack.model);
    let (here, space) = (stage.path(), zookeeper.address());
    let seed = |more: &[&str]| stage.run_at(here, &[&["seed"], more, &["--space", &space]].concat());
    let first = seed(&["apply", "."]);
    assert_eq!(first.code, Some(0), "{first}");
    let key = read_operator_key(&here.join("operator.key")).expect("reads").expect("it was made");
    let address: Address = space.parse().expect("an address");
    let store = address.connect(&[key.login()]).await.expect("connects");
    let path = Layout::new("by_command").plan("db");
    let node = store.get(&path).await.expect("reads").expect("a plan");
    store.set(&path, unsigned(&node.data), None).await.expect("the password is enough");

    let shown = seed(&["diff", "."]);
    assert!(shown.out.contains(&format!("not as the operator wrote it: `{path}`: it is not signed")), "{shown}");
    let before = fs::read(here.join("credentials.yaml")).expect("it is there");
    for more in [&["apply", "."][..], &["apply", ".", "--again"], &["apply", ".", "--renew"]] {
        let refused = seed(more);
        assert_eq!(refused.code, Some(1), "{more:?}: {refused}");
        assert!(refused.err.contains(&path) && refused.err.contains("--restore"), "{refused}");
        assert_eq!(fs::read(here.join("credentials.yaml")).expect("it is there"), before, "{more:?}");
    }
    let restored = seed(&["apply", ".", "--restore"]);
    assert_eq!(restored.code, Some(0), "{restored}");
    assert_eq!(seed(&["diff", "."]).out.lines().next(), Some("stack `by_command`: revision 1, unchanged"));
    let node = store.get(&path).await.expect("reads").expect("a plan");
    assert!(key.signer().authority().verify(&path, &node.data).is_ok());

    let renewed = seed(&["apply", ".", "--renew"]);
    assert_eq!(renewed.code, Some(0), "{renewed}");
    assert!(renewed.out.contains("new credentials: `db` and `web`"), "{renewed}");
    let deleted = seed(&["delete", "by_command", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{deleted}");
}
