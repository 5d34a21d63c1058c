//! Access rights in a data space: only what is wired is permitted. Every server tries every operation on every node.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use wattle::author::{Blueprint, Exports, Topology};
use wattle::lower::Seed;
use wattle::lower::seed::Origin;
use wattle::model::Model;
use wattle_catalog::nova;
use wattle_runtime::seed::{Options, apply, delete};
use wattle_runtime::space::{Credential, OperatorKey};
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Access, Address, Login, Memory, Op, Rights, Store, StoreError};
use wattle_tests::random::{self, Anything};
use wattle_tests::seeds::{join, nodes, options, seed};
use wattle_tests::zookeeper::ZooKeeper;

/// The connections to the store under test.
enum Under {
    Memory(Memory),
    Address(Address),
}

impl Under {
    async fn operator(&self, options: &Options) -> Arc<dyn Store> {
        match self {
            Self::Memory(memory) => Arc::new(memory.clone()),
            Self::Address(_) => self.login(&[options.key.login()]).await,
        }
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        match self {
            Self::Memory(memory) => Arc::new(memory.login(logins)),
            Self::Address(address) => address.connect(logins).await.expect("connects"),
        }
    }
}

/// The readers of each entry, according to the wiring.
fn readers(seed: &Seed) -> BTreeMap<String, BTreeSet<String>> {
    let mut readers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, server) in &seed.servers {
        for wire in server.components.values().flat_map(|component| component.inputs.values()) {
            for entry in wire.leaves().filter_map(Origin::entry) {
                readers.entry(entry.to_string()).or_default().insert(name.to_string());
            }
        }
    }
    readers
}

/// The rights of `server` to the node at `path` below its stack: read, write, create and remove children.
fn expected(path: &str, server: &str, readers: &BTreeMap<String, BTreeSet<String>>, picture: &str) -> [bool; 3] {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["revision"] | ["recipes", _] | ["deployed", "picture"] => [true, false, false],
        ["deployed", piece] => [picture.contains(piece), false, false],
        ["agents", owner] => [*owner == server, false, *owner == server],
        ["servers", owner, "plan" | "membership"] => [*owner == server, false, false],
        ["status", owner, _] => [true, *owner == server, false],
        ["entries", writer, _, _] => {
            let entry = path.trim_start_matches("entries/");
            let reads = readers.get(entry).is_some_and(|readers| readers.contains(server));
            [reads || *writer == server, *writer == server, false]
        }
        _ => [false; 3],
    }
}

/// Tries every operation on every node, with `logins`.
async fn tried(
    store: &Arc<dyn Store>,
    there: &BTreeMap<String, Vec<u8>>,
    mut check: impl FnMut(&str, [bool; 3]),
) -> usize {
    fn allowed<T>(result: Result<T, StoreError>) -> bool {
        match result {
            Ok(_) => true,
            Err(StoreError::Denied { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }
    let anyone = Login { name: "anyone".to_owned(), password: String::new() }.principal();
    let access = Access::new().grant(&anyone, Rights::READ);
    let tried = stream::iter(there).map(async |(path, data)| {
        let read = allowed(store.get(path).await);
        assert_eq!(allowed(store.children(path).await), read, "children of `{path}`");
        let write = allowed(store.set(path, data, None).await);
        let probe = format!("{path}/probe");
        let create = Op::Create { path: probe.clone(), data: Vec::new(), access: access.clone() };
        let create = allowed(store.apply(vec![create]).await);
        if create {
            store.apply(vec![Op::Delete { path: probe }]).await.expect("who makes may remove");
        }
        assert!(!allowed(store.protect(&[(path.clone(), access.clone())], &[]).await), "gave rights to `{path}`");
        (path, [read, write, create])
    });
    let tried: Vec<_> = tried.buffer_unordered(64).collect().await;
    tried.iter().for_each(|(path, allowed)| check(path, *allowed));
    tried.len()
}

async fn matrix(under: Under, key: OperatorKey, model: &Model) {
    let seed = seed(model);
    let mut options = options(&seed);
    options.key = key;
    let operator = under.operator(&options).await;
    // All random models have the same stack name, so delete the previous stack.
    delete(&operator, &seed.stack, &options.key, false).await.expect("deletes");
    elsewhere(&operator, &options).await;
    options.credentials.complete(&seed, &options.key);
    apply(&operator, &seed, &options).await.expect("applies");
    let there = nodes(&operator).await;
    let readers = readers(&seed);
    let root = format!("/wattle/{}/", seed.stack);
    let picture = String::from_utf8(there[&format!("{root}deployed/picture")].clone()).expect("text");
    let mut probes = 0;
    for server in seed.servers.keys() {
        let logins = options.credentials.get(server).expect("made").logins(&seed.stack, server);
        let store = under.login(&logins).await;
        join(&store, &seed.stack, server, options.credentials.get(server).expect("made")).await;
        probes += tried(&store, &there, |path, allowed| {
            let expected = path.strip_prefix(&root).map_or_else(
                || elsewhere_allows(path, server, &seed),
                |path| expected(path, server, &readers, &picture),
            );
            assert_eq!(allowed, expected, "`{server}` of `{}` with `{path}`: read, write, make", seed.stack);
        })
        .await;
        // A server can remove neither nodes of others nor the nodes above them. (Nodes above `/wattle` belong to
        // ZooKeeper itself, where anyone may remove empty ones.)
        let own = format!("{root}agents/{server}");
        let others = there.keys().filter(|path| *path != "/wattle" && !path.starts_with(&own));
        stream::iter(others)
            .for_each_concurrent(64, async |path| {
                let removed = store.apply(vec![Op::Delete { path: path.clone() }]).await;
                assert!(matches!(removed, Err(StoreError::Denied { .. })), "`{server}` with `{path}`: {removed:?}");
            })
            .await;
    }
    // A login for no stack, and one for a stack with the same names.
    let stranger = Credential::generate(options.key.signer().authority())
        .logins(&seed.stack, &seed.servers.keys().next().expect("a server").clone());
    for logins in [&stranger[..], &[]] {
        probes += tried(&under.login(logins).await, &there, |path, allowed| {
            assert_eq!(allowed, [false; 3], "a stranger with `{path}`");
        })
        .await;
    }
    assert_eq!(nodes(&operator).await, there, "something was changed");
    println!("{}: {probes} nodes tried by {} servers and strangers", seed.stack, seed.servers.len());
}

/// The stack that random models import from: it has one value, which some of their servers read.
async fn elsewhere(store: &Arc<dyn Store>, options: &Options) {
    let mut t = Topology::new("elsewhere");
    let host = t.add("host", nova::Server::new().image("debian-12").flavor("m1.small"));
    let part = t.on(host).run("part", Anything::new());
    let seed = seed(&t.finish(Exports::new().entry("url", part.text)));
    let mut own = Options::new(options.key.clone());
    own.credentials.complete(&seed, &own.key);
    own.renew = true;
    apply(store, &seed, &own).await.expect("applies");
}

fn elsewhere_allows(path: &str, server: &str, seed: &Seed) -> [bool; 3] {
    let imports = format!("{:?}", seed.servers[server]).contains("Import {");
    [imports && path == "/wattle/elsewhere/entries/host/part/text", false, false]
}

fn examples() -> [Model; 2] {
    [three_tier::three_tier.model(Default::default()), connections::connections.model(Default::default())]
}

fn random(seeds: std::ops::Range<u32>) -> impl Iterator<Item = Model> {
    let models = seeds.map(|seed| random::model(&random::bytes(seed, 400)));
    models.filter(|model| !model.components.is_empty())
}

#[tokio::test]
async fn in_memory_servers_may_do_what_is_wired_and_nothing_else() {
    let mut imports = 0;
    for model in examples().into_iter().chain(random(0..60)) {
        imports += model.imports.len();
        matrix(Under::Memory(Memory::new()), OperatorKey::generate(), &model).await;
    }
    assert!(imports > 0, "nothing was imported");
}

#[tokio::test]
async fn in_the_embedded_store_servers_may_do_what_is_wired_and_nothing_else() {
    for model in examples().into_iter().chain(random(100..103)) {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("run/socket");
        let key = OperatorKey::generate();
        let server =
            Server::start(&socket, &folder.path().join("log"), &key.login().principal()).await.expect("starts");
        matrix(Under::Address(Address::Socket(socket)), key, &model).await;
        server.stop().await.expect("stops");
    }
}

#[tokio::test]
async fn in_zookeeper_servers_may_do_what_is_wired_and_nothing_else() {
    let (zookeeper, key) = (ZooKeeper::start(1), OperatorKey::generate());
    for model in examples().into_iter().chain(random(200..203)) {
        let address = zookeeper.address().parse().expect("an address");
        matrix(Under::Address(address), key.clone(), &model).await;
    }
}
