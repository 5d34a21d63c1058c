//! Ports that another program occupies: no part mistakes that program for its own service.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::haproxy::HaProxy;
use wattle_catalog::parts::nfs::Export;
use wattle_catalog::parts::nginx::Nginx;
use wattle_catalog::parts::openldap::OpenLdap;
use wattle_catalog::parts::postgresql::Primary;
use wattle_catalog::parts::redis::Redis;
use wattle_catalog::parts::service::Service;
use wattle_tests::running::Stage;

use crate::service::{Release, release};
use crate::stage::{can_run, network, server, up_here, value};

/// A port that no other test's service uses.
const TAKEN: u16 = 6397;

/// Chosen when the stack is deployed.
#[derive(Parameters)]
struct Settings {
    /// Password of whatever has one.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// Every part that listens, each on that port of a separate server.
#[blueprint]
fn refused(t: &mut Topology, p: Settings, release: Release) -> Exports {
    let network = network(t);
    let upstream: Url = "http://127.0.0.1:1/".parse().expect("a URL");
    let (host, address) = server(t, "a", network);
    t.on(host).run("haproxy", HaProxy::new().address(address).port(TAKEN).upstreams([upstream.clone()]));
    let (host, address) = server(t, "b", network);
    t.on(host).run("nginx", Nginx::new().address(address).port(TAKEN).upstreams([upstream]));
    let (host, address) = server(t, "c", network);
    t.on(host).run("redis", Redis::new().address(address).port(TAKEN).password(p.password));
    let (host, address) = server(t, "d", network);
    let directory = OpenLdap::new().address(address).port(TAKEN).domain("example.com");
    t.on(host).run("directory", directory.admin_password(p.password));
    let (host, address) = server(t, "e", network);
    let database = Primary::new().address(address).port(TAKEN).database("shop").user("keeper");
    t.on(host).run("database", database.password(p.password));
    let (host, address) = server(t, "f", network);
    t.on(host).run("files", Export::new().address(address).port(TAKEN).user("nobody"));
    let (host, address) = server(t, "g", network);
    // This service keeps running, but does not even try to listen.
    let silent = Service::new().url(release.url.parse::<Url>().expect("a URL")).sha256(release.sha256.as_str());
    let silent = silent.strip(1_u8).user("nobody").command(["/bin/sleep", "1d"]).address(address).port(TAKEN);
    t.on(host).run("silent", silent.start_within(Duration::from_secs(2)));
    Exports::new()
}

#[test]
fn every_part_says_who_has_its_port() {
    let programs = [
        "/usr/sbin/haproxy",
        "/usr/sbin/nginx",
        "/usr/bin/redis-cli",
        "/usr/sbin/slapd",
        "/usr/bin/psql",
        "/usr/bin/ganesha.nfsd",
        "/usr/bin/bsdtar",
    ];
    if !can_run("parts: ports that are taken", &programs) {
        return;
    }
    // This program accepts connections, and never answers.
    let other = std::net::TcpListener::bind(("0.0.0.0", TAKEN)).expect("a port");
    let stage = Stage::new(&refused.model(release("1")));
    let up = stage.run(&["up", "--until-done", "--network", "loopback", "--parameter", "password=word"]);
    assert_eq!(up.code, Some(1), "{up}");
    for name in ["haproxy", "nginx", "redis", "directory", "database", "files", "silent"] {
        let said = format!("{name} cannot listen: 127.");
        let by = format!(":{TAKEN} is taken by process {} (", std::process::id());
        assert!(up.out.lines().any(|line| line.contains(&said) && line.contains(&by)), "{name}: {up}");
    }
    drop(other);
    assert_eq!(stage.processes(""), Vec::<i32>::new());
}

/// A service whose own child listens.
#[blueprint]
fn forking(t: &mut Topology, (): (), release: Release) -> Exports {
    let network = network(t);
    let (host, address) = server(t, "a", network);
    let service = Service::new().url(release.url.parse::<Url>().expect("a URL")).sha256(release.sha256.as_str());
    let python = "import http.server, os; http.server.HTTPServer((os.environ['LISTEN'], 8097), \
                  http.server.SimpleHTTPRequestHandler).serve_forever()";
    let command = format!("(setsid python3 -c \"{python}\" & wait) & wait");
    let service = service.strip(1_u8).user("nobody").command(["/bin/sh", "-c", command.as_str()]);
    let service = service
        .environment(BTreeMap::from([("LISTEN".to_owned(), text!("{}", address))]))
        .address(address)
        .port(8097_u16);
    Exports::new().entry("authority", t.on(host).run("app", service).authority)
}

#[test]
fn what_a_service_starts_listens_for_it() {
    if !can_run("parts: a service whose child listens", &["/usr/bin/bsdtar", "/usr/bin/jq", "/usr/bin/python3"]) {
        return;
    }
    let stage = up_here(&forking.model(release("1")), "");
    assert!(value(&stage, "a/app/authority").ends_with(":8097"));
    let down = stage.run(&["down"]);
    assert_eq!(down.code, Some(0), "{down}");
}

/// A port that only the test of shared ports uses, and the next one.
const SHARED: u16 = 6398;

/// Two pairs of services that need the same port of their server. Python's permit others to share it (`SO_REUSEPORT`).
#[blueprint]
fn twice(t: &mut Topology, (): (), release: Release) -> Exports {
    let network = network(t);
    let upstream: Url = "http://127.0.0.1:1/".parse().expect("a URL");
    let (host, address) = server(t, "a", network);
    let proxy = || HaProxy::new().address(address).port(SHARED).upstreams([upstream.clone()]);
    let first = t.on(host).run("proxy", proxy());
    let second = t.on(host).run("other_proxy", proxy());
    t.after(second, first);
    let (host, address) = server(t, "b", network);
    let python = format!(
        "import os, socket, time; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); \
         s.bind((os.environ['LISTEN'], {})); s.listen(); time.sleep(86400)",
        SHARED + 1
    );
    let app = || {
        let app = Service::new().url(release.url.parse::<Url>().expect("a URL")).sha256(release.sha256.as_str());
        app.strip(1_u8)
            .user("nobody")
            .command(["/usr/bin/python3", "-c", python.as_str()])
            .environment(BTreeMap::from([("LISTEN".to_owned(), text!("{}", address))]))
            .address(address)
            .port(SHARED + 1)
            .start_within(Duration::from_secs(10))
    };
    let first = t.on(host).run("app", app());
    let second = t.on(host).run("other_app", app());
    t.after(second, first);
    Exports::new()
}

#[test]
fn two_services_do_not_share_a_port_unnoticed() {
    let programs = ["/usr/sbin/haproxy", "/usr/bin/bsdtar", "/usr/bin/jq", "/usr/bin/python3"];
    if !can_run("parts: two services that want one port", &programs) {
        return;
    }
    let stage = Stage::new(&twice.model(release("1")));
    let up = stage.run(&["up", "--detach", "--until-done", "--network", "loopback"]);
    assert_eq!(up.code, Some(1), "{up}");
    let status: serde_json::Value =
        serde_json::from_str(&stage.ask(&["status", "--format", "json"]).out).expect("JSON");
    for (server, first, second, how) in
        [("a", "proxy", "other_proxy", "is taken by process"), ("b", "app", "other_app", "is also taken by process")]
    {
        let components = &status["servers"][server]["components"];
        assert_eq!(components[first]["state"], "done", "{status:#}");
        assert_eq!(components[second]["state"], "failed", "{status:#}");
        // The reason is in the message itself, and not only among the last lines of the log.
        let said = components[second]["failure"]["message"].as_str().expect("a message");
        assert!(said.starts_with(&format!("{second} cannot listen: 127.")) && said.contains(how), "{said}");
    }
    let down = stage.run(&["down"]);
    assert_eq!(down.code, Some(0), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
}
