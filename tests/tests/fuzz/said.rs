//! Data from servers: entries and statuses that they sign, their announcements, and what an operator is shown.

use std::future::Future;
use std::sync::Arc;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle_agent_core::time::Time;
use wattle_runtime::report::{StackSnapshot, critical_path, lives, roots};
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::space::{
    Announcement, Ask, Layout, Log, Revision, ServerKey, Signal, Signals, Signer, Space, Written,
};
use wattle_runtime::store::{Access, Memory, Op, Store};
use wattle_tests::fuzz::{Read, Target};
use wattle_tests::seeds::{options, seed};

const JSON: [&str; 20] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "\"\"",
    "\"signature\":\"",
    "\",\"signature\":\"",
    "\"}",
    "\"revision\":",
    "\"space\":",
    "\"value\":",
    "{\"failure\":",
    "\"since\":\"1970-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59Z\"",
    "18446744073709551615",
    "\"through\":[",
    "\"for\":\"a/b\"",
];

/// A stack that is deployed, and one of its entries.
struct Deployed {
    runtime: tokio::runtime::Runtime,
    store: Arc<dyn Store>,
    options: Options,
    layout: Layout,
    of: Revision,
    server: String,
    entry: String,
}

impl Deployed {
    fn new() -> Self {
        let seed = seed(&hello::hello.model(Default::default()));
        let mut options = options(&seed);
        options.credentials.complete(&seed, &options.key);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        runtime.block_on(apply(&store, &seed, &options)).expect("it is applied");
        let layout = Layout::new(&seed.stack);
        let of = runtime.block_on(Space::new(Arc::clone(&store), &seed.stack).desired_revision()).expect("reads");
        let (server, declared) = seed.servers.first().expect("it has one");
        let below = |path: &str| runtime.block_on(store.children(path)).expect("reads");
        let component = declared.components.keys().next().expect("it has one");
        let outputs = below(&format!("{}/{server}/{component}", layout.entries()));
        let entry = format!("{server}/{component}/{}", outputs.first().expect("it has one"));
        let (server, of) = (server.to_string(), of.expect("a desired revision").of());
        Self { runtime, store, options, layout, of, server, entry }
    }

    fn space(&self) -> Space {
        let space = Space::new(Arc::clone(&self.store), self.layout.stack());
        space.operated_by(self.options.key.signer().authority())
    }

    fn signer(&self) -> Signer {
        self.options.credentials.get(&self.server).expect("it has one").key().signer()
    }

    fn put(&self, path: &str, data: &[u8]) {
        self.wait(self.store.set(path, data, None)).expect("it is there");
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// A value is accepted exactly as its server signed it, or not at all.
#[test]
fn what_a_server_has_signed_is_its_word_as_it_is_and_nowhere_else() {
    let deployed = Deployed::new();
    let path = deployed.layout.entry(&deployed.entry);
    let (signer, other) = (deployed.signer(), ServerKey::generate().signer());
    let of = |object: serde_json::Value| {
        let mut object = object;
        (object["revision"], object["space"]) = (json!(deployed.of.number), json!(deployed.of.space));
        object.to_string().into_bytes()
    };
    let objects = [of(json!({"value": "a"})), of(json!({"value": "\",\"signature\":\""})), of(json!({"value": ""}))];
    let corpus: Vec<Vec<u8>> = objects.iter().map(|object| signer.vouch(&path, object)).collect();
    let foreign = [other.vouch(&path, &objects[0]), signer.vouch(&format!("{path}2"), &objects[0])];
    let foreign = foreign.map(|data| String::from_utf8_lossy(&data).into_owned());
    let words: Vec<&str> = JSON.into_iter().chain(foreign.iter().map(String::as_str)).collect();
    let said: Vec<Written> = objects.iter().map(|object| serde_json::from_slice(object).expect("JSON")).collect();
    let space = deployed.space();
    deployed.wait(space.plan(&deployed.server)).expect("reads").expect("a plan");
    let read = |bytes: &[u8]| {
        deployed.put(&path, bytes);
        match deployed.wait(space.peek(&deployed.entry)) {
            Ok(Some(written)) => {
                assert!(said.contains(&written), "it was not signed so: {written:?}");
                Read::Accepted
            }
            Ok(None) | Err(_) => Read::Refused,
        }
    };
    Target { name: "envelopes", corpus, words: &words, thinned: 2 }.try_all(read);
}

/// A signal is accepted as it was signed, and no other data prevents that.
#[test]
fn what_is_signalled_counts_as_its_server_has_signed_it() {
    const HANDLE: &str = "3-1-ab";
    let deployed = Deployed::new();
    let (signer, other, space) = (deployed.signer(), ServerKey::generate().signer(), deployed.space());
    let make = |server: &str, data: Vec<u8>| {
        let place = deployed.layout.agent(server);
        let top = Op::Create { path: place.clone(), data: Vec::new(), access: Access::new() };
        let made = deployed.wait(deployed.store.apply(vec![top]));
        assert!(made.is_ok() || deployed.wait(deployed.store.get(&place)).expect("reads").is_some());
        let op = Op::Create { path: deployed.layout.signals(server), data, access: Access::new() };
        deployed.wait(deployed.store.apply(vec![op])).expect("it is made");
    };
    let signal = |json: serde_json::Value| {
        let said = serde_json::from_value(json).expect("a value");
        Signal::read(&said, Time::from_secs(1)).expect("a signal")
    };
    let mut signals = Signals::default();
    signals.add(HANDLE, signal(json!({"data": "\",\"signature\":\""})), true).expect("room");
    signals.add("other", signal(json!({"status": "FAILURE"})), true).expect("room");
    let path = deployed.layout.signals(&deployed.server);
    make(&deployed.server, signer.vouch(&path, &signals.to_bytes()));
    make("ghost", signals.to_bytes());
    let said = || deployed.wait(space.signalled(HANDLE)).expect("it is heard");
    let there = said();
    assert_eq!(there.signals, signals.handles[HANDLE], "{there:?}");
    assert!(there.odd.len() == 1 && &*there.odd[0].0 == "ghost", "{there:?}");

    let much = format!("{{\"handles\":{{}},\"x\":\"{}\"}}", "x".repeat(60_000)).into_bytes();
    let foreign = [signals.to_bytes(), other.vouch(&path, &signals.to_bytes()), signer.vouch(&path, &much)];
    for odd in &foreign {
        deployed.put(&path, odd);
        assert!(said().signals.is_empty() && said().odd.len() == 2, "{:?}", said());
    }
    let read = |bytes: &[u8]| {
        deployed.put(&path, bytes);
        let there = said();
        assert!(there.signals.is_empty() || there.signals == signals.handles[HANDLE], "{there:?}");
        if there.odd.len() == 1 { Read::Accepted } else { Read::Refused }
    };
    let corpus = [signals.to_bytes(), Signals::default().to_bytes()].map(|said| signer.vouch(&path, &said)).to_vec();
    let words =
        [&JSON[..], &["\"handles\":", "\"3-1-ab\":", "{\"status\":\"FAILURE\",\"at\":\"1970-01-01T00:00:00Z\"}"]]
            .concat();
    Target { name: "signals", corpus, words: &words, thinned: 4 }.try_all(read);
}

/// An answer yields the log that its server sealed and signed, or nothing.
#[test]
fn an_answer_is_what_its_server_has_sealed_and_signed() {
    let deployed = Deployed::new();
    let (own, key, space) = (deployed.signer(), &deployed.options.key, deployed.space());
    let asks = [(); 2].map(|()| Ask::new(None, key, Time::EPOCH));
    let log = Log { since: Time::from_secs(1), before: 3, lines: vec!["a \"line\"".to_owned(), "another".to_owned()] };
    let path = deployed.layout.log(&deployed.server);
    let server = Space::new(Arc::clone(&deployed.store), deployed.layout.stack()).signing(vec![deployed.signer()]);
    let mut corpus = Vec::new();
    for asks in [&asks[..1], &asks] {
        let log = |_: &Ask, _: usize| log.clone();
        let (place, access) = ((&*deployed.server, &deployed.of), Access::new());
        let answered = server.answer(place, asks, &log, Some(&access), &|| true);
        deployed.wait(answered).expect("its own place");
        corpus.push(deployed.wait(deployed.store.get(&path)).expect("reads").expect("it is there").data);
    }
    deployed.wait(space.plan(&deployed.server)).expect("reads").expect("a plan");
    let read = |bytes: &[u8], is_signed_anew: bool| {
        let object = bytes.ends_with(b"}").then(|| own.vouch(&path, bytes)).filter(|_| is_signed_anew);
        deployed.put(&path, object.as_deref().unwrap_or(bytes));
        let heard = deployed.wait(space.answered(&deployed.server, (&asks[0], &key.opener()), None)).expect("reads");
        match heard.log {
            Ok(Some(there)) => {
                assert_eq!(there, log);
                Read::Accepted
            }
            Ok(None) | Err(_) => Read::Refused,
        }
    };
    let words = [&JSON[..], &["\"answers\":[", "[\"\",\"\"]", "YWdl"]].concat();
    let said = corpus.clone();
    Target { name: "logs", corpus, words: &words, thinned: 4 }.try_all(|bytes| read(bytes, false));
    Target { name: "logs, signed again", corpus: said, words: &words, thinned: 4 }.try_all(|bytes| read(bytes, true));
}

/// The announcement of a server's key needs the signatures of both keys, and says what they have signed.
#[test]
fn what_is_announced_is_what_both_keys_have_signed() {
    let path = "/wattle/shop/admission/db";
    let [credential, own, former] = [(); 3].map(|()| ServerKey::generate());
    let at = Time::from_secs(1_800_000_000);
    let announced = Announcement { space: None, identity: own.public("shop", "db"), at, endorsed: None };
    let all = [announced.clone(), announced.endorsed_by(path, &former)];
    let corpus: Vec<Vec<u8>> = all.iter().map(|announced| announced.signed(path, &own, &credential)).collect();
    let by = credential.signer().authority();
    let read = |bytes: &[u8]| {
        let read = Announcement::read(path, bytes, ("shop", "db"), &by);
        assert!(read.as_ref().is_none_or(|read| all.contains(read)), "nobody has signed it so: {read:?}");
        if read.is_some() { Read::Accepted } else { Read::Refused }
    };
    let words = [&JSON[..], &["wattle-signed/1 ", "\n", "=", "A"]].concat();
    Target { name: "announcements", corpus, words: &words, thinned: 1 }.try_all(read);
}

/// A stack can be shown, whatever data a server signs.
#[test]
fn a_stack_is_shown_whatever_a_server_says() {
    let deployed = Deployed::new();
    let (component, _) = deployed.entry.rsplit_once('/').expect("an entry");
    let paths = [deployed.layout.status(component), deployed.layout.server_status(&deployed.server)];
    let since = "2026-01-01T00:00:00Z";
    let failure = json!({"component": component, "kind": "recipe", "message": "no", "log": ["a"], "at": since, "through": ["a/b"]});
    let past = json!([{"did": "waited", "for": "a/b/c", "input": "x", "since": since, "until": since},
        {"did": "ran", "since": since, "until": "2025-01-01T00:00:00Z"}]);
    let statuses = [
        json!({"state": "done", "past": past}),
        json!({"state": "running", "deadline": since, "past": past}),
        json!({"state": "waiting", "detail": [{"for": "a/b/c", "input": "x", "revision": 1, "since": since}]}),
        json!({"state": "failed", "detail": failure}),
        json!({"troubles": ["full"], "leaving": [{"component": component, "since": since, "failure": failure}],
            "finishing": [{"component": component, "revision": 0, "since": since, "deadline": since}]}),
    ];
    let corpus = statuses.map(|mut status| {
        status["revision"] = json!(deployed.of.number);
        status["space"] = json!(deployed.of.space);
        status["since"] = json!(since);
        status.to_string().into_bytes()
    });
    let (signer, space) = (deployed.signer(), deployed.space());
    let read = |bytes: &[u8]| {
        for path in &paths {
            let said = if bytes.ends_with(b"}") { signer.vouch(path, bytes) } else { bytes.to_vec() };
            deployed.put(path, &said);
        }
        let snapshot = deployed.wait(StackSnapshot::read(&space, None)).expect("it is shown");
        assert!(snapshot.tally().all > 0);
        for now in [Time::EPOCH, Time::from_secs(1_800_000_000), Time::from_secs(u64::MAX)] {
            let _ = roots(&snapshot).iter().map(|root| root.cause.sentence(now)).collect::<String>();
            let _ = (lives(&snapshot, now).len(), critical_path(&snapshot, now).len());
        }
        let is_read =
            snapshot.servers[&*deployed.server].troubles.iter().all(|trouble| !trouble.contains("cannot be read"));
        if is_read || serde_json::from_slice::<serde_json::Value>(bytes).is_ok() {
            Read::Accepted
        } else {
            Read::Refused
        }
    };
    Target { name: "statuses", corpus: corpus.into(), words: &JSON, thinned: 10 }.try_all(read);
}
