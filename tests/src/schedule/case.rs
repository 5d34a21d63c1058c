//! One case: agents for a random topology, what happens to them, and whether what comes out is what should.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use wattle::model;
use wattle_runtime::agent::{Agent, Ended, Fixed, Limits};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{Content, OperatorKey, Space, State, Written, open};
use wattle_runtime::store::{Memory, Store};

use super::Random;
use super::fake::{Event, Fake, Log, What};
use super::oracle::{self, Outcome, Roots};
use super::slow::Slow;
use super::topology::Topology;

/// What happens to the agents of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chaos {
    /// Nothing; every revision comes to its end before the next.
    None,
    /// They die at random points and start again; revisions come at random points.
    Crashes,
}

const DEADLINE: Duration = Duration::from_secs(100);
const WAIT: Duration = Duration::from_secs(20_000);

/// Time in which everything has ended, or never will.
const END: Duration = Duration::from_secs(400_000);

struct Case {
    number: u64,
    random: Random,
    store: Arc<Memory>,
    options: Options,
    topology: Topology,
    booted: Vec<bool>,
    revision: u64,
    log: Log,
    state: TempDir,
    agents: JoinSet<(usize, Ended)>,
    /// Servers whose agents have ended.
    retired: BTreeSet<String>,
}

/// Runs the case of this number to its end.
///
/// # Panics
/// When what comes out is not what should.
pub fn run(number: u64, chaos: Chaos) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let mut case = Case::new(number);
        match chaos {
            Chaos::None => case.calm().await,
            Chaos::Crashes => case.wild().await,
        }
    });
}

impl Case {
    fn new(number: u64) -> Self {
        let mut random = Random::new(number);
        let topology = Topology::random(&mut random);
        let booted = topology.servers.iter().map(|_| !random.once_in(12)).collect();
        // A journal is put on disk line by line: memory is as good a disk as any.
        let memory = Path::new("/dev/shm");
        let state = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let mut options = Options::new(OperatorKey::generate());
        options.credentials.complete(&topology.seed(0));
        Self {
            number,
            random,
            store: Arc::new(Memory::new()),
            options,
            topology,
            booted,
            revision: 0,
            log: Log::default(),
            state: state.expect("a folder"),
            agents: JoinSet::new(),
            retired: BTreeSet::new(),
        }
    }

    fn space(&self) -> Space {
        Space::new(self.store.clone(), "random")
    }

    async fn apply(&mut self) {
        self.revision += 1;
        let seed = self.topology.seed(usize::try_from(self.revision).expect("INVARIANT: small"));
        let store: Arc<dyn Store> = self.store.clone();
        let applied = seed::apply(&store, &seed, &self.options).await.expect("the seed is applied");
        assert_eq!(applied.revision, self.revision);
    }

    /// An agent as a process would be: nothing in common with one before but the folder.
    fn agent(&mut self, server: usize) -> Agent {
        let name = self.topology.servers[server].name.clone();
        let credential = self.options.credentials.get(&name).expect("INVARIANT: every server has one").clone();
        let store = self.store.login(&credential.logins("random", &name));
        let store = Slow::new(Arc::new(store), Random::new(self.random.below(1 << 30) as u64), 0.1);
        let runner = Fake { log: self.log.clone(), random: Mutex::new(Random::new(self.random.below(1 << 30) as u64)) };
        let networks = json!({"net": [oracle::address(&name)]});
        let networks: model::Value = serde_json::from_value(networks).expect("INVARIANT: it is a value");
        Agent {
            space: Space::new(Arc::new(store), "random"),
            server: name.as_str().into(),
            credential,
            runner: Arc::new(runner),
            state: self.state.path().join(&name),
            attributes: Arc::new(Fixed([("networks".into(), networks)].into())),
            user_data: [].into(),
            limits: Limits { deadline: DEADLINE, wait: WAIT },
        }
    }

    /// Starts the agent of a server, which dies after each of `lives` and starts again.
    fn start(&mut self, server: usize, lives: usize) {
        let mut deaths = Vec::new();
        for _ in 0..lives {
            deaths.push((self.random.delay(60.0), self.agent(server), self.random.delay(60.0)));
        }
        let last = self.agent(server);
        self.agents.spawn(async move {
            for (life, agent, rest) in deaths {
                tokio::select! {
                    biased;
                    ended = agent.run(std::future::pending()) => return (server, ended.expect("an agent goes on")),
                    () = sleep(life) => {}
                }
                sleep(rest).await;
            }
            (server, last.run(std::future::pending()).await.expect("an agent goes on"))
        });
    }

    fn start_all(&mut self, deaths: usize) {
        for server in 0..self.topology.servers.len() {
            if self.booted[server] && self.topology.servers[server].present {
                let lives = if deaths == 0 { 0 } else { self.random.below(deaths + 1) };
                self.start(server, lives);
            }
        }
    }

    async fn calm(&mut self) {
        self.apply().await;
        self.start_all(0);
        let mut finished = BTreeMap::new();
        let revisions = 1 + self.random.below(3);
        for at in 0..revisions {
            let seen = self.log.events().len();
            if at > 0 {
                self.topology.change(&mut self.random);
                self.apply().await;
            }
            let outcomes = self.settle().await;
            self.judge(&outcomes).await;
            self.judge_runs(seen, &outcomes, &mut finished);
            self.judge_teardowns(seen).await;
        }
        self.nothing_runs_again().await;
    }

    async fn wild(&mut self) {
        let early = self.random.once_in(3);
        if early {
            self.start_all(4);
            sleep(self.random.delay(30.0)).await;
        }
        self.apply().await;
        if !early {
            self.start_all(4);
        }
        for _ in 0..self.random.below(3) {
            let delay = if self.random.once_in(3) { 1_000.0 } else { 60.0 };
            sleep(self.random.delay(delay)).await;
            self.topology.change(&mut self.random);
            self.apply().await;
        }
        let outcomes = self.settle().await;
        self.judge(&outcomes).await;
        self.nothing_runs_again().await;
    }

    /// Waits until everything has ended, as it must.
    async fn settle(&mut self) -> BTreeMap<usize, Outcome> {
        let begun = Instant::now();
        while let Some(why) = self.unsettled().await {
            assert!(
                begun.elapsed() < END,
                "case {}: {why}, for ever\n{}{:#?}",
                self.number,
                self.picture().await,
                self.topology
            );
            sleep(Duration::from_secs(20)).await;
        }
        // A server of which nothing is left may still be tearing down.
        sleep(Duration::from_secs(500)).await;
        oracle::outcomes(&self.topology, &self.booted)
    }

    async fn unsettled(&mut self) -> Option<String> {
        let space = self.space();
        for (at, server) in self.topology.servers.iter().enumerate() {
            let status = space.server_status(&server.name).await.expect("a status");
            let is_there = server.present && self.booted[at];
            if is_there && status.as_ref().is_none_or(|status| status.revision != self.revision) {
                return Some(format!("{} is not in revision {}: {status:?}", server.name, self.revision));
            }
        }
        for (at, component) in self.topology.present() {
            if !self.booted[component.server] {
                continue;
            }
            let name = self.topology.full(at);
            let status = space.status(&name).await.expect("a status");
            let has_ended = status.as_ref().is_some_and(|status| {
                status.revision == self.revision && matches!(status.state, State::Done | State::Failed(_))
            });
            if !has_ended {
                return Some(format!("{name} has not ended in revision {}: {status:?}", self.revision));
            }
        }
        while let Some(ended) = self.agents.try_join_next() {
            let (server, ended) = ended.expect("an agent does not panic");
            assert_eq!(ended, Ended::Retired, "case {}", self.number);
            assert!(!self.topology.servers[server].present, "case {}", self.number);
        }
        let running = (0..self.topology.servers.len())
            .filter(|server| self.booted[*server] && self.topology.servers[*server].present)
            .count();
        (self.agents.len() > running).then(|| "a retired server's agent goes on".to_owned())
    }

    /// How everything is doing.
    async fn picture(&self) -> String {
        let mut picture = String::new();
        for server in &self.topology.servers {
            let status = self.space().server_status(&server.name).await;
            let alive = self.space().alive(&server.name).await;
            let plan = self.space().plan(&server.name).await.map(|plan| plan.map(|plan| plan.revision));
            let journal = std::fs::read_to_string(self.state.path().join(&server.name).join("journal"));
            let _ = writeln!(picture, "{}: plan {plan:?} {status:?} {alive:?}", server.name);
            for line in journal.unwrap_or_default().lines() {
                let _ = writeln!(picture, "    {}", line.chars().take(160).collect::<String>());
            }
        }
        for (at, _) in self.topology.present() {
            let name = self.topology.full(at);
            let _ = writeln!(picture, "{name}: {:?}", self.space().status(&name).await);
        }
        picture
    }

    /// The data space is what it is in every schedule.
    async fn judge(&self, outcomes: &BTreeMap<usize, Outcome>) {
        let space = self.space();
        for (at, outcome) in outcomes {
            let component = &self.topology.components[*at];
            let name = self.topology.full(*at);
            let case = format!("case {}, revision {}, {name}", self.number, self.revision);
            let booted = self.booted[component.server];
            for output in &component.outputs {
                let written = space.peek(&format!("{name}/{}", output.name)).await.expect("an entry");
                let written = written.filter(|written| written.revision == self.revision);
                if !booted {
                    assert_eq!(written, None, "{case}");
                    continue;
                }
                let Some(Written { content, .. }) = written else { panic!("{case}/{}: nothing", output.name) };
                match (content, outcome.values.get(&output.name)) {
                    (Content::Failure(failure), None) => {
                        self.judge_failure(&case, &name, &failure, &outcome.roots);
                    }
                    (content, Some(value)) => {
                        assert_eq!(self.reveal(*at, output.secret, content), *value, "{case}/{}", output.name);
                    }
                    (content, None) => {
                        panic!("{case}/{}: {content:?}, not {:?}: {:#?}", output.name, outcome.roots, self.topology)
                    }
                }
            }
            if !booted {
                continue;
            }
            match space.status(&name).await.expect("a status").expect("told").state {
                State::Done => assert!(outcome.is_done(), "{case}: done, not {:?}", outcome.roots),
                State::Failed(failure) => self.judge_failure(&case, &name, &failure, &outcome.roots),
                other => panic!("{case}: {other:?}"),
            }
        }
    }

    fn reveal(&self, component: usize, secret: bool, content: Content) -> Value {
        let server = &self.topology.servers[self.topology.components[component].server].name;
        let value = match content {
            Content::Value(value) if !secret => value,
            Content::Sealed(sealed) if secret => {
                let credential = self.options.credentials.get(server).expect("INVARIANT: every server has one");
                open(&sealed, &credential.opener()).expect("the writer can read it")
            }
            other => panic!("case {}: {other:?}, secret: {secret}", self.number),
        };
        serde_json::to_value(value).expect("INVARIANT: it is JSON")
    }

    fn judge_failure(&self, case: &str, name: &str, failure: &wattle_runtime::space::Failure, roots: &Roots) {
        let root = (failure.component.to_string(), oracle::kind(failure.kind));
        assert!(roots.contains(&root), "{case}: {failure:?}, not {roots:?}");
        let own = *failure.component == *name;
        assert_eq!(own, failure.through.is_empty(), "{case}: {failure:?}");
        assert!(own || failure.through.last().is_some_and(|last| **last == *name), "{case}: {failure:?}");
        if root.1 == "wait" {
            let absent: Vec<String> = (0..self.booted.len())
                .filter(|server| !self.booted[*server])
                .map(|server| {
                    format!("never started: no agent of server `{}` has come up", self.topology.servers[server].name)
                })
                .collect();
            let is_out = failure.message.ends_with("the data space does not answer");
            assert!(is_out || absent.iter().any(|absent| failure.message.contains(absent)), "{case}: {failure:?}");
        }
    }

    /// Exactly what is not as it was when it finished was run.
    fn judge_runs(&self, seen: usize, outcomes: &BTreeMap<usize, Outcome>, finished: &mut BTreeMap<usize, String>) {
        finished.retain(|at, _| self.topology.components[*at].present);
        let mut expected = BTreeSet::new();
        for (at, outcome) in outcomes {
            let component = &self.topology.components[*at];
            let key = oracle::key(component, outcome);
            // What finished once and asks for its inputs itself is compared before it is started.
            let waits = component.recipe.chef && finished.contains_key(at) && outcome.inputs.is_none();
            if !outcome.starts || waits || finished.get(at) == Some(&key) {
                continue;
            }
            expected.insert(self.topology.full(*at));
            finished.remove(at);
            if outcome.is_done() {
                finished.insert(*at, key);
            }
        }
        let events = self.log.events();
        let started = events[seen..].iter().filter(|event| event.what == What::Started);
        let started: Vec<String> = started.map(|event| event.component.clone()).collect();
        let unique: BTreeSet<String> = started.iter().cloned().collect();
        let case = format!("case {}, revision {}", self.number, self.revision);
        assert_eq!(unique.len(), started.len(), "{case}: run twice: {started:?}");
        assert_eq!(unique, expected, "{case}: {:#?}", self.topology);
    }

    /// What has left was torn down in reverse order of running, before anything of the revision ran, with the inputs
    /// that it last had; what could not be is told.
    async fn judge_teardowns(&mut self, seen: usize) {
        let case = format!("case {}, revision {}", self.number, self.revision);
        let events = self.log.events().clone();
        let (before, now) = events.split_at(seen);
        let server = |event: &Event| event.component.split('/').next().unwrap_or_default().to_owned();
        let index = |name: &str| (0..self.topology.components.len()).find(|at| self.topology.full(*at) == name);
        let gone = |event: &Event| {
            index(&event.component).is_some_and(|at| {
                let component = &self.topology.components[at];
                !component.present && component.teardown
            })
        };
        for of in &self.topology.servers {
            let mut due: Vec<&str> = Vec::new();
            for event in before.iter().rev().filter(|event| server(event) == of.name && gone(event)) {
                let is_torn_down =
                    before.iter().any(|other| other.what == What::TornDown && other.component == event.component);
                if event.what == What::Started && !is_torn_down && !due.contains(&event.component.as_str()) {
                    due.push(&event.component);
                }
            }
            if self.retired.contains(&of.name) {
                // Its agent has ended.
                due.clear();
            }
            let mine = || now.iter().filter(|event| server(event) == of.name);
            let torn: Vec<&str> =
                mine().filter(|event| event.what == What::TearsDown).map(|event| event.component.as_str()).collect();
            assert_eq!(torn, due, "{case}: torn down on {}", of.name);
            let first_run = mine().position(|event| event.what == What::Started).unwrap_or(usize::MAX);
            let last_teardown = mine().filter(|event| event.what != What::Succeeded).count();
            assert!(torn.is_empty() || first_run >= torn.len().min(last_teardown), "{case}: {now:#?}");
            let status = self.space().server_status(&of.name).await.expect("a status");
            for name in &torn {
                let at = index(name).expect("INVARIANT: it is known");
                let fails = self.topology.components[at].recipe.teardown_fails;
                if of.present {
                    let troubles = status.clone().expect("told").troubles;
                    let is_told = troubles.iter().any(|trouble| trouble.contains(&format!("`{name}`")));
                    assert_eq!(is_told, fails, "{case}: {troubles:?}");
                }
                let last = before.iter().rev().find(|event| event.component == **name);
                if let Some(last) = last.filter(|event| event.what == What::Succeeded) {
                    let torn = mine().find(|event| event.component == **name).expect("INVARIANT: just found");
                    for (input, value) in &last.inputs {
                        assert_eq!(torn.inputs.get(input), Some(value), "{case}: {name} was torn down with others");
                    }
                }
            }
        }
        let retired = self.topology.servers.iter().filter(|server| !server.present);
        self.retired = retired.map(|server| server.name.clone()).collect();
    }

    /// Agents that start again find everything ended, and leave it so.
    async fn nothing_runs_again(&mut self) {
        self.agents.shutdown().await;
        let runs = |log: &Log| log.events().iter().filter(|event| event.what == What::Started).count();
        let seen = runs(&self.log);
        let before = self.entries().await;
        self.start_all(1);
        sleep(Duration::from_secs(5_000)).await;
        assert_eq!(runs(&self.log), seen, "case {}: something that had ended ran again", self.number);
        assert_eq!(self.entries().await, before, "case {}", self.number);
    }

    async fn entries(&self) -> Vec<Option<Written>> {
        let space = self.space();
        let mut entries = Vec::new();
        for (at, component) in self.topology.present() {
            for output in &component.outputs {
                entries
                    .push(space.peek(&format!("{}/{}", self.topology.full(at), output.name)).await.expect("an entry"));
            }
        }
        entries
    }
}
