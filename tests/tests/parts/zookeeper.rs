//! A ZooKeeper ensemble.

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::zookeeper::Ensemble;
use wattle_tests::oracle::Oracle;
use wattle_tests::running::eventually;

use crate::stage::{can_run, client, down, heat_takes, network, server, up, value};

/// Three members.
#[blueprint]
pub(crate) fn coordination(t: &mut Topology) -> Exports {
    let network = network(t);
    let servers = ["a", "b", "c"].map(|name| server(t, name, network)).to_vec();
    let members = t.add("zookeeper", Ensemble { servers });
    Exports::new().entry("connect", members[0].connect).entry("third", members[2].authority)
}

pub(crate) fn heat(oracle: &mut Oracle) {
    heat_takes(oracle, &coordination.model(Default::default()));
}

#[test]
fn what_is_written_at_one_member_is_read_at_another() {
    if !can_run("parts: ZooKeeper", &["/usr/bin/java", "/usr/share/java/zookeeper.jar"]) {
        return;
    }
    let stage = up(&coordination.model(Default::default()), "");
    let members = ["a", "b", "c"].map(|server| value(&stage, &format!("{server}/zookeeper/authority")));
    assert_eq!(value(&stage, "b/zookeeper/connect"), members.join(","));
    let zookeeper = |member: &str, words: &[&str]| {
        let java = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar";
        let main = ["-cp", java, "org.apache.zookeeper.ZooKeeperMain", "-server", member];
        client("java", &[], &[&main, words].concat())
    };
    zookeeper(&members[0], &["create", "/word", "wattle"]);
    eventually("it arrives", || zookeeper(&members[2], &["get", "/word"]).lines().any(|line| line == "wattle"));
    down(&stage, &members.each_ref().map(String::as_str));
}
