//! Somebody is killed between a request and its answer, a token stops being one, a service is away, a quota is too small: nothing is
//! made twice, and nothing is forgotten.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use wattle_tests::openstack::changed::changed_template;
use wattle_tests::openstack::{Named, RealHeat, is_there};
use wattle_tests::proxy::Proxy;
use wattle_tests::site::{Ground, NOTHING, SHOP, Site};

use super::KEY;
use super::jobs::KEY as SSH;
use super::kind::{action, without_names};

/// The services, with their ports and what their addresses end with, up to the project.
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

/// The shop where a real cloud is there.
fn site(what: &str) -> Option<Site<Behind>> {
    is_there(what).then(|| Site::with_short_sessions(Behind::new(), &Named::password()))
}

/// Kills whoever was begun as soon as a service has done something of a kind that no service has done before, and has not said so
/// yet, until one comes to its end. What is asked at the same time, in other requests, is killed at as well. Whoever comes next has to wait until no request of the one before can arrive any more:
/// minutes. At what it was killed.
fn killed_at_each(site: &Site<Behind>, begin: impl Fn() -> Child) -> BTreeSet<String> {
    let done: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    for _ in 0..100 {
        for proxy in site.cloud.all() {
            let done = Arc::clone(&done);
            proxy.stall_after(move |asked| kind(asked).is_some_and(|kind| done.lock().expect("no panic").insert(kind)));
        }
        let mut child = begin();
        let ended = loop {
            match child.try_wait().expect("it can be asked") {
                Some(ended) => break Some(ended),
                None if site.cloud.all().any(Proxy::is_stalled) => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        if let Some(ended) = ended {
            assert!(ended.success(), "{ended}: {}", site.said());
            site.cloud.all().for_each(|proxy| proxy.stall_after(|_| false));
            return done.lock().expect("no panic").clone();
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
    panic!("it never comes to its end: {done:?}");
}

/// What kind of change somebody asks for: the method, the path without names, and what is done to a server. `None` for what is only read.
fn kind(asked: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(asked);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut words = head.split(' ');
    let method = words.next().filter(|method| ["POST", "PUT", "DELETE"].contains(method))?;
    let path = words.next()?.split('?').next()?;
    // Before a collection is the version, and in Cinder's URLs the project as well.
    let (base, path) = match path.strip_prefix("/v3/") {
        Some(rest) => ("/v3/*", &rest[rest.find('/')?..]),
        None => path.split_at(path.get(1..)?.find('/')? + 1),
    };
    Some(format!("{method} {base}{} {}", without_names(path), action(path, body)).trim_end().to_owned())
}

/// The shop with a disk, a key and a group of servers.
const LARGER: [usize; SHOP.len()] = {
    let mut counts = SHOP;
    counts[7] = 1;
    counts[8] = 1;
    counts[9] = 1;
    counts
};

/// Has the shop's template say more.
fn say_more(site: &Site<Behind>) {
    let path = site.path().join("template.yaml");
    let text = std::fs::read_to_string(&path).expect("reads");
    let mut template = json!(wattle_heat::yaml::read(&text).expect("it is YAML").constant());
    let reference = |name: &str| json!({ "get_resource": name });
    let resources = &mut template["resources"];
    resources["disk"] = json!({ "type": "OS::Cinder::Volume", "properties": { "size": 1 } });
    resources["attachment"] = json!({
        "type": "OS::Cinder::VolumeAttachment",
        "properties": { "instance_uuid": reference("db"), "volume_id": reference("disk") },
    });
    // What a run that failed has left would be in the way.
    let key = format!("shop-{}", std::process::id());
    resources["key"] = json!({ "type": "OS::Nova::KeyPair", "properties": { "name": key, "public_key": SSH } });
    resources["group"] = json!({ "type": "OS::Nova::ServerGroup", "properties": { "policies": ["soft-affinity"] } });
    std::fs::write(&path, template.to_string()).expect("writes");
}

#[test]
fn whoever_is_killed_before_an_answer_is_followed_by_one_that_goes_on_on_a_real_openstack() {
    let Some(site) = site("kills between a request and its answer") else { return };
    say_more(&site);
    let deploy = |more: &[&str]| {
        // Of keys that nobody knows yet the operator has to say that they are theirs.
        let own = [("operator.key", "--key"), ("credentials.yaml", "--credentials")];
        let own = own.into_iter().filter(|(file, _)| site.path().join(file).exists());
        let own: Vec<&str> = own.flat_map(|(file, option)| [option, file]).collect();
        site.begin(&[&own[..], more].concat())
    };
    let collections = [
        "/v2.0/networks",
        "/v2.0/subnets",
        "/v2.0/routers",
        "/v2.0/security-groups",
        "/v2.0/ports",
        "/v2.0/floatingips",
        "/v2.1/os-keypairs",
        "/v2.1/os-server-groups",
        "/v2.1/servers",
        "/v2.1/servers/*/os-volume_attachments",
        "/v3/*/volumes",
    ];
    let has_each = |killed: &BTreeSet<String>, expected: &[String]| {
        println!("{} kills: {killed:#?}", killed.len());
        let missing: Vec<&String> = expected.iter().filter(|kind| !killed.contains(*kind)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    };
    has_each(&killed_at_each(&site, || deploy(&[])), &collections.map(|path| format!("POST {path}")));
    assert_eq!(site.counts(), LARGER);
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    let path = site.path().join("template.yaml");
    let changed = changed_template(&std::fs::read_to_string(&path).expect("reads")).expect("it is one");
    std::fs::write(&path, changed).expect("writes");
    let larger = ["-P", "flavor=m1.medium"];
    let done = [
        "PUT /v2.0/networks/*/tags",
        "PUT /v2.0/security-groups/*",
        "POST /v2.1/servers/*/action resize",
        "POST /v2.1/servers/*/action confirmResize",
        "PUT /v3/*/volumes/*",
    ];
    has_each(&killed_at_each(&site, || deploy(&larger)), &done.map(str::to_owned));
    assert_eq!(site.counts(), LARGER);
    let said = site.deployed(&[&KEY[..], &larger].concat());
    assert!(!said.contains('✓'), "{said}");
    let killed = killed_at_each(&site, || site.begin_alone(&["destroy", "--yes", KEY[0], KEY[1]]));
    has_each(&killed, &collections.map(|path| format!("DELETE {path}/*")));
    assert_eq!(site.counts(), NOTHING);
}

#[test]
fn requests_are_told_apart_by_what_they_change() {
    let id = "0f1e2d3c-0000-4000-8000-0123456789ab";
    let of = |text: String| kind(text.as_bytes());
    assert_eq!(of("GET /v2.0/ports HTTP/1.1\r\n".into()), None);
    assert_eq!(of("POST /v2.0/ports HTTP/1.1\r\n".into()).as_deref(), Some("POST /v2.0/ports"));
    let put = format!("PUT /v2.0/ports/{id}/tags/web?x=y HTTP/1.1\r\n\r\n{{}}");
    assert_eq!(of(put).as_deref(), Some("PUT /v2.0/ports/*/tags/*"));
    let action = format!("POST /v2.1/servers/{id}/action HTTP/1.1\r\na: b\r\n\r\n{{\"resize\": {{}}}}");
    assert_eq!(of(action).as_deref(), Some("POST /v2.1/servers/*/action resize"));
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
    assert!(ran.err.contains("servers: 4 more are needed; the quota is 2, and 0 are in use"), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    // It was large enough when the deployment began.
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
