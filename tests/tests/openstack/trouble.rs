//! Somebody is killed between a request and its answer, a token stops being one, a service is away, a quota is too small: nothing is
//! made twice, and nothing is forgotten.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wattle_tests::openstack::{Named, is_there};
use wattle_tests::proxy::Proxy;
use wattle_tests::site::{Ground, NOTHING, SHOP, Site};

use super::KEY;

/// The services, with their ports and what their addresses end with.
const SERVICES: [(&str, u16, &str); 3] = [("compute", 8774, "/v2.1"), ("network", 9696, ""), ("image", 9292, "")];

/// The real cloud behind proxies.
struct Behind {
    proxies: Vec<(&'static str, Proxy, &'static str)>,
}

impl Behind {
    fn new() -> Self {
        let url = std::env::var("OS_AUTH_URL").expect("OS_AUTH_URL is set");
        let host = url.split("//").nth(1).and_then(|rest| rest.split(':').next()).expect("an address");
        let proxies =
            SERVICES.into_iter().map(|(service, port, path)| (service, Proxy::before(&format!("{host}:{port}")), path));
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

/// The shop where a real cloud is there.
fn site(what: &str) -> Option<Site<Behind>> {
    is_there(what).then(|| Site::with_short_sessions(Behind::new(), &Named::password()))
}

/// Kills whoever was begun as soon as a service has done what `request` begins with and has not said so yet, for each of these, and then
/// lets one come to its end. Whoever comes next has to wait until no request of the one before can arrive any more: minutes.
fn killed_between(site: &Site<Behind>, requests: &[&'static str], begin: impl Fn() -> Child) {
    for request in requests {
        site.cloud.all().for_each(|proxy| proxy.stall_after(|asked| asked.starts_with(request.as_bytes())));
        let mut child = begin();
        while !site.cloud.all().any(Proxy::is_stalled) {
            let ended = child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "it ended with {ended:?}, and nobody has asked for `{request}`");
            std::thread::sleep(Duration::from_millis(10));
        }
        // What others are asked for at the same time arrives as well.
        std::thread::sleep(Duration::from_millis(300));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        site.cloud.all().for_each(|proxy| {
            proxy.cut();
            proxy.stall_after(|_| false);
            proxy.fix();
        });
    }
    assert!(begin().wait().expect("it ends").success());
}

#[test]
fn whoever_is_killed_before_an_answer_is_followed_by_one_that_goes_on_on_a_real_openstack() {
    let Some(site) = site("kills between a request and its answer") else { return };
    // What comes one after the other, whatever goes on beside it.
    let made = ["POST /v2.0/networks", "POST /v2.0/ports", "POST /v2.1/servers"];
    killed_between(&site, &made, || {
        // Of keys that nobody knows yet the operator has to say that they are theirs.
        let own = [("operator.key", "--key"), ("credentials.yaml", "--credentials")];
        let own = own.into_iter().filter(|(file, _)| site.path().join(file).exists());
        let own: Vec<&str> = own.flat_map(|(file, option)| [option, file]).collect();
        site.begin(&own)
    });
    assert_eq!(site.counts(), SHOP);
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    let deleted = ["DELETE /v2.1/servers/", "DELETE /v2.0/ports/", "DELETE /v2.0/networks/"];
    killed_between(&site, &deleted, || site.begin_alone(&["destroy", "--yes", KEY[0], KEY[1]]));
    assert_eq!(site.counts(), NOTHING);
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
    // Others need it after this test, whatever becomes of it.
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
    assert!(ran.err.contains("servers: 4 more are to be made, and it may have 2, of which there are 0"), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
    destroyed(&site);
}

/// Does this in the end, even if an assertion fails before.
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

/// How many servers the project may have; any number if that is negative.
fn quota(servers: i32) {
    let set = format!(
        "eval \"$({} env admin)\"; exec openstack quota set --force --instances {servers} demo",
        lab_path().display()
    );
    let status = Command::new("bash").args(["-c", &set]).status().expect("bash");
    assert!(status.success(), "the quota is set");
}

/// Takes a token back. Services remember for minutes that one was good, so they are made to forget that.
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

/// What is answered until the connection ends.
fn asked(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream.write_all(request.as_bytes()).expect("asked");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    said
}

fn lab_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("openstack/lab")
}

fn lab(args: &[&str]) {
    let status = Command::new(lab_path()).args(args).stdin(Stdio::null()).status().expect("the lab");
    assert!(status.success(), "lab {args:?}");
}
