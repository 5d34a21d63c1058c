//! HAProxy in front of other servers.

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::haproxy::HaProxy;
use wattle_tests::running::{http_get, try_http_get};

use crate::stage::{Judges, can_run, down, heat_takes, network, server, up_here, upstream, value};

/// The servers behind it.
#[derive(Clone, Deserialize, Default)]
#[serde(default)]
pub(crate) struct Behind {
    upstreams: Vec<String>,
}

/// The same servers behind two proxies, for HTTP and for TCP.
#[blueprint]
pub(crate) fn proxies(t: &mut Topology, (): (), behind: Behind) -> Exports {
    let network = network(t);
    let mut exports = Exports::new();
    for mode in ["http", "tcp"] {
        let (host, address) = server(t, mode, network);
        let upstreams: Vec<Url> = behind.upstreams.iter().map(|url| url.parse().expect("a URL")).collect();
        let proxy = HaProxy::new().address(address).port(8080_u16).mode(mode).upstreams(upstreams);
        exports = exports.entry(mode, t.on(host).run("proxy", proxy).url);
    }
    exports
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &proxies.model(Behind::default()));
}

#[test]
fn it_shares_the_connections_among_those_that_answer() {
    if !can_run("parts: HAProxy", &["/usr/sbin/haproxy", "/usr/bin/jq"]) {
        return;
    }
    // Nobody listens on port 1.
    let behind = Behind { upstreams: vec![upstream("left"), "http://127.0.0.1:1/".into(), upstream("right")] };
    let stage = up_here(&proxies.model(behind), "");
    let urls = [value(&stage, "http/proxy/url"), value(&stage, "tcp/proxy/url")];
    assert!(urls[1].starts_with("tcp://"), "{urls:?}");
    for url in &urls {
        let url = url.replace("tcp://", "http://");
        wattle_tests::running::eventually("the third is left out", || {
            (0..6).all(|_| try_http_get(&url).is_some_and(|answer| answer.contains("200 OK")))
        });
        let mut answers: Vec<String> =
            (0..6).map(|_| http_get(&url).lines().last().unwrap_or_default().to_owned()).collect();
        answers.sort();
        answers.dedup();
        assert_eq!(answers, ["left", "right"]);
    }
    down(&stage, &[&urls[0], &urls[1]]);
}
