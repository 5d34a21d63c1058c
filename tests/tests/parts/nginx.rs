//! nginx in front of other servers.

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::nginx::Nginx;
use wattle_tests::running::{Stage, http_get};

use crate::stage::{Judges, can_run, down, heat_takes, network, server, up_here, upstream, value};

/// The servers behind it.
#[derive(Clone, Deserialize, Default)]
#[serde(default)]
pub(crate) struct Behind {
    upstreams: Vec<String>,
}

/// A web server in front of others.
#[blueprint]
pub(crate) fn web(t: &mut Topology, (): (), behind: Behind) -> Exports {
    let network = network(t);
    let (host, address) = server(t, "web", network);
    let upstreams: Vec<Url> = behind.upstreams.iter().map(|url| url.parse().expect("a URL")).collect();
    let nginx = Nginx::new().address(address).port(8080_u16).upstreams(upstreams);
    Exports::new().entry("url", t.on(host).run("nginx", nginx).url)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &web.model(Behind::default()));
}

#[test]
fn it_shares_the_requests() {
    if !can_run("parts: nginx", &["/usr/sbin/nginx", "/usr/bin/jq"]) {
        return;
    }
    let behind = Behind { upstreams: vec![upstream("left"), upstream("right")] };
    let stage = up_here(&web.model(behind), "");
    let url = value(&stage, "web/nginx/url");
    let mut answers: Vec<String> =
        (0..8).map(|_| http_get(&url).lines().last().unwrap_or_default().to_owned()).collect();
    answers.sort();
    answers.dedup();
    assert_eq!(answers, ["left", "right"]);
    down(&stage, &[&url]);
}

#[test]
fn nobody_behind_it_is_a_failure() {
    if !can_run("parts: nginx with nobody behind it", &["/usr/sbin/nginx", "/usr/bin/jq"]) {
        return;
    }
    for (upstreams, said) in [
        (vec![], "the list of upstreams is empty"),
        (vec!["gopher://10.0.0.7/".to_owned()], "the URL of an upstream has no port: gopher://10.0.0.7/"),
        (vec!["file:///etc/motd".to_owned()], "the URL of an upstream has no host: file:///etc/motd"),
    ] {
        let stage = Stage::new(&web.model(Behind { upstreams }));
        let up = stage.run(&["up", "--until-done"]);
        assert_eq!(up.code, Some(1), "{up}");
        assert!(format!("{up}").contains(said), "{up}");
    }
}
