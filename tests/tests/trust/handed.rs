//! Keys in a directory from someone else open nothing unless the operator names them.

use std::fs;
use std::path::Path;

use wattle::author::Blueprint as _;
use wattle_runtime::seed::{Credentials, read_operator_key, write_operator_key};
use wattle_runtime::space::{Layout, OperatorKey};
use wattle_runtime::store::Address;
use wattle_tests::running::{Ran, Stage};
use wattle_tests::seeds::seed;
use wattle_tests::zookeeper::ZooKeeper;

/// An emitted directory, and commands run there against their own ZooKeeper.
struct Handed {
    stage: Stage,
    zookeeper: ZooKeeper,
}

impl Handed {
    fn new() -> Self {
        let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
        Self { stage, zookeeper: ZooKeeper::start(1) }
    }

    fn here(&self) -> &Path {
        self.stage.path()
    }

    fn run(&self, args: &[&str]) -> Ran {
        let space = self.zookeeper.address();
        self.stage.run_at(self.here(), &[args, &["--space", &space]].concat())
    }

    fn apply(&self, more: &[&str]) -> Ran {
        self.run(&[&["seed", "apply", ".", "-P", "db_password=hunter2"], more].concat())
    }

    /// Adds files from its author: possibly a key, and credentials that match it or not.
    fn lay(&self, key: Option<&OperatorKey>, credentials: &Credentials) {
        if let Some(key) = key {
            write_operator_key(&self.here().join("operator.key"), key).expect("writes");
        }
        if !credentials.is_empty() {
            credentials.write(&self.here().join("credentials.yaml"), "three_tier", "unix:/x", "").expect("writes");
        }
    }

    /// Whether one of these keys can read the desired revision.
    async fn opens(&self, logins: &[wattle_runtime::store::Login]) -> bool {
        let address: Address = self.zookeeper.address().parse().expect("an address");
        let store = address.connect(logins).await.expect("connects");
        matches!(store.get(&Layout::new("three_tier").revision()).await, Ok(Some(_)))
    }
}

/// The credentials of a stack from the owner of `key`.
fn credentials(key: &OperatorKey) -> Credentials {
    let mut credentials = Credentials::new();
    credentials.complete(&seed(&three_tier::three_tier.model(Default::default())), key);
    credentials
}

#[track_caller]
fn assert_refused(ran: &Ran, files: &[&str]) {
    assert_eq!(ran.code, Some(2), "{ran}");
    for file in files {
        assert!(ran.err.contains(&format!("`./{file}`")), "{ran}");
    }
    assert!(ran.err.contains("the data space knows neither"), "{ran}");
}

#[tokio::test]
async fn a_key_that_lies_beside_a_seed_opens_no_new_stack() {
    let handed = Handed::new();
    let key = OperatorKey::generate();
    handed.lay(Some(&key), &credentials(&key));
    let servers = [credentials(&key).get("db").expect("it has one").logins("three_tier", "db"), vec![key.login()]];
    for args in
        [&["seed", "apply", ".", "-P", "db_password=hunter2"][..], &["seed", "diff", ".", "-P", "db_password=x"]]
    {
        assert_refused(&handed.run(args), &["operator.key", "credentials.yaml"]);
    }
    for logins in servers {
        assert!(!handed.opens(&logins).await, "they read what was deployed");
    }
    let ran = handed.apply(&[]);
    assert!(ran.err.contains("`--key ./operator.key --credentials ./credentials.yaml`"), "{ran}");
    // Credentials are not the operator's just because the key is.
    let own = handed.here().join("own.key");
    write_operator_key(&own, &OperatorKey::generate()).expect("writes");
    let stolen = credentials(&key).believing(&read_operator_key(&own).expect("reads").expect("a key"));
    handed.lay(None, &stolen);
    assert_refused(&handed.apply(&["--key", "own.key"]), &["credentials.yaml"]);
    // The operator confirms once that both files are theirs. From then on, the data space knows them.
    handed.lay(Some(&key), &credentials(&key));
    let ran = handed.apply(&["--key", "operator.key", "--credentials", "credentials.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = handed.apply(&["--again"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[tokio::test]
async fn what_lies_beside_another_seed_of_a_stack_is_not_its() {
    let handed = Handed::new();
    assert_eq!(handed.apply(&[]).code, Some(0));
    let key = read_operator_key(&handed.here().join("operator.key")).expect("reads").expect("it was made");
    // The next version of the directory contains credentials of servers that the stack does not have yet.
    let others = credentials(&key);
    handed.lay(None, &others);
    let before = fs::read(handed.here().join("credentials.yaml")).expect("it is there");
    assert_refused(&handed.apply(&["--again"]), &["credentials.yaml"]);
    assert_eq!(fs::read(handed.here().join("credentials.yaml")).expect("it is there"), before);
    // The credentials may be replaced, and so may the unknown key.
    assert_eq!(handed.apply(&["--renew"]).code, Some(0));
    fs::copy(handed.here().join("operator.key"), handed.here().join("mine.key")).expect("copies");
    handed.lay(Some(&OperatorKey::generate()), &Credentials::new());
    let ran = handed.apply(&[]);
    assert!(ran.code != Some(0) && !ran.out.contains("revision"), "{ran}");
    assert_eq!(handed.apply(&["--key", "mine.key"]).code, Some(0));
}

/// Files that a refused call has created do not affect the next one.
#[test]
fn a_call_that_is_refused_leaves_no_key_behind() {
    let handed = Handed::new();
    let mut text = fs::read_to_string(handed.here().join("seed.yaml")).expect("reads");
    text = text.replace("db/postgres/", "db/../");
    let good = fs::read_to_string(handed.here().join("seed.yaml")).expect("reads");
    fs::write(handed.here().join("seed.yaml"), text).expect("writes");
    let ran = handed.apply(&[]);
    assert!(ran.code == Some(2) && ran.err.contains("has a special meaning in a path"), "{ran}");
    fs::write(handed.here().join("seed.yaml"), good).expect("writes");
    for file in ["operator.key", "credentials.yaml"] {
        assert!(!handed.here().join(file).exists(), "{file}");
    }
    assert_eq!(handed.apply(&[]).code, Some(0));
    // The same holds if the refusal comes late, as here: the stack belongs to another operator.
    let second = Stage::new(&three_tier::three_tier.model(Default::default()));
    let space = handed.zookeeper.address();
    let args = ["seed", "apply", ".", "-P", "db_password=x", "--space", &space];
    let ran = second.run_at(second.path(), &args);
    assert!(ran.code == Some(2) && ran.err.contains("already has an operator"), "{ran}");
    for file in ["operator.key", "credentials.yaml"] {
        assert!(!second.path().join(file).exists(), "{file}");
    }
}

#[test]
fn a_key_is_offered_to_the_data_space_that_it_is_of() {
    let handed = Handed::new();
    assert_eq!(handed.apply(&[]).code, Some(0));
    let other = ZooKeeper::start(1);
    let space = other.address();
    let run = |args: &[&str]| handed.stage.run_at(handed.here(), &[args, &["--space", &space]].concat());
    for args in [
        &["status"][..],
        &["ls"],
        &["seed", "apply", ".", "-P", "db_password=x"],
        &["seed", "delete", "three_tier", "--yes"],
        &["plan", "."],
    ] {
        let ran = run(args);
        assert!(ran.code == Some(2) && ran.err.contains("belongs to another data space than"), "{args:?}: {ran}");
    }
    // Naming the key explicitly is accepted.
    let ran = run(&["status", "--key", "operator.key"]);
    assert!(ran.err.contains("holds no stack"), "{ran}");
    assert_eq!(handed.run(&["status"]).code, Some(0));
}
