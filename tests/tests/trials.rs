//! Simulated runs (`wattle::testing`) have the same results as real agents: over random models, with the same fakes on
//! both sides, every component succeeds or fails for the same reason, reads the same values, and starts after its
//! dependencies.
//!
//! A failing case prints its number; `WATTLE_CASE=NUMBER` runs that one alone.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::JoinSet;
use tokio::time::sleep;
use wattle::hot::Json;
use wattle::lower::seed::{Origin, Seed, SeedAttribute, Wire};
use wattle::lower::{Options as Lowering, lower};
use wattle::model::{IndexMap, IndexSet, Model, Name, Step, Tool, Value};
use wattle::prelude::*;
use wattle::testing::{Failed, FailureKind, Schedule, Trial, TrialRun};
use wattle_runtime::agent::{Agent, Attributes, Limits};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{Failure, OperatorKey, Space, State};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::random;
use wattle_tests::skip::is_everything;

/// A number that depends only on the argument.
fn number(of: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The recipe of a component on both sides: its outputs, computed from its identity and its inputs, or its failure.
fn recipe(case: u64, name: &str, inputs: &IndexMap<Name, Value>) -> Result<IndexMap<Name, Value>, String> {
    let of = number((case, name));
    if of.is_multiple_of(9) {
        return Err(format!("it was told to fail, {of}"));
    }
    let mut read: Vec<_> = inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    read.sort();
    let of = number((name, read));
    Ok([
        ("text".into(), format!("{name} {of}, \"quoted\"\n").into()),
        ("count".into(), Value::from(u16::try_from(of % 65_536).expect("it is below"))),
        ("token".into(), format!("secret {of}").into()),
    ]
    .into_iter()
    .collect())
}

/// The value of an attribute on both sides.
fn attribute(resource: &str, key: &str) -> Value {
    let of = number((resource, key)).to_be_bytes();
    let text = key.contains("networks") || key.contains("ip");
    if text { format!("10.{}.{}.{}", of[0], of[1], of[2]).into() } else { format!("{resource}-{key}").into() }
}

fn key(attribute: &SeedAttribute) -> String {
    attribute.path.iter().fold(attribute.attribute.to_string(), |key, step| match step {
        Step::Key(name) | Step::Resource(name) => format!("{key}.{name}"),
        Step::Index(index) => format!("{key}.{index}"),
    })
}

/// The names of values in the user data of servers, each with its resource and attribute.
fn user_data(model: &Model, seed: &Seed) -> BTreeMap<Name, (String, String)> {
    let components = seed.servers.values().flat_map(|server| server.components.values());
    let wires = components.flat_map(|component| component.inputs.values());
    let wires = wires.chain(seed.exports.values().map(|export| &export.value));
    let found: IndexSet<Name> = wires.flat_map(Wire::leaves).filter_map(Origin::user_data).cloned().collect();
    let split = |key: Name| {
        let names =
            model.resources.keys().filter(|name| key.strip_prefix(&***name).is_some_and(|rest| rest.starts_with('.')));
        let resource = names.max_by_key(|name| name.len()).map(ToString::to_string).unwrap_or_default();
        let attribute = key[resource.len()..].trim_start_matches('.').to_owned();
        (key, (resource, attribute))
    };
    found.into_iter().map(split).collect()
}

/// What a component did.
#[derive(Clone, Debug, Default, PartialEq)]
struct Did {
    /// Its inputs, if its recipe had all of them.
    read: Option<BTreeMap<String, String>>,
    /// The root cause of its failure, and its kind.
    failure: Option<(String, FailureKind)>,
    done: bool,
}

/// The result of real agents.
struct Real {
    did: BTreeMap<String, Did>,
    /// Starts and ends, in order.
    events: Vec<(String, bool)>,
}

#[derive(Debug, Default)]
struct Log {
    read: BTreeMap<String, BTreeMap<String, String>>,
    events: Vec<(String, bool)>,
}

#[derive(Debug)]
struct Does {
    case: u64,
    log: Arc<Mutex<Log>>,
}

#[async_trait]
impl Runner for Does {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken> {
        let mut inputs = job.inputs.clone();
        if job.component.recipe.tool == Tool::Chef {
            for name in job.component.inputs.keys() {
                let asked = job.live.input(name).await;
                let asked = asked.map_err(|failure| Broken {
                    cause: Some(Box::new(failure)),
                    ..Broken::new(FailureKind::Input, "no input".to_owned())
                })?;
                inputs.insert(name.clone(), asked.expect("it is wired"));
            }
        }
        let name = job.name.to_string();
        {
            let mut log = self.log.lock().expect("no panic");
            log.read.insert(name.clone(), shown(&inputs));
            log.events.push((name.clone(), true));
        }
        sleep(Duration::from_millis(number((self.case, &name)) % 5_000)).await;
        self.log.lock().expect("no panic").events.push((name.clone(), false));
        recipe(self.case, &name, &inputs).map_err(|why| Broken::new(FailureKind::Recipe, why))
    }
}

#[derive(Debug)]
struct Of(Name);

#[async_trait]
impl Attributes for Of {
    async fn get(&self, wanted: &SeedAttribute) -> Result<Value, String> {
        Ok(attribute(&self.0, &key(wanted)))
    }
}

fn shown(inputs: &IndexMap<Name, Value>) -> BTreeMap<String, String> {
    inputs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// The stack from which models import.
fn elsewhere() -> Seed {
    let t = Topology::new("elsewhere");
    let model = t.finish(Exports::new().entry("url", "http://elsewhere.example/"));
    lower(&model, &Lowering::default()).seed
}

/// Runs real agents for all servers except those that are `absent`.
fn real(case: u64, model: &Model, absent: &BTreeSet<Name>) -> Real {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let seed = lower(model, &Lowering::default()).seed;
        let store = Arc::new(Memory::new());
        let operator: Arc<dyn Store> = store.clone();
        let mut options = Options::new(OperatorKey::generate());
        seed::apply(&operator, &elsewhere(), &Options::new(options.key.clone())).await.expect("it is applied");
        options.given.set("password", "given".into());
        options.credentials.complete(&seed, &options.key);
        seed::apply(&operator, &seed, &options).await.expect("it is applied");
        let state = tempfile::tempdir().expect("a folder");
        let log = Arc::new(Mutex::new(Log::default()));
        let given: IndexMap<Name, Value> =
            user_data(model, &seed).into_iter().map(|(name, (of, key))| (name, attribute(&of, &key))).collect();
        let mut agents = JoinSet::new();
        for server in seed.servers.keys().filter(|server| !absent.contains(*server)) {
            let credential = options.credentials.get(server).expect("every server has one").clone();
            let agent = Agent {
                space: Space::new(Arc::new(store.login(&credential.logins("random", server))), "random"),
                server: server.clone(),
                credential,
                runner: Arc::new(Does { case, log: Arc::clone(&log) }),
                state: state.path().join(&**server),
                attributes: Arc::new(Of(server.clone())),
                user_data: given.clone(),
                limits: Limits::default(),
                recent: Arc::default(),
            };
            agents.spawn(agent.run(std::future::pending()));
        }
        let space = Space::new(operator, "random");
        let mut did = BTreeMap::new();
        for name in model.components.keys() {
            let server = &model.components[name].server;
            let mut one = Did::default();
            while !absent.contains(server) {
                let status = space.status(name).await.expect("a status");
                match status.map(|status| status.state) {
                    Some(State::Done) => {
                        one.done = true;
                        break;
                    }
                    Some(State::Failed(Failure { component, kind, .. })) => {
                        one.failure = Some((component.to_string(), kind));
                        break;
                    }
                    _ => sleep(Duration::from_mins(1)).await,
                }
            }
            did.insert(name.to_string(), one);
        }
        agents.abort_all();
        let log = std::mem::take(&mut *log.lock().expect("no panic"));
        for (name, read) in log.read {
            did.get_mut(&name).expect("a component").read = Some(read);
        }
        Real { did, events: log.events }
    })
}

fn trial(case: u64, model: &Model, absent: &BTreeSet<Name>) -> Trial {
    let seed = lower(model, &Lowering::default()).seed;
    let mut trial = Trial::of_model(model.clone()).parameter("password", "given");
    if !model.imports.is_empty() {
        trial = trial.import("elsewhere", "url", "http://elsewhere.example/");
    }
    for (server, duties) in &seed.servers {
        for published in duties.publishes.values() {
            trial = trial.attribute(server, &key(published), attribute(server, &key(published)));
        }
    }
    for (of, key) in user_data(model, &seed).into_values() {
        trial = trial.attribute(&of, &key, attribute(&of, &key));
    }
    for kind in seed.declarations.keys() {
        trial = trial.fake_kind(kind, move |name, inputs| recipe(case, name, inputs).map_err(Failed::new));
    }
    absent.iter().fold(trial, |trial, server| trial.never_boots(server))
}

fn simulated(run: &TrialRun) -> BTreeMap<String, Did> {
    let one = |ran: wattle::testing::Ran<'_>| {
        let read = (ran.attempts() > 0)
            .then(|| ran.input_names().map(|name| (name.to_owned(), ran.input::<Json>(name).0.to_string())).collect());
        let failure = ran.failure().map(|failure| (failure.component.to_string(), failure.kind));
        (ran.name().to_owned(), Did { read, failure, done: ran.is_done() })
    };
    run.components().map(one).collect()
}

fn agree(case: u64, model: &Model, absent: &BTreeSet<Name>) -> usize {
    let real = real(case, model, absent);
    let mut trial = trial(case, model, absent);
    let mut differ = 0;
    let schedules =
        [Schedule::Declared, Schedule::Reversed, Schedule::SlowestFirst, Schedule::Seed(case), Schedule::Seed(7)];
    for schedule in schedules {
        trial = trial.schedule(schedule);
        let run = trial.run();
        let simulated = simulated(&run);
        let context = || format!("case {case}, {schedule}\n{}\n{:#?}", run.story(), real.did);
        assert_eq!(simulated.keys().collect::<Vec<_>>(), real.did.keys().collect::<Vec<_>>(), "{}", context());
        for (name, ours) in &simulated {
            let theirs = &real.did[name];
            assert_eq!(ours.done, theirs.done, "{name} is done in one only: {}", context());
            assert_eq!(ours.failure.is_some(), theirs.failure.is_some(), "{name} failed in one only: {}", context());
            assert_eq!(ours.read, theirs.read, "{name} read other values: {}", context());
            if ours.failure != theirs.failure {
                // If there are several failures, each side may report any of them first.
                differ += 1;
                for (root, kind) in [&ours.failure, &theirs.failure].into_iter().flatten() {
                    let own = [&simulated[root].failure, &real.did[root].failure];
                    let is_own = |of: &&Option<(String, FailureKind)>| **of == Some((root.clone(), *kind));
                    let late = *kind == FailureKind::Wait;
                    assert!(late || own.iter().all(is_own), "{name} fails of {root}, which does not: {}", context());
                    assert!(
                        root == name || run.component(name).dependences().count() > 0,
                        "{name} fails of {root} without cause: {}",
                        context()
                    );
                }
            }
            let at = |name: &str, start: bool| real.events.iter().position(|(of, is)| of == name && *is == start);
            if let Some(started) = at(name, true) {
                for before in run.component(name).dependences() {
                    let ended = at(before, false);
                    assert!(ended.is_some_and(|ended| ended < started), "{name} came before {before}: {}", context());
                }
            }
        }
    }
    differ
}

fn cases(kind: impl Fn(u64) -> (Model, BTreeSet<Name>)) {
    if let Ok(number) = std::env::var("WATTLE_CASE") {
        let number = number.parse().expect("a number");
        let (model, absent) = kind(number);
        agree(number, &model, &absent);
        return;
    }
    let many = if is_everything() { 400 } else { 12 };
    let mut components = 0;
    for number in 0..many {
        let (model, absent) = kind(number);
        components += model.components.len();
        agree(number, &model, &absent);
    }
    assert!(components > 40, "the models have {components} components only");
}

fn bytes(number: u64) -> Vec<u8> {
    random::bytes(u32::try_from(number).expect("small"), 300)
}

#[test]
fn random_models_run_as_with_agents() {
    cases(|number| (random::model(&bytes(number)), BTreeSet::new()));
}

#[test]
fn functions_and_conditions_give_what_they_give_agents() {
    cases(|number| (random::whole(&bytes(number)), BTreeSet::new()));
}

#[test]
fn what_asks_for_its_inputs_itself_comes_to_the_same() {
    cases(|number| {
        let mut model = random::model(&bytes(number));
        for declaration in model.declarations.values_mut() {
            declaration.recipe.tool = Tool::Chef;
            declaration.recipe.entry = "anything::default".into();
        }
        (model, BTreeSet::new())
    });
}

#[test]
fn servers_that_never_boot_are_waited_for_in_vain() {
    cases(|number| {
        let model = random::model(&bytes(number));
        let servers = model.resources.iter().filter(|(_, resource)| resource.is_server());
        let managed: BTreeSet<&Name> = model.components.values().map(|component| &component.server).collect();
        let absent = servers.map(|(name, _)| name).filter(|name| managed.contains(name));
        let absent = absent.filter(|name| self::number((number, "absent", name)).is_multiple_of(6)).cloned().collect();
        (model, absent)
    });
}
