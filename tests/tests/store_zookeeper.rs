//! The conformance suite of stores, against ZooKeeper.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;
use wattle_runtime::store::{Address, Login, Principal, Store};
use wattle_tests::conformance;
use wattle_tests::conformance::Fixture;
use wattle_tests::proxy::Proxy;
use wattle_tests::zookeeper::ZooKeeper;

/// What other processes run, for the cases that need one.
#[tokio::test]
#[ignore = "is started by the cases that need another process"]
async fn another_process() {
    conformance::another_process().await;
}

/// A ZooKeeper behind proxies, one before each member.
struct OnZooKeeper {
    zookeeper: Arc<ZooKeeper>,
    proxies: Vec<Proxy>,
    restarting: Mutex<()>,
}

impl OnZooKeeper {
    fn start(members: usize) -> Self {
        // Sessions last 5 s, which is 20 ticks, because some cases wait for one to end.
        let zookeeper = Arc::new(ZooKeeper::start_with(members, |zkd, _| {
            zkd.env("ZK_TICK", "250");
        }));
        let proxies = zookeeper.hosts().split(',').map(Proxy::before).collect();
        Self { zookeeper, proxies, restarting: Mutex::default() }
    }

    fn at(&self) -> Address {
        let hosts: Vec<_> = self.proxies.iter().map(Proxy::hosts).collect();
        format!("zookeeper://{}", hosts.join(",")).parse().expect("an address")
    }
}

fn operator() -> Login {
    Login { name: "operator".to_owned(), password: "the operator's password".to_owned() }
}

#[async_trait]
impl Fixture for OnZooKeeper {
    async fn operator(&self) -> Arc<dyn Store> {
        self.login(&[operator()]).await
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        self.at().connect(logins).await.expect("connects")
    }

    fn address(&self) -> Option<(Address, Login)> {
        Some((self.at(), operator()))
    }

    fn operator_to_name(&self) -> Option<Principal> {
        Some(operator().principal())
    }

    async fn restart(&self) -> bool {
        let _one_at_a_time = self.restarting.lock().await;
        let zookeeper = Arc::clone(&self.zookeeper);
        let restart = move || {
            let members = 1..=zookeeper.hosts().split(',').count();
            members.clone().for_each(|member| zookeeper.kill(member));
            members.for_each(|member| zookeeper.start_again(member));
        };
        tokio::task::spawn_blocking(restart).await.expect("restarts");
        true
    }

    async fn cut(&self) -> bool {
        self.proxies.iter().for_each(Proxy::break_off);
        true
    }
}

#[tokio::test]
async fn one_member() {
    conformance::run(&OnZooKeeper::start(1)).await;
}

#[tokio::test]
async fn three_members() {
    if !wattle_tests::skip::everything("the conformance suite against three members") {
        return;
    }
    conformance::run(&OnZooKeeper::start(3)).await;
}
