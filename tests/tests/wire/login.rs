//! A login seen by one store is useless at another one.

use std::fs;
use std::path::Path;

use wattle_runtime::seed::read_operator_key;
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::{Address, Authority, Login, OPERATOR, StoreError};
use wattle_tests::zookeeper::{ZooKeeper, secure_with};

use crate::listener::Listener;
use crate::place::Place;

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) fn done(place: &Place, args: &[&str]) {
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
}

/// Creates authorities with these names, and a certificate from each.
pub(crate) fn authorities(place: &Place, names: [&str; 2]) {
    for name in names {
        done(place, &["ca", "new", "--out", name]);
        done(place, &["ca", "issue", "127.0.0.1", "--ca", name, "--out", &format!("{name}.pem")]);
    }
}

/// The result of reading a node with this login.
pub(crate) fn seen(space: &str, ca: &Path, login: Login, path: &str) -> Result<Option<usize>, StoreError> {
    let address = space.parse::<Address>().unwrap().trusting(Authority::File(ca.to_owned())).unwrap();
    runtime().block_on(async {
        let store = address.connect(&[login]).await.unwrap();
        store.get(path).await.map(|node| node.map(|node| node.data.len()))
    })
}

/// An operator writes a stack to their data space, with the key in the file `operator.key` or a new one, and uses the
/// same key at an attacker's store. Returns what the attacker can then see in the operator's data space.
fn replayed(place: &Place) -> Result<Option<usize>, StoreError> {
    authorities(place, ["ours", "theirs"]);
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| secure_with(zkd, &place.at("ours.pem"), "127.0.0.1"));
    let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
    let named = place.at("operator.key").exists();
    let key = if named { &["--key", "operator.key"][..] } else { &[] };
    done(place, &[&["seed", "apply", ".", "--space", &space, "--ca", "ours/ca.pem"], key].concat());
    done(place, &["ls", "--space", &space, "--ca", "ours/ca.pem"]);

    let listener = Listener::start(&place.at("theirs.pem"));
    let theirs = listener.space();
    let ran = place.run(&["ls", "--space", &theirs, "--ca", "theirs/ca.pem", "--key", "operator.key"]);
    assert!(ran.code == Some(1) && ran.err.contains("does not answer"), "{ran}");
    let login = Login { name: OPERATOR.to_owned(), password: listener.heard(OPERATOR).remove(0) };
    seen(&space, &place.at("ours/ca.pem"), login, "/wattle/hello/servers/alice/plan")
}

#[test]
fn a_password_is_of_no_use_at_a_store_of_another_authority() {
    let place = Place::new();
    let seen = replayed(&place);
    assert!(matches!(seen, Err(StoreError::Denied { .. })), "{seen:?}");
}

/// A key from an earlier version has the same password for all stores, and still opens data created with it.
#[test]
fn a_key_of_before_goes_on_with_its_password() {
    let place = Place::new();
    let text = OperatorKey::generate().expose();
    let (_, former) = text.split_once(':').unwrap();
    fs::write(place.at("operator.key"), format!("{former}\n")).unwrap();
    let seen = replayed(&place);
    assert!(matches!(seen, Ok(Some(1..))), "{seen:?}");
}

/// An operator who trusts two authorities authenticates for both, so that one can replace the other.
#[test]
fn a_new_authority_takes_the_place_of_the_former_one() {
    let place = Place::new();
    authorities(&place, ["first", "second"]);
    fs::copy(place.at("first.pem"), place.at("server.pem")).unwrap();
    let zookeeper = ZooKeeper::start_with(1, |zkd, _| secure_with(zkd, &place.at("server.pem"), "127.0.0.1"));
    let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
    done(&place, &["seed", "apply", ".", "--space", &space, "--ca", "first/ca.pem"]);

    fs::copy(place.at("second.pem"), place.at("server.pem")).unwrap();
    zookeeper.kill(1);
    zookeeper.up(1);
    let second = ["--space", &space, "--ca", "second/ca.pem"];
    let ran = place.run(&[&["ls"][..], &second].concat());
    assert!(ran.code == Some(2) && ran.err.contains("name both, the new one first"), "{ran}");
    let both = ["second", "first"].map(|name| fs::read(place.at(&format!("{name}/ca.pem"))).unwrap()).concat();
    fs::write(place.at("both.pem"), both).unwrap();
    let both = ["--space", &space, "--ca", "both.pem"];
    done(&place, &[&["ls"][..], &both].concat());
    let ran = place.run(&[&["seed", "apply", ".", "--restore"][..], &both].concat());
    // Servers keep their logins as long as both authorities are trusted.
    assert!(ran.code == Some(0) && !ran.out.contains("passwords for"), "{ran}");
    done(&place, &[&["ls"][..], &second].concat());
    let ran = place.run(&[&["seed", "apply", "."][..], &second].concat());
    assert!(ran.out.contains("passwords for another authority: `alice` and `bob`"), "{ran}");

    // The former password no longer opens anything.
    let key = read_operator_key(&place.at("operator.key")).unwrap().unwrap();
    let at = |name: &str| key.clone().at(Authority::File(place.at(&format!("{name}/ca.pem"))).ids().unwrap()).login();
    let (now, before) = (at("second"), at("first"));
    let address: Address = space.parse().unwrap();
    let address = address.trusting(Authority::File(place.at("second/ca.pem"))).unwrap();
    runtime().block_on(async {
        let (now, before) = (address.connect(&[now]).await.unwrap(), address.connect(&[before]).await.unwrap());
        let (mut left, mut looked_at) = (["/wattle", "/zookeeper/quota/wattle"].map(String::from).to_vec(), 0);
        while let Some(path) = left.pop() {
            let seen = before.get(&path).await;
            assert!(matches!(seen, Err(StoreError::Denied { .. })), "{path}: {seen:?}");
            let below = now.children(&path).await.unwrap();
            left.extend(below.into_iter().map(|name| format!("{path}/{name}")));
            looked_at += 1;
        }
        assert!(looked_at > 20, "{looked_at}");
    });
}
