//! `wattle up --network auto`: separate networks if servers can then reach what the machine reaches, without leaving
//! anything behind; otherwise loopback addresses, with the reason. On isolated machines, except where real software
//! runs.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::machine::Machine;
use wattle_tests::running::{self, Foreground, Stage, eventually};

const OUTSIDE: &str = "http://www.example.test/";
const OWN: &str = "in networks of their own";

/// Fetches a page.
#[component(recipe = "recipes/fetch.sh", deadline = "1m")]
pub struct Fetch {
    /// Where it is.
    #[input]
    url: String,

    /// What stands there.
    #[output]
    page: String,
}

/// What is fetched.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Urls {
    one: String,
    other: String,
}

/// Two servers that fetch a page each.
#[blueprint]
pub fn fetching(t: &mut Topology, (): (), urls: Urls) -> Exports {
    let server = || nova::Server::new().image("debian-12").flavor("m1.small");
    let a = t.add("a", server());
    let b = t.add("b", server());
    let one = t.on(a).run("fetch", Fetch::new().url(urls.one));
    let other = t.on(b).run("fetch", Fetch::new().url(urls.other));
    Exports::new().entry("one", one.page).entry("other", other.page)
}

fn model(one: &str, other: &str) -> Model {
    fetching.model(Urls { one: one.into(), other: other.into() })
}

/// The fetched pages, and the output of `up`.
fn fetched(stage: &Stage, args: &[&str]) -> (String, String, String) {
    let mut up = up(stage, args);
    let page = |server: &str| stage.ask(&["get", &format!("{server}/fetch/page")]).out;
    let pages = (page("a"), page("b"));
    assert_eq!(up.interrupt(), Some(0), "{}", up.said());
    (pages.0, pages.1, up.said())
}

fn up(stage: &Stage, args: &[&str]) -> Foreground {
    let mut up = stage.up(args);
    up.wait_for("is up", Duration::from_mins(1));
    up
}

/// The line with the summary.
fn head(said: &str) -> &str {
    said.lines().find(|line| line.contains(" servers, ")).unwrap_or_default()
}

#[test]
fn servers_reach_what_the_machine_reaches() {
    let Some(mut machine) = Machine::new("servers that reach what the machine reaches") else { return };
    machine.service(&["http", "203.0.113.2", "8080"]);
    let before = machine.state();
    let stage = Stage::new(&model(OUTSIDE, "http://203.0.113.2:8080/own")).within(machine.enter());
    let (outside, own, said) = fetched(&stage, &[]);
    assert!(head(&said).ends_with(OWN), "{said}");
    assert_eq!(outside, "80: / for 203.0.113.2\n", "the name is resolved, and the address translated");
    assert!(own.starts_with("8080: /own for 198."), "{own}");
    assert_eq!(machine.state(), before);
}

#[test]
fn servers_reach_what_listens_on_the_machines_loopback_interface() {
    let Some(mut machine) = Machine::new("a resolver and a proxy on the loopback interface") else { return };
    machine.service(&["dns", "127.0.0.1", "53"]);
    machine.service(&["http", "127.0.0.1", "3128"]);
    machine.run("echo nameserver 127.0.0.1 >/run/resolv.conf");
    let stage = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    let (page, _, said) = fetched(&stage, &[]);
    assert!(head(&said).ends_with(OWN), "{said}");
    assert_eq!(page, "80: / for 203.0.113.2\n");

    // Recipes use the proxy, but not to reach other servers.
    let mut words = machine.enter();
    words.extend(["env".into(), "http_proxy=http://localhost:3128".into()]);
    let stage = Stage::new(&model(OUTSIDE, "http://127.0.0.1:3128/direct")).within(words);
    let (page, direct, said) = fetched(&stage, &[]);
    assert!(head(&said).ends_with(OWN), "{said}");
    assert_eq!(page, format!("3128: {OUTSIDE} for 127.0.0.1\n"));
    assert_eq!(direct, "3128: /direct for 127.0.0.1\n");
}

#[test]
fn a_resolver_for_the_machine_alone_has_another_in_its_place() {
    let Some(mut machine) = Machine::new("a resolver that only the machine itself can ask") else { return };
    machine.service(&["dns", "127.0.0.53", "53", "lo"]);
    machine.run("echo nameserver 127.0.0.53 >/run/resolv.conf");
    let stage = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    let (page, _, said) = fetched(&stage, &[]);
    assert!(head(&said).contains("from there, the resolver 127.0.0.53 cannot be reached"), "{said}");
    assert_eq!(page, "80: / for 203.0.113.2\n");

    machine.run("mkdir -p /run/systemd/resolve; echo nameserver 203.0.113.1 >/run/systemd/resolve/resolv.conf");
    let (page, _, said) = fetched(&stage, &[]);
    assert!(head(&said).ends_with(OWN), "{said}");
    assert_eq!(page, "80: / for 203.0.113.2\n");
}

#[test]
fn loopback_addresses_where_something_is_in_the_way() {
    let Some(machine) = Machine::new("a firewall, and no nft") else { return };
    machine.run("nft 'table inet corp { chain forward { type filter hook forward priority 0; policy drop; }; }'");
    let before = machine.state();
    let stage = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    let (page, _, said) = fetched(&stage, &[]);
    assert!(head(&said).contains("at loopback addresses"), "{said}");
    assert!(head(&said).contains("the firewall's chain forward of the table inet corp lets nothing through"), "{said}");
    assert_eq!(page, "80: / for 203.0.113.2\n");
    let insisted = stage.run(&["up", "--network", "namespaces"]);
    assert_eq!(insisted.code, Some(1), "{insisted}");
    assert!(insisted.err.contains("table inet corp") && insisted.err.contains("--network loopback"), "{insisted}");
    assert_eq!(machine.state(), before);

    machine.run("nft delete table inet corp; mount --bind /dev/null \"$(command -v nft)\"");
    let (page, _, said) = fetched(&stage, &[]);
    assert!(
        head(&said).contains("there is no `nft` here; on Debian and Ubuntu it is in the package nftables"),
        "{said}"
    );
    assert_eq!(page, "80: / for 203.0.113.2\n");
}

#[test]
fn what_a_killed_up_leaves_of_networks_is_removed() {
    let Some(machine) = Machine::new("networks of an `up` that was killed") else { return };
    let before = machine.state();
    let stage = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    let killed = || {
        let up = stage.run(&["up", "--detach", "--until-done"]);
        assert_eq!(up.code, Some(0), "{up}");
        running::kill(stage.processes("--background")[0]);
        eventually("it is gone", || stage.processes("--background").is_empty());
        assert!(machine.state().contains("wattle-"), "its networks are still there");
    };
    killed();
    assert_eq!(stage.run(&["down"]).code, Some(0));
    assert_eq!(machine.state(), before);

    // The `up` of another stack removes the remains, too.
    killed();
    let other = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    let up = other.run(&["up", "--until-done"]);
    assert_eq!(up.code, Some(0), "{up}");
    assert_eq!(machine.state(), before);
    assert_eq!(stage.run(&["up", "--until-done"]).code, Some(0));
    assert_eq!(machine.state(), before);
}

/// A process that enters a network namespace may still see the `/sys` of another one.
#[test]
fn networks_are_found_and_removed_where_sys_does_not_show_them() {
    let Some(machine) = Machine::new("networks that /sys does not show") else { return };
    machine.run("mount -t tmpfs none /sys/class/net");
    let before = machine.state();
    let stage = Stage::new(&model(OUTSIDE, OUTSIDE)).within(machine.enter());
    for _ in 0..2 {
        let (page, _, said) = fetched(&stage, &[]);
        assert!(head(&said).ends_with(OWN), "{said}");
        assert_eq!(page, "80: / for 203.0.113.2\n");
        assert_eq!(machine.state(), before);
    }
}

#[test]
fn two_at_a_time() {
    let Some(mut machine) = Machine::new("two with networks of their own at a time") else { return };
    machine.service(&["http", "203.0.113.2", "8080"]);
    let before = machine.state();
    let own = "http://203.0.113.2:8080/";
    let stages = [(), ()].map(|()| Stage::new(&model(own, own)).within(machine.enter()));
    let mut ups = stages.each_ref().map(|stage| up(stage, &[]));
    let clients: BTreeSet<String> = stages
        .iter()
        .flat_map(|stage| ["a/fetch/page", "b/fetch/page"].map(|entry| stage.ask(&["get", entry]).out))
        .collect();
    assert_eq!(clients.len(), 4, "four servers, four addresses: {clients:?}");

    assert_eq!(ups[0].interrupt(), Some(0));
    stages[1].emit(&model(OUTSIDE, OUTSIDE));
    let renewed = stages[1].run(&["up"]);
    assert_eq!(renewed.code, Some(0), "the end of one is not the other's: {renewed}");
    assert_eq!(ups[1].interrupt(), Some(0));
    assert_eq!(machine.state(), before);
}

#[test]
fn three_tier_in_networks_of_its_own_and_without() {
    if !running::can_run_three_tier() || !running::can_make_networks() {
        return;
    }
    for (network, place) in [("namespaces", OWN), ("loopback", "at loopback addresses")] {
        let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
        let mut up = stage.up(&["--generate-secrets", "--network", network]);
        up.wait_for("is up", Duration::from_mins(2));
        assert!(head(&up.said()).ends_with(place), "{}", up.said());
        let url = stage.ask(&["get", "web/nginx/url"]).out;
        let answer = running::http_get(url.trim());
        assert!(answer.contains(r#""name": "hurdle""#), "{network}: {answer}");
        assert_eq!(up.interrupt(), Some(0), "{}", up.said());
        assert_eq!(stage.processes(""), Vec::<i32>::new());
    }
}
