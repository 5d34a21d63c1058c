//! Requests over a scripted transport.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::session::Call;
use wattle_openstack::version::Version;
use wattle_openstack::{Cloud, Fault, Lost, Method, Request, Response, Session, Transport, Wait};

/// Responses in order, by path; the requests; a clock that only pauses advance.
#[derive(Default)]
struct Script {
    answers: Mutex<BTreeMap<String, VecDeque<Result<Response, Lost>>>>,
    asked: Mutex<Vec<Request>>,
    passed: Mutex<Duration>,
}

#[async_trait]
impl Transport for Script {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        self.asked.lock().expect("asked").push(request.clone());
        let mut answers = self.answers.lock().expect("answers");
        let known = answers.get_mut(&request.url).unwrap_or_else(|| panic!("nobody asks for {}", request.url));
        if known.len() > 1 { known.pop_front().expect("an answer") } else { known.front().expect("an answer").clone() }
    }

    async fn pause(&self, time: Duration) {
        *self.passed.lock().expect("time") += time;
    }

    fn now(&self) -> SystemTime {
        // 2026-11-24T12:00:00Z
        SystemTime::UNIX_EPOCH + Duration::from_hours(498_756) + *self.passed.lock().expect("time")
    }
}

impl Script {
    /// Responds to `url` with each of these once, and keeps repeating the last.
    fn on(&self, url: &str, answers: impl IntoIterator<Item = Result<Response, Lost>>) {
        self.answers.lock().expect("answers").insert(url.into(), answers.into_iter().collect());
    }

    fn paths(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("asked");
        asked.iter().map(|request| format!("{} {}", request.method.as_str(), request.url)).collect()
    }

    fn passed(&self) -> Duration {
        *self.passed.lock().expect("time")
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a script contains losses as well")]
fn answer(status: u16, headers: &[(&str, &str)], body: &Value) -> Result<Response, Lost> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Ok(Response { status, headers, body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() } })
}

const LOGIN: &str = "https://cloud.example:5000/v3/auth/tokens";

fn token(name: &str, expires: &str) -> Result<Response, Lost> {
    let endpoint = |region: &str, url: &str| json!({ "interface": "public", "region_id": region, "url": url });
    let catalog = json!([
        { "type": "compute", "endpoints": [endpoint("two", "https://two.example/v2.1"), endpoint("one", "https://nova.example/v2.1")] },
        { "type": "network", "endpoints": [endpoint("one", "https://neutron.example/")] },
        { "type": "volumev3", "endpoints": [endpoint("one", "https://cinder.example/v3/abc")] },
    ]);
    let body = json!({ "token": { "expires_at": expires, "project": { "id": "abc" }, "catalog": catalog } });
    answer(201, &[("x-subject-token", name)], &body)
}

fn session(script: &Arc<Script>) -> Session {
    session_of(script, "")
}

fn session_of(script: &Arc<Script>, more: &str) -> Session {
    let text = format!(
        "clouds:\n  mine:\n    region_name: one\n    auth: {{auth_url: 'https://cloud.example:5000/v3', username: demo, password: hush, project_name: demo}}\n{more}"
    );
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text)), ..CloudConfig::default() };
    let cloud = Cloud::choose(&sources, None).expect("a cloud");
    Session::new(cloud, Arc::clone(script) as Arc<dyn Transport>, Duration::from_mins(5))
}

/// The script never waits, so neither do its callers.
fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("nothing to wait for")
}

const NEVER: &str = "2030-01-01T00:00:00.000000Z";

#[test]
fn one_logs_in_once() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("first", NEVER)]);
    script.on("https://nova.example/v2.1/servers/7", [answer(200, &[], &json!({ "server": { "id": "7" } }))]);
    script.on("https://neutron.example/v2.0/ports", [answer(200, &[], &json!({ "ports": [] }))]);
    let session = session(&script);
    let server = now(session.call(Call::new("compute", Method::Get, "/servers/7"))).expect("a server");
    assert_eq!(server["server"]["id"], "7");
    now(session.call(Call::new("network", Method::Get, "/ports"))).expect("ports");
    assert_eq!(script.paths().len(), 3, "{:?}", script.paths());
    let asked = script.asked.lock().expect("asked");
    let login = asked[0].body.as_ref().expect("a body");
    assert_eq!(
        *login,
        json!({ "auth": {
            "identity": { "methods": ["password"], "password": { "user": { "name": "demo", "domain": { "id": "default" }, "password": "hush" } } },
            "scope": { "project": { "name": "demo", "domain": { "id": "default" } } },
        } })
    );
    assert!(asked[1..].iter().all(|request| request.token.as_ref().is_some_and(|token| token.reveal() == "first")));
    assert!(!format!("{:?}", asked[1]).contains("first"), "a token is shown nowhere");
}

#[test]
fn a_token_that_ends_is_replaced() {
    let script = Arc::new(Script::default());
    // The first token expires half a minute from now; the second has expired when it is used.
    script.on(LOGIN, [token("early", "2026-11-24T12:00:30Z"), token("revoked", NEVER), token("good", NEVER)]);
    let refused =
        answer(401, &[], &json!({ "error": { "message": "The request you have made requires authentication." } }));
    script.on(
        "https://nova.example/v2.1/servers",
        [answer(200, &[], &json!({ "servers": [] })), refused, answer(200, &[], &json!({ "servers": [] }))],
    );
    let session = session(&script);
    for _ in 0..2 {
        now(session.call(Call::new("compute", Method::Get, "/servers"))).expect("servers");
    }
    let logins = script.paths().iter().filter(|path| path.ends_with("/tokens")).count();
    assert_eq!(logins, 3, "{:?}", script.paths());
}

#[test]
fn who_is_not_let_in_is_said() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [answer(401, &[], &json!({ "error": { "code": 401, "message": "Wrong\u{1b}[31m password" } }))]);
    let fault = now(session(&script).call(Call::new("compute", Method::Get, "/servers"))).expect_err("no way in");
    assert_eq!(fault.to_string(), "the cloud `mine` does not let the user `demo` in: Wrong\\u{1b}[31m password");
    assert!(fault.help().is_some_and(|help| help.contains("openstack token issue")), "{:?}", fault.help());
}

/// The error for a login with this `clouds.yaml` and this response.
fn refused_login(clouds: &str, status: u16, message: &str) -> Fault {
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), clouds.into())), ..CloudConfig::default() };
    let cloud = Cloud::choose(&sources, None).expect("a cloud");
    let script = Arc::new(Script::default());
    script.on(LOGIN, [answer(status, &[], &json!({ "error": { "message": message } }))]);
    now(Session::new(cloud, Arc::clone(&script) as Arc<dyn Transport>, Duration::from_mins(5)).token())
        .expect_err("no way in")
}

#[test]
fn an_application_credential_that_there_is_not_is_one_that_is_not_let_in() {
    let text = "clouds: {mine: {auth_type: v3applicationcredential, auth: {auth_url: 'https://cloud.example:5000', \
                application_credential_id: '42', application_credential_secret: hush}}}";
    let fault = refused_login(text, 404, "Could not find Application Credential: 42.");
    assert_eq!(
        fault.to_string(),
        "the cloud `mine` does not let the application credential `42` in: Could not find Application Credential: 42."
    );
    let fault = refused_login(text, 404, "The resource could not be found.");
    assert!(matches!(fault, Fault::NoIdentity { .. }), "{fault:?}");
}

#[test]
fn a_token_that_was_given_ends_for_good() {
    let text = "clouds: {mine: {auth_type: token, auth: {auth_url: 'https://cloud.example:5000', token: hush}}}";
    // Keystone's message depends on the token format.
    for (status, message) in
        [(401, "The request you have made requires authentication."), (404, "Could not recognize Fernet token")]
    {
        let fault = refused_login(text, status, message);
        assert_eq!(
            fault.to_string(),
            format!("the cloud `mine` does not accept the token, which may have expired: {message}")
        );
        let help = fault.help().unwrap_or_default();
        assert!(help.contains("`openstack token issue") && !help.contains("user"), "{help}");
        assert!(!fault.is_passing());
    }
    let fault = refused_login(text, 404, "The resource could not be found.");
    assert!(matches!(fault, Fault::NoIdentity { .. }), "{fault:?}");
}

#[test]
fn where_no_identity_service_is_the_whole_address_is_said() {
    let page = |status: u16, headers: &[(&str, &str)]| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Ok(Response { status, headers, body: b"<html><body>Not here</body></html>".to_vec() })
    };
    for (answer, why) in [
        (page(404, &[]), "status 404, Not here"),
        (page(405, &[]), "status 405, Not here"),
        (page(301, &[("location", "https://other.example/v3")]), "it redirects to https://other.example/v3"),
        (page(200, &[]), "the server there issues no token"),
    ] {
        let script = Arc::new(Script::default());
        script.on(LOGIN, [answer]);
        let fault = now(session(&script).token()).expect_err("no way in");
        assert_eq!(fault.to_string(), format!("the cloud `mine` has no identity service at {LOGIN}: {why}"));
        assert!(fault.help().is_some_and(|help| help.contains("`auth_url`")), "{:?}", fault.help());
    }
}

#[test]
fn a_service_is_reached_where_somebody_answers() {
    let reached = |answer: Result<Response, Lost>| {
        let script = Arc::new(Script::default());
        script.on(LOGIN, [token("t", NEVER)]);
        script.on("https://cinder.example/v3/", [answer]);
        now(session(&script).reach("block-storage"))
    };
    // The content of the response does not matter.
    for status in [200, 300, 401, 404] {
        reached(answer(status, &[], &Value::Null)).expect("somebody is there");
    }
    let fault = reached(Err(Lost::Unsent("connection refused".into()))).expect_err("nobody is there");
    assert_eq!(fault.to_string(), "block-storage cannot be reached at https://cinder.example: connection refused");
    let help = fault.help().unwrap_or_default();
    assert!(help.contains("`openstack catalog show block-storage`"), "{help}");
    assert!(help.contains("`block_storage_endpoint_override`"), "{help}");
    reached(answer(502, &[], &Value::Null)).expect_err("what stands before it");
    reached(answer(503, &[], &Value::Null)).expect_err("what stands before it");
}

#[test]
fn versions_are_asked_for_once() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let versions = json!({ "version": { "version": "2.90", "min_version": "2.1" } });
    script.on("https://nova.example/v2.1/", [answer(200, &[], &versions)]);
    let session = session(&script);
    now(session.reach("compute")).expect("somebody is there");
    now(session.need("compute", Version::new(2, 52))).expect("it has it");
    now(session.need("compute", Version::new(2, 99))).expect_err("it has not");
    assert_eq!(script.paths().len(), 2, "{:?}", script.paths());
}

#[test]
fn a_service_that_is_busy_is_asked_again() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let busy = answer(429, &[("retry-after", "20")], &Value::Null);
    let down = answer(503, &[], &Value::Null);
    script.on("https://nova.example/v2.1/servers", [busy, down, answer(202, &[], &json!({ "server": {} }))]);
    let session = session(&script);
    now(session.call(Call::new("compute", Method::Post, "/servers").body(json!({})))).expect("made");
    // First the service's delay, and then our own second step.
    assert_eq!(script.passed(), Duration::from_secs(20 + 2));
}

/// A service that is busy and never responds again.
struct Slow;

#[async_trait]
impl Transport for Slow {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        if request.url == LOGIN { token("t", NEVER) } else { answer(503, &[], &Value::Null) }
    }

    async fn pause(&self, _: Duration) {
        std::future::pending::<()>().await;
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

#[test]
fn who_is_waited_for_is_known_until_nobody_waits() {
    let session = Session::new(session(&Arc::default()).cloud().clone(), Arc::new(Slow), Duration::from_mins(5));
    now(session.token()).expect("a token");
    assert_eq!(session.waits(), None);
    let ask = |service| Box::pin(session.list(Call::new(service, Method::Get, "/x"), "x"));
    let (mut first, mut second) = (ask("network"), ask("compute"));
    assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
    let wait = |service: &str| Some(Wait { service: service.into(), since: Duration::ZERO, status: Some(503) });
    assert_eq!(session.waits(), wait("network"));
    drop(first);
    assert_eq!(session.waits(), wait("compute"));
    drop(second);
    assert_eq!(session.waits(), None);
}

#[test]
fn patience_ends() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let page = Ok(Response {
        status: 503,
        headers: Vec::new(),
        body: b"<html><h1>503 Service Unavailable</h1>\nNo server is available.</html>".to_vec(),
    });
    script.on("https://nova.example/v2.1/servers?name=x", [page]);
    let fault = now(session(&script).call(Call::new("compute", Method::Get, "/servers?name=x"))).expect_err("busy");
    assert!(matches!(&fault, Fault::Busy { since, .. } if *since <= Duration::from_mins(5)), "{fault:?}");
    let said = fault.to_string();
    assert!(
        said.ends_with(
            "asked to read `/v2.1/servers`, it answers 503: 503 Service Unavailable No server is available."
        ),
        "{said}"
    );
}

#[test]
fn nothing_is_begun_when_its_time_is_over() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    script.on("https://nova.example/v2.1/servers", [answer(503, &[("retry-after", "20")], &Value::Null)]);
    let session = session(&script);
    let call = || Call::new("compute", Method::Post, "/servers").body(json!({}));
    let until = script.now() + Duration::from_secs(50);
    let fault = now(session.call(call().until(until))).expect_err("busy");
    assert!(matches!(fault, Fault::Busy { .. }), "{fault:?}");
    assert_eq!(script.passed(), Duration::from_secs(40), "a third pause would have ended too late");
    let asked = script.paths().len();
    let fault = now(session.call(call().until(until - Duration::from_secs(20)))).expect_err("too late");
    assert_eq!(fault.to_string(), "compute was not asked to create `/v2.1/servers`, because the deadline has passed");
    assert!(fault.is_passing() && script.paths().len() == asked, "{:?}", script.paths());
}

#[test]
fn what_may_have_been_done_is_not_done_again() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let lost = || Err(Lost::Unanswered("the connection was closed".into()));
    script.on("https://nova.example/v2.1/servers", [lost()]);
    script.on("https://nova.example/v2.1/servers/7", [lost(), answer(204, &[], &Value::Null)]);
    let session = session(&script);
    let fault =
        now(session.call(Call::new("compute", Method::Post, "/servers").body(json!({})))).expect_err("not known");
    assert!(matches!(fault, Fault::Unknown { .. }) && fault.is_passing(), "{fault:?}");
    assert_eq!(
        fault.to_string(),
        "compute was asked to create `/v2.1/servers` and has not answered, so it may have been done: the connection was closed"
    );
    now(session.call(Call::new("compute", Method::Delete, "/servers/7"))).expect("deleted");
    let posts = script.paths().iter().filter(|path| path.starts_with("POST https://nova")).count();
    assert_eq!(posts, 1);
    script.on("https://nova.example/v2.1/os-keypairs/ann", [lost()]);
    let named = Call::new("compute", Method::Delete, "/os-keypairs/ann").once();
    let fault = now(session.call(named)).expect_err("not known");
    assert!(matches!(fault, Fault::Unknown { .. }), "{fault:?}");
    let deleted = script.paths().iter().filter(|path| path.ends_with("/ann")).count();
    assert_eq!(deleted, 1, "whoever makes one of that name meanwhile would lose it");
}

#[test]
fn lists_come_in_pages() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let page = |id: &str, next: Option<&str>| {
        let mut page = json!({ "servers": [{ "id": id }] });
        if let Some(next) = next {
            page["servers_links"] = json!([{ "rel": "next", "href": next }]);
        }
        answer(200, &[], &page)
    };
    script.on(
        "https://nova.example/v2.1/servers/detail",
        [page("1", Some("http://10.0.0.1:8774/v2.1/servers/detail?marker=1"))],
    );
    script.on("https://nova.example/v2.1/servers/detail?marker=1", [page("2", None)]);
    let session = session(&script);
    let servers = now(session.list(Call::new("compute", Method::Get, "/servers/detail"), "servers")).expect("servers");
    assert_eq!(servers, [json!({ "id": "1" }), json!({ "id": "2" })]);
    let fault = now(session.list(Call::new("compute", Method::Get, "/servers/detail?marker=1"), "ports"))
        .expect_err("no such list");
    assert!(matches!(fault, Fault::Senseless { .. }), "{fault:?}");
}

#[test]
fn versions_are_asked_for_where_they_matter() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    script.on(
        "https://nova.example/v2.1/",
        [answer(200, &[], &json!({ "version": { "version": "2.60", "min_version": "2.1" } }))],
    );
    script.on("https://nova.example/v2.1/servers", [answer(202, &[], &json!({ "server": {} }))]);
    script.on(
        "https://cinder.example/v3/",
        [answer(200, &[], &json!({ "versions": [{ "version": "3.71", "min_version": "3.0" }] }))],
    );
    script.on("https://cinder.example/v3/abc/volumes", [answer(202, &[], &json!({ "volume": {} }))]);
    let session = session(&script);
    let make = |version| Call::new("compute", Method::Post, "/servers").body(json!({})).version(version);
    now(session.call(make(Version::new(2, 52)))).expect("made");
    let fault = now(session.call(make(Version::new(2, 74)))).expect_err("too new");
    assert_eq!(fault.to_string(), "compute of the cloud `mine` speaks versions 2.1 to 2.60, and 2.74 is needed");
    let volume = Call::new("block-storage", Method::Post, "/volumes").body(json!({})).version(Version::new(3, 59));
    now(session.call(volume)).expect("made");
    let asked = script.asked.lock().expect("asked");
    let headers: Vec<_> = asked.iter().flat_map(|request| &request.headers).map(|(_, value)| value.as_str()).collect();
    assert_eq!(headers, ["compute 2.52", "volume 3.59"]);
    let roots = asked.iter().filter(|request| request.url.ends_with("/v2.1/")).count();
    assert_eq!(roots, 1, "a service is asked once which versions it speaks");
}

#[test]
fn a_service_that_is_not_there_is_said_with_those_that_are() {
    let script = Arc::new(Script::default());
    script.on(LOGIN, [token("t", NEVER)]);
    let fault = now(session(&script).call(Call::new("orchestration", Method::Get, "/stacks"))).expect_err("no Heat");
    assert_eq!(
        fault.to_string(),
        "the cloud `mine` has no service of the type `orchestration` in the region `one` with the interface `public`"
    );
    assert_eq!(
        fault.help().as_deref(),
        Some(
            "its catalogue has `block-storage`, `compute` and `network`; ask the cloud's operator whether the service \
             exists, and if it does, set `orchestration_endpoint_override` of the cloud in clouds.yaml"
        )
    );
    let elsewhere = session_of(&script, "    region: x\n    compute_endpoint_override: https://own.example\n");
    script.on("https://own.example/v2.1/flavors", [answer(200, &[], &json!({ "flavors": [] }))]);
    now(elsewhere.call(Call::new("compute", Method::Get, "/flavors")))
        .expect("an address that is said goes before the catalogue's");
}
