//! A server's login seen by one store is useless at another one.

use std::fs;
use std::process::Stdio;

use wattle_runtime::seed::read_operator_key;
use wattle_runtime::space::{Announcement, Credential, Layout, ServerKey};
use wattle_runtime::store::{Address, Authority, Login, StoreError};
use wattle_tests::running::{Ran, eventually};
use wattle_tests::seeds::unsigned;
use wattle_tests::zookeeper::{ZooKeeper, secure_with};

use crate::listener::Listener;
use crate::login::{authorities, done, runtime, seen};
use crate::place::Place;

/// An operator's data space with certificates from the authority `ours`, and an attacker's own authority.
struct Scene {
    place: Place,
    space: String,
    _zookeeper: ZooKeeper,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new();
        authorities(&place, ["ours", "theirs"]);
        let zookeeper = ZooKeeper::start_with(1, |zkd, _| secure_with(zkd, &place.at("ours.pem"), "127.0.0.1"));
        let space = format!("zookeeper+tls://{}", zookeeper.secure_hosts());
        Self { place, space, _zookeeper: zookeeper }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let ran = self.place.run(&[args, &["--space", &self.space, "--ca", "ours/ca.pem"]].concat());
        assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
        ran
    }

    /// The logins that `alice` sends to an attacker's store, with its current disk.
    fn led_astray(&self, number: usize) -> Vec<Login> {
        let listener = Listener::start(&self.place.at("theirs.pem"));
        let mut identity = self.place.identity("alice");
        identity["space"] = listener.space().into();
        identity["ca"] = fs::read_to_string(self.place.at("theirs/ca.pem")).unwrap().into();
        let mut agent = self.place.agent(&identity);
        let mut agent = agent.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("it logs in", || listener.heard_so_far("hello/alice").len() >= number);
        agent.kill().unwrap();
        agent.wait().unwrap();
        let login = |password| Login { name: "hello/alice".to_owned(), password };
        listener.heard("hello/alice").into_iter().map(login).collect()
    }

    /// The result of reading the plan of `alice` with this login.
    fn seen(&self, login: Login) -> Result<Option<usize>, StoreError> {
        seen(&self.space, &self.place.at("ours/ca.pem"), login, "/wattle/hello/servers/alice/plan")
    }

    fn denied(&self, logins: Vec<Login>) {
        for login in logins {
            let seen = self.seen(login);
            assert!(matches!(seen, Err(StoreError::Denied { .. })), "{seen:?}");
        }
    }

    /// The key that `alice` has generated.
    fn key(&self) -> ServerKey {
        fs::read_to_string(self.place.at("alice/agent/key")).unwrap().parse().unwrap()
    }

    fn credential(&self) -> Credential {
        self.place.parameter("\"alice\"").parse().unwrap()
    }
}

#[test]
fn neither_a_servers_credential_nor_its_own_key_is_of_use_at_a_store_of_another_authority() {
    let mut scene = Scene::new();
    scene.run(&["seed", "apply", "."]);
    scene.denied(scene.led_astray(2));
    scene.place.start();
    scene.run(&["seed", "admit", "--wait"]);
    scene.place.stop();
    scene.denied(scene.led_astray(2));
    // Its login is valid at the right store.
    let ours = Authority::File(scene.place.at("ours/ca.pem")).ids().unwrap();
    let own = scene.key().at(ours).login("hello", "alice");
    assert!(matches!(scene.seen(own), Ok(Some(1..))));
}

/// Servers of an earlier version keep their rights until they have announced themselves here.
#[test]
fn servers_of_before_go_on_and_are_bound_to_the_store() {
    let mut scene = Scene::new();
    scene.run(&["seed", "apply", "."]);
    done(
        &scene.place,
        &["seed", "delete", "hello", "--yes", "--space", &scene.space, "--ca", "ours/ca.pem", "--key", "operator.key"],
    );
    let file = scene.place.at("credentials.yaml");
    let former = fs::read_to_string(&file).unwrap().replace("wattle4:", "wattle3:");
    fs::write(&file, former).unwrap();
    let apply = ["seed", "apply", ".", "--credentials", "credentials.yaml", "--key", "operator.key"];
    let ran = scene.run(&apply);
    assert!(
        ran.out.contains("the passwords of `alice` and `bob` are from before") && ran.out.contains("seed admit"),
        "{ran}"
    );
    assert!(scene.credential().is_unbound());
    // In the earlier version, this was true of all servers.
    let heard = scene.led_astray(2);
    assert!(heard.into_iter().any(|login| matches!(scene.seen(login), Ok(Some(1..)))));
    scene.place.start();
    let get = ["get", "alice/greeter/greeting", "--wait", "--timeout", "2m"];
    assert!(scene.run(&get).out.starts_with("hello bob"));

    // One server has been admitted through the announcement of its old agent.
    scene.place.stop();
    let operator = read_operator_key(&scene.place.at("operator.key")).unwrap().unwrap();
    let ours = Authority::File(scene.place.at("ours/ca.pem"));
    let operator = operator.at(ours.ids().unwrap());
    let address = scene.space.parse::<Address>().unwrap().trusting(ours).unwrap();
    let (layout, own) = (Layout::new("hello"), scene.key());
    runtime().block_on(async {
        let store = address.connect(&operator.logins()).await.unwrap();
        let desired = store.get(&layout.revision()).await.unwrap().unwrap();
        let desired: serde_json::Value = serde_json::from_slice(unsigned(&desired.data)).unwrap();
        let said = Announcement {
            space: Some(desired["space"].as_str().unwrap().into()),
            identity: own.clone().unbound().public("hello", "alice"),
            at: desired["expires"].as_str().unwrap().parse().unwrap(),
            endorsed: None,
        };
        let path = layout.announcement("alice");
        store.set(&path, &said.signed(&path, &own, scene.credential().key()), None).await.unwrap();
    });
    scene.run(&["seed", "admit"]);
    let ran = scene.run(&apply);
    assert!(ran.out.contains("the passwords of `alice`"), "{ran}");
    let former = own.clone().unbound().login("hello", "alice");
    assert!(matches!(scene.seen(former.clone()), Ok(Some(1..))));

    scene.place.start();
    let mut said = String::new();
    eventually("they say who they are", || {
        let ran = scene.run(&apply);
        said.push_str(&ran.out);
        !ran.out.contains("the passwords of")
    });
    assert!(said.contains("passwords for another authority: `alice`"), "{said}");
    scene.denied(vec![former]);
    scene.run(&[&apply[..], &["--again"]].concat());
    eventually("it goes on", || scene.run(&["status"]).out.contains("2 of 2 components done"));
}
