//! What an attacker can do with root access to a server of a stack and with its credential: nothing that others rely
//! on.

/// Tests of a stack, each in a real ZooKeeper and in the embedded store.
macro_rules! in_both_stores {
    ($($name:ident: $stack:expr,)+) => {
        mod in_zookeeper {
            use super::*;
            $(#[tokio::test]
            async fn $name() {
                super::$name($stack).await;
            })+
        }

        mod in_the_embedded_store {
            use super::*;
            $(#[tokio::test]
            async fn $name() {
                let (stack, _store) = $stack.embedded().await;
                super::$name(stack).await;
            })+
        }
    };
}

mod admitted;
mod agents;
mod commands;
mod dropped;
mod former;
mod garbage;
mod handed;
mod handed_state;
mod identities;
mod logs;
mod of_before;
mod outside;
mod own_place;
mod put_back;
mod quotas;
mod replayed;
mod rotated;
mod shown;
mod signed;
mod squatted;
mod values;

use std::sync::Arc;

use wattle::author::{Exports, Topology};
use wattle::lower::Seed;
use wattle::model::Model;
use wattle_catalog::nova;
use wattle_runtime::seed::Options;
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Address, Login, Store, StoreError};
use wattle_tests::random::Anything;
use wattle_tests::seeds::{options, seed};
use wattle_tests::zookeeper::ZooKeeper;

/// A stack with two servers that are not wired to each other, in a real ZooKeeper.
pub(crate) struct Stack {
    pub(crate) model: Model,
    pub(crate) seed: Seed,
    pub(crate) options: Options,
    address: Address,
}

impl Stack {
    pub(crate) fn new(name: &'static str) -> Self {
        Self::at(name, ZooKeeper::shared())
    }

    /// A stack in its own ZooKeeper.
    pub(crate) fn at(name: &'static str, zookeeper: &ZooKeeper) -> Self {
        Self::of(name, zookeeper, |t| {
            for server in ["db", "web"] {
                let host = server_of(t, server);
                t.on(host).run("part", Anything::new());
            }
        })
    }

    /// A stack with this content.
    pub(crate) fn of(name: &'static str, zookeeper: &ZooKeeper, fill: impl FnOnce(&mut Topology)) -> Self {
        let mut t = Topology::new(name);
        fill(&mut t);
        let model = t.finish(Exports::new());
        let seed = seed(&model);
        let mut options = options(&seed);
        options.credentials.complete(&seed, &options.key);
        Self { model, seed, options, address: zookeeper.address().parse().expect("an address") }
    }

    /// The address of its store.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        self.address.connect(logins).await.expect("connects")
    }

    /// Moves it to an embedded store, which exists as long as the result.
    pub(crate) async fn embedded(mut self) -> (Self, (Server, tempfile::TempDir)) {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("run/socket");
        let operator = self.options.key.login().principal();
        let server = Server::start(&socket, &folder.path().join("log"), &operator).await.expect("starts");
        self.address = Address::Socket(socket);
        (self, (server, folder))
    }

    pub(crate) async fn operator(&self) -> Arc<dyn Store> {
        self.login(&[self.options.key.login()]).await
    }

    pub(crate) fn logins(&self, server: &str) -> Vec<Login> {
        self.options.credentials.get(server).expect("it has one").logins(&self.seed.stack, server)
    }

    /// A connection with all logins of a server.
    pub(crate) async fn server(&self, server: &str) -> Arc<dyn Store> {
        self.login(&self.logins(server)).await
    }
}

pub(crate) fn server_of(t: &mut Topology, name: &'static str) -> nova::Server {
    t.add(name, nova::Server::new().image("debian-12").flavor("m1.small"))
}

#[track_caller]
pub(crate) fn assert_denied<T: std::fmt::Debug>(result: Result<T, StoreError>, what: &str) {
    assert!(matches!(result, Err(StoreError::Denied { .. })), "{what}: {result:?}");
}
