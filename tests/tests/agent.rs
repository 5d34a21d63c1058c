//! Single agents: the socket, the journal before the entry, a full disk, waits that say why, revisions that supersede.

#![expect(clippy::unwrap_used, reason = "what goes wrong fails the test")]

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use wattle::lower::Seed;
use wattle::model::{self, Name};
use wattle_runtime::agent::{Agent, AgentError, Ended, Fixed, Limits};
use wattle_runtime::recipe::{Broken, Job, Runner};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{Content, Failure, Kind, OperatorKey, Space, State, open};
use wattle_runtime::store::{Access, Hold, Memory, Node, Op, Store, StoreError, Version};

type Outputs = Result<IndexMap<Name, model::Value>, Broken>;
type Work = Arc<dyn Fn(Job) -> BoxFuture<'static, Outputs> + Send + Sync>;

/// Does what it is given, by the component's name.
#[derive(Clone)]
struct Does(Arc<Mutex<Vec<String>>>, Work);

impl fmt::Debug for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Does")
    }
}

#[async_trait]
impl Runner for Does {
    async fn run(&self, job: &Job) -> Outputs {
        self.0.lock().unwrap().push(job.name.to_string());
        (self.1)(job.clone()).await
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what a runner gives")]
fn outputs(values: &[(&str, &str)]) -> Outputs {
    Ok(values.iter().map(|(name, value)| (Name::from(*name), model::Value::from(*value))).collect())
}

struct World {
    memory: Arc<Memory>,
    options: Options,
    state: TempDir,
    ran: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new() -> Self {
        Self {
            memory: Arc::new(Memory::new()),
            options: Options::new(OperatorKey::generate()),
            state: TempDir::new().unwrap(),
            ran: Arc::default(),
        }
    }

    /// Applies a seed whose servers are `{SERVER: {COMPONENT: {tool, inputs: {NAME: WIRE}, outputs: [NAME], ...}}}`.
    async fn apply(&mut self, digest: &str, servers: Value) -> u64 {
        let seed = seed_of(digest, servers);
        self.options.credentials.complete(&seed);
        let store: Arc<dyn Store> = self.memory.clone();
        seed::apply(&store, &seed, &self.options).await.unwrap().revision
    }

    fn store(&self, server: &str) -> Arc<dyn Store> {
        let credential = self.options.credentials.get(server).unwrap();
        Arc::new(self.memory.login(&credential.logins("one", server)))
    }

    fn agent_with(&self, server: &str, store: Arc<dyn Store>, state: PathBuf, work: Work) -> Agent {
        Agent {
            space: Space::new(store, "one"),
            server: server.into(),
            credential: self.options.credentials.get(server).unwrap().clone(),
            runner: Arc::new(Does(Arc::clone(&self.ran), work)),
            state,
            attributes: Arc::new(Fixed::default()),
            user_data: IndexMap::new(),
            limits: Limits { deadline: Duration::from_mins(1), wait: Duration::from_mins(10) },
        }
    }

    fn agent(&self, server: &str, work: &Work) -> Agent {
        self.agent_with(server, self.store(server), self.state.path().join(server), Arc::clone(work))
    }

    fn start(&self, server: &str, work: &Work) -> JoinHandle<Result<Ended, AgentError>> {
        tokio::spawn(self.agent(server, work).run(std::future::pending()))
    }

    fn space(&self) -> Space {
        Space::new(self.memory.clone(), "one")
    }

    async fn read(&self, entry: &str, revision: u64) -> Content {
        let space = self.space();
        let read = space.read(entry, revision);
        timeout(Duration::from_secs(100_000), read).await.expect("it comes").unwrap()
    }

    async fn failure(&self, entry: &str, revision: u64) -> Failure {
        match self.read(entry, revision).await {
            Content::Failure(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    async fn state_of(&self, component: &str) -> Option<State> {
        self.space().status(component).await.unwrap().map(|status| status.state)
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

fn seed_of(digest: &str, servers: Value) -> Seed {
    let mut seed = json!({
        "format": "wattle-seed/1", "stack": "one", "digest": digest, "parameters": {}, "declarations": {},
        "servers": {}, "entries": {}, "exports": {}, "recipes": {}, "sources": {},
    });
    for (server, components) in servers.as_object().unwrap() {
        seed["servers"][server] = json!({"order": "dataflow", "publishes": {}, "components": {}});
        for (name, component) in components.as_object().unwrap() {
            let full = format!("{server}/{name}");
            let string = |secret: bool| if secret { json!({"secret": "string"}) } else { json!("string") };
            let is_secret = component["secret"] == true;
            let mut declared = json!({
                "tool": component["tool"].as_str().unwrap_or("shell"), "recipe": component["recipe"].as_str().unwrap_or("r"),
                "files": {}, "inputs": {}, "outputs": {}, "wait": component["wait"],
            });
            for (input, wire) in component["inputs"].as_object().into_iter().flatten() {
                declared["inputs"][input] = json!({"type": string(is_secret)});
                if let Some(entry) = wire["entry"].as_str() {
                    let readers = &mut seed["entries"][entry]["readers"];
                    let mut all = readers.as_array().cloned().unwrap_or_default();
                    all.push(json!(server));
                    *readers = all.into();
                }
            }
            for output in component["outputs"].as_array().into_iter().flatten() {
                declared["outputs"][output.as_str().unwrap()] = json!({"type": string(is_secret)});
                seed["entries"][format!("{full}/{}", output.as_str().unwrap())]["type"] = string(is_secret);
            }
            seed["declarations"][&full] = declared;
            let inputs = if component["inputs"].is_null() { json!({}) } else { component["inputs"].clone() };
            seed["servers"][server]["components"][name] = json!({"declaration": full, "inputs": inputs});
        }
    }
    serde_json::from_value(seed).unwrap()
}

/// `a` writes `url`; `b`, on another server, reads it.
fn two() -> Value {
    json!({
        "s1": {"a": {"outputs": ["url"]}},
        "s2": {"b": {"inputs": {"url": {"entry": "s1/a/url"}}, "outputs": ["done"]}},
    })
}

fn fine() -> Work {
    Arc::new(|job| {
        async move { Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect()) }.boxed()
    })
}

async fn ask(socket: &Path, question: Value) -> Value {
    let mut stream = BufReader::new(UnixStream::connect(socket).await.unwrap());
    stream.write_all(format!("{question}\n").as_bytes()).await.unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn a_recipe_asks_and_tells_while_it_runs() {
    let mut world = World::new();
    let revision = world
        .apply(
            "1",
            json!({
                "s1": {"a": {"outputs": ["url", "late"]}},
                "s2": {"b": {"tool": "chef", "inputs": {"url": {"entry": "s1/a/url"}, "late": {"entry": "s1/a/late"}},
                             "outputs": ["seen"]}},
            }),
        )
        .await;
    let (answered, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let work: Work = Arc::new(move |job| {
        let answered = answered.clone();
        async move {
            let (socket, token) = job.live.socket().unwrap();
            let get = async |name: &str| ask(&socket, json!({"token": token, "get": name})).await;
            let set = async |name: &str, value: &str| {
                ask(&socket, json!({"token": token, "set": name, "value": value})).await
            };
            if &*job.name == "s1/a" {
                let guess = ask(&socket, json!({"token": "guess", "get": "url"})).await;
                answered.send(guess["error"].clone()).unwrap();
                answered.send(set("other", "x").await["error"].clone()).unwrap();
                answered.send(set("url", "http://a").await).unwrap();
                // Once more, as a recipe that runs twice does; and another.
                answered.send(set("url", "http://a").await).unwrap();
                answered.send(set("url", "http://b").await["error"].clone()).unwrap();
                // The other one goes on while this one still runs.
                while job.live.published("late").is_none() {
                    sleep(Duration::from_millis(20)).await;
                    if fs::exists(job.directory.parent().unwrap().join("go")).unwrap() {
                        set("late", "now").await;
                    }
                }
                outputs(&[])
            } else {
                let url = get("url").await["value"].clone();
                assert_eq!(get("not_wired").await, json!({"value": null}));
                // A recipe that gave up waiting is not missed.
                let waits = json!({"token": token, "get": "late"});
                let _ = timeout(Duration::from_millis(50), ask(&socket, waits)).await;
                fs::write(job.directory.ancestors().nth(3).unwrap().join("s1/run/go"), "").unwrap();
                let late = get("late").await["value"].clone();
                assert!(job.live.waited() >= Duration::from_millis(50), "{:?}", job.live.waited());
                outputs(&[("seen", &format!("{url} {late}"))])
            }
        }
        .boxed()
    });
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    assert_eq!(world.read("s2/b/seen", revision).await, Content::Value(r#""http://a" "now""#.into()));
    let expected = [
        json!("this is no token of a recipe that runs: `WATTLE_TOKEN` of its environment is"),
        json!("no output `other` is declared; declared are: `url`, `late`"),
        json!({"ok": true}),
        json!({"ok": true}),
        json!("output `url` was published with another value; it is written once a run"),
    ];
    for expected in expected {
        assert_eq!(answers.recv().await.unwrap(), expected);
    }
    assert_eq!(world.read("s1/a/late", revision).await, Content::Value("now".into()));
    let status = ask(&world.state.path().join("s2/agent.sock"), json!({"status": true})).await;
    assert_eq!(status["status"]["server"], "s2");
    assert!(status["status"]["components"]["b"]["state"].is_string(), "{status}");
    let wrong = ask(&world.state.path().join("s2/agent.sock"), json!("?")).await;
    assert!(wrong["error"].as_str().unwrap().starts_with("expected a question"), "{wrong}");
    agents.iter().for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn what_was_published_while_a_recipe_ran_stays_after_a_crash() {
    let mut world = World::new();
    let revision = world.apply("1", json!({"s1": {"a": {"outputs": ["url", "rest"]}}})).await;
    let dies: Work = Arc::new(|job| {
        async move {
            job.live.publish("url", "first".into()).await.unwrap();
            std::future::pending().await
        }
        .boxed()
    });
    let agent = world.start("s1", &dies);
    world.read("s1/a/url", revision).await;
    agent.abort();
    let _ = agent.await;
    let again: Work = Arc::new(|job| {
        async move {
            // It says something else now, which nobody may see: the first was read.
            job.live.publish("url", "second".into()).await.unwrap();
            assert_eq!(job.live.published("url"), Some("first".into()));
            outputs(&[("url", "second"), ("rest", "x")])
        }
        .boxed()
    });
    let agent = world.start("s1", &again);
    world.read("s1/a/rest", revision).await;
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("first".into()));
    // It stays so in the next revision, in which it is not run again.
    world.apply("2", json!({"s1": {"a": {"outputs": ["url", "rest"]}, "more": {}}})).await;
    assert_eq!(world.read("s1/a/url", revision + 1).await, Content::Value("first".into()));
    assert_eq!(world.ran().iter().filter(|name| *name == "s1/a").count(), 2);
    agent.abort();
}

/// Never gets to write an entry.
#[derive(Debug)]
struct Mute(Arc<dyn Store>);

#[async_trait]
impl Store for Mute {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.0.get(path).await
    }
    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.0.changed(path, seen).await
    }
    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        if path.contains("/entries/") {
            std::future::pending::<()>().await;
        }
        self.0.set(path, data, expected).await
    }
    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.0.children(path).await
    }
    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.0.apply(ops).await
    }
    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.0.protect(path, access).await
    }
    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        self.0.hold(path, data, access).await
    }
}

#[tokio::test(start_paused = true)]
async fn what_finished_is_published_by_the_next_agent_and_not_run_again() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let state = world.state.path().join("s1");
    let mute = Arc::new(Mute(world.store("s1")));
    let agent = tokio::spawn(world.agent_with("s1", mute, state.clone(), fine()).run(std::future::pending()));
    while !fs::read_to_string(state.join("journal")).is_ok_and(|text| text.contains("finished")) {
        sleep(Duration::from_secs(1)).await;
    }
    sleep(Duration::from_mins(1)).await;
    agent.abort();
    let _ = agent.await;
    assert_eq!(world.space().peek("s1/a/url").await.unwrap(), None);
    let agent = world.start("s1", &fine());
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value("x".into()));
    assert_eq!(world.ran(), ["s1/a"]);
    agent.abort();
}

/// Counts what is asked of it.
#[derive(Debug)]
struct Counts(Arc<dyn Store>, Arc<Mutex<Vec<String>>>);

impl Counts {
    fn count(&self, what: &str, path: &str) {
        self.1.lock().unwrap().push(format!("{what} {path}"));
    }
}

#[async_trait]
impl Store for Counts {
    async fn get(&self, path: &str) -> Result<Option<Node>, StoreError> {
        self.count("get", path);
        self.0.get(path).await
    }
    async fn changed(&self, path: &str, seen: Option<Version>) -> Result<Option<Node>, StoreError> {
        self.count("changed", path);
        self.0.changed(path, seen).await
    }
    async fn set(&self, path: &str, data: &[u8], expected: Option<Version>) -> Result<Version, StoreError> {
        self.count("set", path);
        self.0.set(path, data, expected).await
    }
    async fn children(&self, path: &str) -> Result<Vec<String>, StoreError> {
        self.0.children(path).await
    }
    async fn apply(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        self.0.apply(ops).await
    }
    async fn protect(&self, path: &str, access: &Access) -> Result<(), StoreError> {
        self.0.protect(path, access).await
    }
    async fn hold(&self, path: &str, data: &[u8], access: &Access) -> Result<Hold, StoreError> {
        self.0.hold(path, data, access).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_hand_over_takes_one_request_of_the_writer_and_none_of_the_reader() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let slow: Work = Arc::new(|_| {
        async move {
            sleep(Duration::from_secs(30)).await;
            outputs(&[("url", "x"), ("done", "x")])
        }
        .boxed()
    });
    let agent = |server: &str| {
        let store = Arc::new(Counts(world.store(server), Arc::clone(&asked)));
        let agent = world.agent_with(server, store, world.state.path().join(server), Arc::clone(&slow));
        tokio::spawn(agent.run(std::future::pending()))
    };
    let agents = [agent("s1"), agent("s2")];
    sleep(Duration::from_secs(20)).await;
    let before: Vec<String> = std::mem::take(&mut *asked.lock().unwrap());
    let of = |all: &[String]| all.iter().filter(|one| one.ends_with("/s1/a/url")).cloned().collect::<Vec<_>>();
    let entry = "/wattle/one/entries/s1/a/url";
    let mut first = of(&before);
    first.sort();
    // The writer has looked once, and the reader waits.
    assert_eq!(first, [format!("changed {entry}"), format!("get {entry}"), format!("get {entry}")]);
    world.read("s2/b/done", revision).await;
    let after: Vec<String> = asked.lock().unwrap().clone();
    assert_eq!(of(&after), [format!("set {entry}")]);
    agents.iter().for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn a_wait_says_for_what_and_in_the_end_why() {
    let mut world = World::new();
    let revision = world
        .apply(
            "1",
            json!({
                "s1": {"a": {"outputs": ["url"]}},
                "s2": {"b": {"inputs": {"url": {"entry": "s1/a/url"}}, "outputs": ["url"]}},
                "s3": {"c": {"inputs": {"from": {"entry": "s2/b/url"}}, "outputs": ["url"]}},
                "s4": {"d": {"inputs": {"from": {"entry": "s1/a/url"}}, "outputs": ["url"], "wait": 5}},
            }),
        )
        .await;
    // `s1` never boots.
    // The wait at the end of the chain is over a little before the one that it waits for.
    let first = ["s3", "s4"].map(|server| world.start(server, &fine()));
    sleep(Duration::from_secs(2)).await;
    let second = world.start("s2", &fine());
    let Some(State::Waiting(waiting)) = world.state_of("s3/c").await else { panic!() };
    assert_eq!((&*waiting[0].what, waiting[0].input.as_deref()), ("s2/b/url", Some("from")));
    let begun = tokio::time::Instant::now();
    let failure = world.failure("s4/d/url", revision).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!((&*failure.component, failure.kind), ("s4/d", Kind::Wait));
    assert!(failure.message.starts_with("waited 5 s since "), "{}", failure.message);
    let end = "for `s1/a/url` (its input `from`): never started: no agent of server `s1` has come up";
    assert!(failure.message.ends_with(end), "{}", failure.message);
    // Those whose waits end at about the same time are told by the one that is next to the cause.
    let failure = world.failure("s3/c/url", revision).await;
    assert!(begun.elapsed() < Duration::from_secs(605), "{:?}", begun.elapsed());
    assert_eq!((&*failure.component, failure.kind), ("s2/b", Kind::Wait));
    assert_eq!(failure.through, ["s3/c".into()]);
    assert!(failure.message.contains("no agent of server `s1`"), "{}", failure.message);
    first.iter().chain([&second]).for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_went_is_told_from_one_that_never_came() {
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let hangs: Work = Arc::new(|_| std::future::pending().boxed());
    let gone = world.start("s1", &hangs);
    sleep(Duration::from_secs(1)).await;
    gone.abort();
    let _ = gone.await;
    let agent = world.start("s2", &fine());
    let failure = world.failure("s2/b/done", revision).await;
    assert!(failure.message.ends_with("the agent of server `s1` has gone"), "{}", failure.message);
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn a_newer_revision_lets_end_what_runs_and_abandons_what_waits() {
    let mut world = World::new();
    let seed = |value: &str| {
        json!({
            "s1": {
                "runs": {"outputs": ["url"]},
                "waits": {"inputs": {"url": {"entry": "s1/hangs/url"}, "value": {"value": value}}, "outputs": ["done"]},
                "hangs": {"inputs": {"url": {"entry": "s2/never/url"}}, "outputs": ["url"]},
            },
            "s2": {"never": {"outputs": ["url"]}},
        })
    };
    world.apply("1", seed("one")).await;
    let work: Work = Arc::new(|job| {
        async move {
            sleep(Duration::from_secs(40)).await;
            Ok(job.component.outputs.keys().map(|name| (name.clone(), "x".into())).collect())
        }
        .boxed()
    });
    let agent = world.start("s1", &work);
    sleep(Duration::from_secs(20)).await;
    let mut next = seed("two");
    next["s2"]["never"]["outputs"] = json!(["url", "more"]);
    let revision = world.apply("2", next).await;
    sleep(Duration::from_secs(10)).await;
    // It still runs, for the revision in which it began.
    let status = world.space().status("s1/runs").await.unwrap().unwrap();
    assert_eq!((status.revision, status.state), (1, State::Running));
    sleep(Duration::from_secs(15)).await;
    // What waits does not hold up the next: it would have waited for ten minutes.
    let written = world.space().peek("s1/runs/url").await.unwrap().unwrap();
    assert_eq!((written.revision, written.content), (revision, Content::Value("x".into())));
    assert_eq!(world.ran(), ["s1/runs"]);
    let status = world.space().status("s1/waits").await.unwrap().unwrap();
    assert!(matches!(status.state, State::Waiting(_)) && status.revision == revision, "{status:?}");
    agent.abort();
}

#[tokio::test(start_paused = true)]
async fn secrets_are_sealed_wherever_they_are_kept() {
    const SECRET: &str = "correct horse battery staple";
    let mut world = World::new();
    let secret = json!({
        "s1": {"a": {"secret": true, "outputs": ["token"]}},
        "s2": {"b": {"secret": true, "inputs": {"token": {"entry": "s1/a/token"}}, "outputs": ["token"]}},
    });
    let revision = world.apply("1", secret).await;
    let work: Work = Arc::new(|job| {
        async move {
            if &*job.name == "s2/b" {
                assert_eq!(job.inputs["token"], SECRET.into());
                assert_eq!(job.live.secrets(), [SECRET.into()]);
            }
            outputs(&[("token", SECRET)])
        }
        .boxed()
    });
    let agents = [world.start("s1", &work), world.start("s2", &work)];
    let Content::Sealed(sealed) = world.read("s2/b/token", revision).await else { panic!() };
    let opener = |server: &str| world.options.credentials.get(server).unwrap().opener();
    assert_eq!(open(&sealed, &opener("s2")).unwrap(), SECRET.into());
    assert!(open(&sealed, &opener("s1")).is_err());
    for server in ["s1", "s2"] {
        let journal = fs::read_to_string(world.state.path().join(server).join("journal")).unwrap();
        assert!(journal.contains("sealed") && !journal.contains(SECRET), "{journal}");
    }
    agents.iter().for_each(JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn one_folder_has_one_agent() {
    let mut world = World::new();
    world.apply("1", two()).await;
    let agent = world.start("s1", &fine());
    sleep(Duration::from_secs(1)).await;
    let second = world.agent("s1", &fine()).run(sleep(Duration::from_mins(1))).await.unwrap_err();
    assert!(matches!(second, AgentError::Busy { .. }), "{second}");
    agent.abort();
}

/// A small disk, for as long as this lives; none where one may not be mounted.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"]).arg(at).output();
        mount.is_ok_and(|mount| mount.status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_loses_nothing() {
    // More than what is left of the last block.
    const LONG: &str = include_str!("agent.rs");
    let mut world = World::new();
    let revision = world.apply("1", two()).await;
    let state = world.state.path().join("s1");
    let Some(disk) = Disk::mount(&state) else {
        println!("a_full_disk_loses_nothing: left out: a disk of its own cannot be mounted here");
        return;
    };
    let filler = state.join("filler");
    let fills: Work = {
        let filler = filler.clone();
        Arc::new(move |_| {
            // Full at the moment at which its end is to be written.
            let _ = fs::write(&filler, vec![0; 1 << 20]);
            async move { outputs(&[("url", LONG)]) }.boxed()
        })
    };
    let agent = world.start("s1", &fills);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(world.space().peek("s1/a/url").await.unwrap(), None, "published, and not in the journal");
    let troubles = world.space().server_status("s1").await.unwrap().unwrap().troubles;
    assert!(troubles.len() == 1 && troubles[0].contains("No space left on device"), "{troubles:?}");
    fs::remove_file(&filler).unwrap();
    assert_eq!(world.read("s1/a/url", revision).await, Content::Value(LONG.into()));
    sleep(Duration::from_secs(10)).await;
    let troubles = world.space().server_status("s1").await.unwrap().unwrap().troubles;
    assert!(troubles.is_empty(), "{troubles:?}");
    agent.abort();
    let _ = agent.await;
    let agent = world.start("s1", &fine());
    sleep(Duration::from_mins(1)).await;
    assert_eq!(world.ran(), ["s1/a"]);
    agent.abort();
    let _ = agent.await;
    drop(disk);
}
