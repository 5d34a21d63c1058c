//! One case: agents for a random topology, events during the run, and a check of the results.

mod judge;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use wattle::model;
use wattle_runtime::agent::{Agent, Ended, Fixed, Limits};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{OperatorKey, Space, State};
use wattle_runtime::store::{Memory, Store};

use super::fake::{Fake, Log};
use super::oracle::{self, Outcome};
use super::slow::Slow;
use super::topology::Topology;
use crate::chance::Chance;
use crate::stores::Guarded;

/// The faults of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chaos {
    /// None; every revision ends before the next.
    None,
    /// Agents die at random points and restart; revisions begin at random points.
    Crashes,
}

const DEADLINE: Duration = Duration::from_secs(100);
const WAIT: Duration = Duration::from_secs(20_000);

/// The stack.
const STACK: &str = "random";

/// The time in which everything has ended, or never will.
const END: Duration = Duration::from_secs(400_000);

struct Case {
    number: u64,
    random: Chance,
    store: Arc<Memory>,
    options: Options,
    topology: Topology,
    booted: Vec<bool>,
    revision: u64,
    log: Log,
    state: TempDir,
    agents: JoinSet<(usize, Ended)>,
}

/// Runs the case with this number to its end.
///
/// # Panics
/// The results are wrong.
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
        let mut random = Chance::new(number);
        let topology = Topology::random(&mut random);
        let booted = topology.servers.iter().map(|_| !random.once_in(12)).collect();
        // A journal is synced line by line: memory is as good a disk as any.
        let memory = Path::new("/dev/shm");
        let state = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let mut options = Options::new(OperatorKey::generate());
        options.credentials.complete(&topology.seed(0), &options.key);
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
        }
    }

    fn space(&self) -> Space {
        Space::new(self.store.clone(), STACK)
    }

    async fn apply(&mut self) {
        self.revision += 1;
        let seed = self.topology.seed(usize::try_from(self.revision).expect("INVARIANT: small"));
        let store: Arc<dyn Store> = self.store.clone();
        let applied = seed::apply(&store, &seed, &self.options).await.expect("the seed is applied");
        assert_eq!(applied.revision, self.revision);
    }

    /// Creates an agent like a new process: it shares only the folder with earlier ones.
    fn agent(&mut self, server: usize) -> Agent {
        let name = self.topology.servers[server].name.clone();
        let credential = self.options.credentials.get(&name).expect("INVARIANT: every server has one").clone();
        let store = self.store.login(&credential.logins("random", &name));
        let slow = Slow::new(Chance::new(self.random.below(1 << 30) as u64), 0.1);
        let runner = Fake { log: self.log.clone(), random: Mutex::new(Chance::new(self.random.below(1 << 30) as u64)) };
        let networks = json!({"net": [oracle::address(&name)]});
        let networks: model::Value = serde_json::from_value(networks).expect("INVARIANT: it is a value");
        Agent {
            space: Space::new(Guarded::new(Arc::new(store), slow), STACK),
            server: name.as_str().into(),
            credential,
            runner: Arc::new(runner),
            state: self.state.path().join(&name),
            attributes: Arc::new(Fixed([("networks".into(), networks)].into_iter().collect())),
            user_data: Default::default(),
            limits: Limits { deadline: DEADLINE, wait: WAIT },
            recent: Arc::default(),
        }
    }

    /// Starts the agent of a server, which dies after each of `lives` and restarts.
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
        let (mut finished, mut unsure) = (BTreeMap::new(), BTreeSet::new());
        let revisions = 1 + self.random.below(3);
        for at in 0..revisions {
            let seen = self.log.events().len();
            if at > 0 {
                self.topology.change(&mut self.random);
                self.apply().await;
            }
            let outcomes = self.settle().await;
            self.judge(&outcomes).await;
            self.judge_runs(seen, &outcomes, &mut finished, &mut unsure).await;
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
                self.snapshot().await,
                self.topology
            );
            sleep(Duration::from_secs(20)).await;
        }
        // A server of which nothing is left may still be tearing down.
        sleep(Duration::from_secs(500)).await;
        oracle::outcomes(&self.topology, &self.booted)
    }

    async fn unsettled(&mut self) -> Option<String> {
        let (space, mut plans) = (self.space(), Vec::new());
        for (at, server) in self.topology.servers.iter().enumerate() {
            let status = space.server_status(&server.name).await.expect("a status");
            let is_there = server.present && self.booted[at];
            if !is_there {
                continue;
            }
            let plan = space.plan(&server.name).await.expect("a plan").expect("a plan");
            if status.as_ref().is_none_or(|status| status.of() != plan.of()) {
                return Some(format!("{} is not in revision {}: {status:?}", server.name, plan.revision));
            }
            plans.push((&server.name, plan));
        }
        for (at, component) in self.topology.present() {
            if !self.booted[component.server] {
                continue;
            }
            let name = self.topology.full(at);
            let status = space.status(&name).await.expect("a status");
            let server = &self.topology.servers[component.server].name;
            let of = plans.iter().find(|(name, _)| *name == server).map(|(_, plan)| plan.of());
            let has_ended = status.as_ref().is_some_and(|status| {
                of.as_ref() == Some(&status.of()) && matches!(status.state, State::Done | State::Failed(_))
            });
            if !has_ended {
                return Some(format!("{name} has not ended in {of:?}: {status:?}"));
            }
        }
        while let Some(ended) = self.agents.try_join_next() {
            let (server, ended) = ended.expect("an agent does not panic");
            assert_eq!(ended, Ended::Retired, "case {}", self.number);
            let server = &self.topology.servers[server];
            assert!(!server.present, "case {}", self.number);
            let status = space.server_status(&server.name).await.expect("a status");
            let leaving = status.map(|status| status.leaving).unwrap_or_default();
            assert!(leaving.is_empty(), "case {}: its agent has ended before {leaving:?} was torn down", self.number);
        }
        let running = (0..self.topology.servers.len())
            .filter(|server| self.booted[*server] && self.topology.servers[*server].present)
            .count();
        let mut stuck = 0;
        for server in self.topology.servers.iter().filter(|server| !server.present) {
            let status = space.server_status(&server.name).await.expect("a status");
            let leaving = status.map(|status| status.leaving).unwrap_or_default();
            stuck += usize::from(leaving.iter().any(|leaving| leaving.failure.is_some()));
        }
        (self.agents.len() > running + stuck).then(|| "a retired server's agent goes on".to_owned())
    }

    /// The state of everything.
    async fn snapshot(&self) -> String {
        let mut snapshot = String::new();
        for server in &self.topology.servers {
            let status = self.space().server_status(&server.name).await;
            let alive = self.space().alive(&server.name).await;
            let plan = self.space().plan(&server.name).await.map(|plan| plan.map(|plan| plan.revision));
            let journal = std::fs::read_to_string(self.state.path().join(&server.name).join("journal"));
            let _ = writeln!(snapshot, "{}: plan {plan:?} {status:?} {alive:?}", server.name);
            for line in journal.unwrap_or_default().lines() {
                let _ = writeln!(snapshot, "    {}", line.chars().take(160).collect::<String>());
            }
        }
        for (at, _) in self.topology.present() {
            let name = self.topology.full(at);
            let _ = writeln!(snapshot, "{name}: {:?}", self.space().status(&name).await);
        }
        snapshot
    }
}
