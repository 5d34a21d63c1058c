//! An expired token, an unavailable service, an insufficient quota, a command killed between a request and its answer:
//! nothing is created twice, and nothing is forgotten.

mod kills;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wattle_tests::openstack::{Named, RealHeat, admin, is_there};
use wattle_tests::proxy::Proxy;
use wattle_tests::site::{Ground, NOTHING, SHOP, Site};

use super::KEY;

/// The services, with their ports and the suffixes of their URLs, up to the project.
const SERVICES: [(&str, u16, &str); 4] =
    [("compute", 8774, "/v2.1"), ("network", 9696, ""), ("image", 9292, ""), ("block_storage", 8776, "/v3/")];

/// The real cloud behind proxies.
struct Behind {
    proxies: Vec<(&'static str, Proxy, String)>,
}

impl Behind {
    fn new() -> Self {
        let url = std::env::var("OS_AUTH_URL").expect("OS_AUTH_URL is set");
        let host = url.split("//").nth(1).and_then(|rest| rest.split(':').next()).expect("an address");
        let project = RealHeat::new().project();
        let proxies = SERVICES.into_iter().map(|(service, port, path)| {
            let path = if path.ends_with('/') { format!("{path}{project}") } else { path.to_owned() };
            (service, Proxy::before(&format!("{host}:{port}")), path)
        });
        Self { proxies: proxies.collect() }
    }

    fn all(&self) -> impl Iterator<Item = &Proxy> {
        self.proxies.iter().map(|(_, proxy, _)| proxy)
    }

    fn of(&self, service: &str) -> &Proxy {
        self.all().zip(SERVICES).find(|(_, (name, ..))| *name == service).expect("one of them").0
    }
}

impl Ground for Behind {
    const IS_SHARED: bool = true;

    fn clouds(&self, password: &str) -> String {
        let mut text = Named.clouds(password);
        for (service, proxy, path) in &self.proxies {
            writeln!(text, "    {service}_endpoint_override: 'http://{}{path}'", proxy.hosts()).expect("a text");
        }
        text
    }
}

/// The shop, if there is a real cloud.
fn site(what: &str) -> Option<Site<Behind>> {
    is_there(what).then(|| Site::with_short_sessions(Behind::new(), &Named::password()))
}

#[test]
fn a_token_that_is_taken_back_in_the_middle_is_got_anew_on_a_real_openstack() {
    let Some(site) = site("a token that ends") else { return };
    let token = Arc::new(Mutex::new(String::new()));
    let compute = site.cloud.of("compute");
    let seen = Arc::clone(&token);
    compute.stall_before(move |request| {
        let is_it = request.starts_with(b"POST ");
        let head = String::from_utf8_lossy(request);
        let sent = head.lines().find_map(|line| line.to_lowercase().starts_with("x-auth-token:").then(|| &line[13..]));
        if let (true, Some(sent)) = (is_it, sent) {
            *seen.lock().expect("no panic") = sent.trim().to_owned();
        }
        is_it
    });
    let refused = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&refused);
    compute.lose_answer(move |answer| {
        count.fetch_add(usize::from(answer.starts_with(b"HTTP/1.1 401")), Ordering::Relaxed);
        false
    });
    let mut deploying = site.begin(&[]);
    compute.wait_until_stalled();
    let revoked = token.lock().expect("no panic").clone();
    assert!(!revoked.is_empty(), "the request has a token");
    revoke(&revoked);
    compute.fix();
    assert!(deploying.wait().expect("it ends").success());
    assert!(refused.load(Ordering::Relaxed) > 0, "nobody refused the token");
    assert_eq!(site.counts(), SHOP);
    destroyed(&site);
}

#[test]
fn a_service_that_is_away_for_a_minute_is_waited_for_on_a_real_openstack() {
    let Some(site) = site("a service that is away") else { return };
    let network = site.cloud.of("network");
    network.stall_before(|request| request.starts_with(b"POST /v2.0/ports"));
    let mut deploying = site.begin(&[]);
    network.wait_until_stalled();
    // Later tests need Neutron, whatever the result.
    let _there_again = AtEnd(|| lab(&["up"]));
    lab(&["stop", "neutron-api"]);
    network.cut();
    network.fix();
    std::thread::sleep(Duration::from_mins(1));
    assert!(deploying.try_wait().expect("it can be asked").is_none(), "it does not give up");
    lab(&["up"]);
    assert!(deploying.wait().expect("it ends").success());
    assert_eq!(site.counts(), SHOP);
    destroyed(&site);
}

#[test]
fn a_quota_that_is_too_small_is_named_and_raised_on_a_real_openstack() {
    let Some(site) = site("a quota") else { return };
    let small = AtEnd(|| quota(-1));
    quota(2);
    let ran = site.deploy(&[]);
    drop(small);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("servers: 4 more are needed; the quota is 2, and 0 are in use"), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    // Here, the quota is sufficient when the deployment begins.
    let compute = site.cloud.of("compute");
    compute.stall_before(|request| request.starts_with(b"POST /v2.1/servers"));
    let mut deploying = site.start(&KEY);
    compute.wait_until_stalled();
    let small = AtEnd(|| quota(-1));
    quota(1);
    compute.stall_before(|_| false);
    compute.fix();
    let (code, said) = (deploying.ended(), deploying.said());
    drop(small);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Quota exceeded") && said.contains("`openstack quota show`"), "{said}");
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
    destroyed(&site);
}

/// Runs this at the end, even if an assertion fails before.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn destroyed(site: &Site<Behind>) {
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}

/// Sets the quota of servers of the project; a negative number means no limit.
fn quota(servers: i32) {
    let set = format!(
        "eval \"$({} env admin)\"; exec openstack quota set --force --instances {servers} demo",
        admin::lab().display()
    );
    let status = Command::new("bash").args(["-c", &set]).status().expect("bash");
    assert!(status.success(), "the quota is set");
}

/// Revokes a token. Services cache valid tokens for minutes, so their caches are cleared.
fn revoke(token: &str) {
    let url = std::env::var("OS_AUTH_URL").expect("OS_AUTH_URL is set");
    let host = url.trim_start_matches("http://").trim_end_matches("/v3");
    let request = format!(
        "DELETE /v3/auth/tokens HTTP/1.1\r\nHost: {host}\r\nX-Auth-Token: {token}\r\nX-Subject-Token: {token}\r\nConnection: \
         close\r\n\r\n"
    );
    assert!(asked(host, &request).starts_with("HTTP/1.1 204"));
    assert_eq!(asked("127.0.0.1:11211", "flush_all\r\nquit\r\n"), "OK\r\n");
}

/// The response until the connection ends.
fn asked(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream.write_all(request.as_bytes()).expect("asked");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    said
}

fn lab(args: &[&str]) {
    let status = Command::new(admin::lab()).args(args).stdin(Stdio::null()).status().expect("the lab");
    assert!(status.success(), "lab {args:?}");
}
