//! The plan for components matches what agents do: random changes are planned, applied as revisions, and really run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::time::sleep;
use wattle::lower::Seed;
use wattle::model::{self, IndexMap, Name};
use wattle::plan::{Plan, Run, State, plan};
use wattle_runtime::agent::{Agent, Fixed, Limits};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner};
use wattle_runtime::seed::{self, Options};
use wattle_runtime::space::{OperatorKey, Script, Space};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::chance::Chance;
use wattle_tests::skip;

/// A component of a case.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate choice")]
struct Part {
    server: usize,
    name: String,
    tool: &'static str,
    file: u32,
    deadline: u64,
    has_teardown: bool,
    /// Whether its output depends on its inputs.
    passes_on: bool,
    is_secret: bool,
    more_outputs: bool,
    inputs: BTreeMap<String, Wire>,
    /// The minimum length of the value that it reads from another component, if there is such a requirement.
    least: Option<u32>,
}

#[derive(Clone, Debug)]
enum Wire {
    Constant(u32),
    Parameter,
    Of(usize),
    Text(u32, usize),
    List(Vec<Wire>),
}

#[derive(Clone, Debug)]
struct Case {
    servers: BTreeSet<usize>,
    parts: Vec<Part>,
    next: usize,
}

impl Case {
    fn new(random: &mut Chance) -> Self {
        let mut case = Self { servers: (0..=random.below(3)).collect(), parts: Vec::new(), next: 0 };
        for _ in 0..2 + random.below(6) {
            case.add(random);
        }
        case
    }

    fn add(&mut self, random: &mut Chance) {
        let servers: Vec<usize> = self.servers.iter().copied().collect();
        let mut inputs = BTreeMap::new();
        for number in 0..random.below(3) {
            inputs.insert(format!("in{number}"), wire(random, self.parts.len(), true));
        }
        self.parts.push(Part {
            server: servers[random.below(servers.len())],
            name: format!("c{}", self.next),
            tool: if random.below(5) == 0 { "chef" } else { "shell" },
            file: 0,
            deadline: 5,
            has_teardown: random.below(2) == 0,
            passes_on: random.below(3) > 0,
            is_secret: random.below(4) == 0,
            more_outputs: false,
            inputs,
            // All outputs are at least that long.
            least: (random.below(3) > 0).then_some(1),
        });
        self.next += 1;
    }

    /// Makes a random change, or none.
    fn change(&mut self, random: &mut Chance) {
        let at = random.below(self.parts.len());
        match random.below(17) {
            0 => self.parts[at].file += 1,
            1 => self.parts[at].deadline += 1,
            2 => self.parts[at].has_teardown = !self.parts[at].has_teardown,
            3 => self.parts[at].more_outputs = !self.parts[at].more_outputs,
            4 => self.add(random),
            15 | 16 => self.parts[at].least = if self.parts[at].least == Some(1) { None } else { Some(1) },
            10 if self.servers.len() > 1 => {
                // Removes a server, and rewires the readers of its components.
                let gone = *self.servers.iter().next_back().expect("there are some");
                self.servers.remove(&gone);
                while let Some(at) = self.parts.iter().position(|part| part.server == gone) {
                    self.parts.remove(at);
                    for part in &mut self.parts {
                        part.inputs.values_mut().for_each(|wire| without(wire, at));
                    }
                }
                if self.parts.is_empty() {
                    self.add(random);
                }
            }
            5 => {
                let server = self.servers.len() + 10;
                self.servers.insert(server);
                self.add(random);
                self.parts.last_mut().expect("just added").server = server;
            }
            6..10 if at > 0 => {
                // Removes a component, and rewires its readers.
                self.parts.remove(at);
                for part in &mut self.parts {
                    part.inputs.values_mut().for_each(|wire| without(wire, at));
                }
                let used: BTreeSet<usize> = self.parts.iter().map(|part| part.server).collect();
                self.servers.retain(|server| used.contains(server));
            }
            _ => {
                let new = wire(random, at, true);
                let name = format!("in{}", random.below(3));
                match self.parts[at].inputs.get_mut(&name) {
                    Some(Wire::Constant(number) | Wire::Text(number, _)) => *number += 1,
                    Some(wire) => *wire = new,
                    None => drop(self.parts[at].inputs.insert(name, new)),
                }
            }
        }
    }

    fn seed(&self) -> Seed {
        let mut seed = json!({
            "format": "wattle-seed/1", "stack": "one", "digest": "", "parameters": {"p": {"type": "string"}},
            "declarations": {}, "servers": {}, "entries": {}, "exports": {}, "recipes": {}, "sources": {},
            "requirements": {},
        });
        for server in &self.servers {
            seed["servers"][format!("s{server}")] = json!({"order": "dataflow", "components": {}});
        }
        let string = |secret: bool| if secret { json!({"secret": "string"}) } else { json!("string") };
        for part in &self.parts {
            let full = Self::full(part);
            let text = format!("{} {}", part.name, part.file);
            let digest = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let mut outputs = json!({"out": {"type": string(part.is_secret)}});
            if part.more_outputs {
                outputs["more"] = json!({"type": "string"});
                seed["entries"][format!("{full}/more")] = json!({"type": "string"});
            }
            seed["entries"][format!("{full}/out")]["type"] = string(part.is_secret);
            let mut declared = json!({
                "tool": part.tool, "recipe": "r", "files": {"r": format!("sha256:{digest}")}, "inputs": {},
                "outputs": outputs, "deadline": part.deadline,
            });
            if part.has_teardown {
                declared["teardown"] = json!("r");
            }
            seed["recipes"][format!("sha256:{digest}")] = json!({"text": text});
            let mut component = json!({"declaration": full, "inputs": {}});
            for (name, wire) in &part.inputs {
                let mut sources = Vec::new();
                let written = self.written(wire, &mut sources);
                let is_list = matches!(wire, Wire::List(_));
                let is_secret = sources.iter().any(|source| self.parts[*source].is_secret);
                let ty = if is_list { json!({"list": "string"}) } else { json!("string") };
                declared["inputs"][name] = json!({"type": if is_secret { json!({"secret": ty}) } else { ty }});
                component["inputs"][name] = written;
                for source in sources {
                    let entry = &mut seed["entries"][format!("{}/out", Self::full(&self.parts[source]))];
                    let mut readers: Vec<Value> = entry["readers"].as_array().cloned().unwrap_or_default();
                    let server = json!(format!("s{}", part.server));
                    if !readers.contains(&server) {
                        readers.push(server);
                    }
                    entry["readers"] = readers.into();
                }
            }
            if let (Some(least), Some(source)) = (part.least, self.read_by(part)) {
                let entry = format!("{}/out", Self::full(&self.parts[source]));
                let tested =
                    json!({"value": {"name": entry, "from": {"entry": entry}}, "test": {"length": {"min": least}}});
                let name = format!("what {full} reads");
                component["requires"] = json!([name]);
                seed["requirements"][name] = json!({"when": "run-time", "predicate": {"tested": tested}});
            }
            seed["declarations"][&full] = declared;
            seed["servers"][format!("s{}", part.server)]["components"][&part.name] = component;
        }
        // Seeds with the same digest must have the same content.
        seed["digest"] =
            json!(Sha256::digest(seed.to_string()).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        serde_json::from_value(seed).expect("a seed")
    }

    fn full(part: &Part) -> String {
        format!("s{}/{}", part.server, part.name)
    }

    /// The first component that this component reads from.
    fn read_by(&self, part: &Part) -> Option<usize> {
        let mut sources = Vec::new();
        part.inputs.values().for_each(|wire| drop(self.written(wire, &mut sources)));
        sources.first().copied()
    }

    fn written(&self, wire: &Wire, sources: &mut Vec<usize>) -> Value {
        match wire {
            Wire::Constant(number) => json!({"value": format!("v{number}")}),
            Wire::Parameter => json!({"parameter": "p"}),
            Wire::Of(source) => {
                sources.push(*source);
                json!({"entry": format!("{}/out", Self::full(&self.parts[*source]))})
            }
            Wire::Text(number, source) => {
                let entry = self.written(&Wire::Of(*source), sources);
                json!({"text": [{"value": format!("t{number}-")}, entry]})
            }
            Wire::List(items) => {
                let items: Vec<Value> = items.iter().map(|item| self.written(item, sources)).collect();
                json!({"list": items})
            }
        }
    }

    fn state(&self, parameter: &str) -> State {
        let servers = self.servers.iter().map(|server| {
            (format!("s{server}"), json!({"type": "OS::Nova::Server", "properties": {"flavor": "m1.small"}}))
        });
        let template = json!({"resources": servers.collect::<serde_json::Map<_, _>>()});
        let files = [("template.yaml".to_owned(), template.to_string())].into_iter().collect();
        let parameters = [("p".into(), parameter.into())].into_iter().collect();
        State::new(&files, parameters, Some(self.seed())).expect("a state")
    }
}

fn wire(random: &mut Chance, before: usize, may_be_list: bool) -> Wire {
    let number = u32::try_from(random.below(3)).expect("small");
    match random.below(7) {
        0 => Wire::Parameter,
        1 if may_be_list => Wire::List((0..random.below(4)).map(|_| wire(random, before, false)).collect()),
        2 | 3 if before > 0 => Wire::Text(number, random.below(before)),
        4 | 5 if before > 0 => Wire::Of(random.below(before)),
        _ => Wire::Constant(number),
    }
}

fn without(wire: &mut Wire, gone: usize) {
    match wire {
        Wire::Of(source) | Wire::Text(_, source) if *source == gone => *wire = Wire::Constant(9),
        Wire::Of(source) | Wire::Text(_, source) if *source > gone => *source -= 1,
        Wire::List(items) => items.iter_mut().for_each(|item| without(item, gone)),
        _ => {}
    }
}

type Log = Arc<Mutex<Vec<(Script, String)>>>;

/// Records each run, and writes a digest of the inputs, or a constant.
struct Fake {
    log: Log,
    passing: Arc<Mutex<BTreeMap<String, bool>>>,
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

#[async_trait]
impl Runner for Fake {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, model::Value>, Broken> {
        self.log.lock().expect("no panic").push((job.script, job.name.to_string()));
        if job.script == Script::Teardown {
            return Ok(IndexMap::default());
        }
        let mut read = BTreeMap::new();
        for name in job.component.inputs.keys() {
            // Chef recipes request inputs one by one; these request all except `in1`.
            let value = match job.inputs.get(name) {
                Some(value) => Some(value.clone()),
                None if &**name == "in1" => None,
                None => job.live.input(name).await.expect("it comes"),
            };
            read.insert(name.to_string(), value.map(|value| value.to_string()));
        }
        let passes_on = self.passing.lock().expect("no panic")[&*job.name];
        let text = if passes_on { format!("{read:?}") } else { "the same".to_owned() };
        Ok(job.component.outputs.keys().map(|name| (name.clone(), text.as_str().into())).collect())
    }
}

struct World {
    memory: Arc<Memory>,
    options: Options,
    state: TempDir,
    log: Log,
    passing: Arc<Mutex<BTreeMap<String, bool>>>,
    started: BTreeSet<Name>,
}

impl World {
    async fn apply(&mut self, case: &Case, parameter: &str) {
        let seed = case.seed();
        self.options.credentials.complete(&seed, &self.options.key);
        self.options.given.set("p", parameter.into());
        *self.passing.lock().expect("no panic") =
            case.parts.iter().map(|part| (Case::full(part), part.passes_on)).collect();
        let store: Arc<dyn Store> = self.memory.clone();
        seed::apply(&store, &seed, &self.options).await.expect("applies");
        for server in seed.servers.keys() {
            if !self.started.insert(server.clone()) {
                continue;
            }
            let credential = self.options.credentials.get(server).expect("made").clone();
            let store: Arc<dyn Store> = Arc::new(self.memory.login(&credential.logins("one", server)));
            let agent = Agent {
                space: Space::new(store, "one"),
                server: server.clone(),
                credential,
                runner: Arc::new(Fake { log: Arc::clone(&self.log), passing: Arc::clone(&self.passing) }),
                state: self.state.path().join(&**server),
                attributes: Arc::new(Fixed::default()),
                user_data: IndexMap::default(),
                limits: Limits { deadline: Duration::from_mins(1), wait: Duration::from_mins(10) },
                recent: Arc::default(),
            };
            tokio::spawn(agent.run(std::future::pending()));
        }
        // The clock advances only when nothing else happens.
        sleep(Duration::from_hours(10)).await;
    }
}

/// How many times each action was planned and done.
#[derive(Default)]
struct Count {
    said: BTreeMap<String, usize>,
    may_and_did: usize,
    demanded: BTreeMap<String, usize>,
    broken: usize,
}

fn compare(number: u64, plan: &Plan, log: &[(Script, String)], count: &mut Count, cases: &str) {
    let did = |script: Script, key: &str| log.iter().any(|(did, name)| *did == script && name == key);
    for (key, component) in &plan.components {
        let ran = did(Script::Recipe, key);
        let why = || format!("case {number}: `{key}`: {component:?}, ran: {ran}\n{}\n{cases}", plan.to_text(false));
        *count.said.entry(format!("{:?}", component.action)).or_default() += 1;
        match component.action {
            Run::Run | Run::RunAgain => assert!(ran, "{}", why()),
            Run::MayRunAgain => count.may_and_did += usize::from(ran),
            _ => assert!(!ran, "{}", why()),
        }
        assert_eq!(did(Script::Teardown, key), component.action == Run::TearDown, "{}", why());
    }
    for (_, name) in log {
        assert!(plan.components.contains_key(name.as_str()), "case {number}: `{name}` is not in the plan");
    }
}

async fn one(number: u64, count: &mut Count) {
    let mut random = Chance::new(number);
    let before = Case::new(&mut random);
    let mut after = before.clone();
    for _ in 0..random.below(4) {
        after.change(&mut random);
    }
    let parameters = ["a", if random.below(4) == 0 { "b" } else { "a" }];
    let mut world = World {
        memory: Arc::new(Memory::new()),
        options: Options::new(OperatorKey::generate()),
        state: TempDir::new().expect("a folder"),
        log: Log::default(),
        passing: Arc::default(),
        started: BTreeSet::new(),
    };
    let states = [before.state(parameters[0]), after.state(parameters[1])];
    let said = plan(Some(&states[0]), &states[1]);
    world.apply(&before, parameters[0]).await;
    assert_eq!(world.log.lock().expect("no panic").len(), before.parts.len(), "case {number}: all have run");
    world.log.lock().expect("no panic").clear();
    world.apply(&after, parameters[1]).await;
    let log = world.log.lock().expect("no panic").clone();
    compare(number, &said, &log, count, &format!("{before:#?}\n{after:#?}"));

    // Only requirements change. If one does not hold, the component fails, and nothing runs.
    let mut demanding = after.clone();
    for part in &mut demanding.parts {
        part.least = [None, Some(0), Some(1), Some(2), Some(1000)][random.below(5)];
        count.broken += usize::from(part.least == Some(1000) && after.read_by(part).is_some());
    }
    let plan = plan(Some(&states[1]), &demanding.state(parameters[1]));
    let is_other = after.seed().requirements != demanding.seed().requirements;
    assert_eq!(plan.is_empty(), !is_other, "case {number}: {}", plan.to_text(false));
    for requirement in plan.requirements.values() {
        *count.demanded.entry(format!("{:?}", requirement.action)).or_default() += 1;
    }
    assert!(plan.components.values().all(|plan| plan.action == Run::Skip), "case {number}: {}", plan.to_text(false));
    world.log.lock().expect("no panic").clear();
    world.apply(&demanding, parameters[1]).await;
    let log = world.log.lock().expect("no panic").clone();
    assert!(log.is_empty(), "case {number}: {log:?} ran, and the plan says\n{}", plan.to_text(false));
}

#[tokio::test(start_paused = true)]
async fn agents_do_what_the_plan_says() {
    let mut count = Count::default();
    let cases = if skip::everything("1940 further random changes, planned and carried out") { 2000 } else { 60 };
    for number in 0..cases {
        one(number, &mut count).await;
    }
    println!("said: {:?}; of those that may run again, {} did", count.said, count.may_and_did);
    for action in ["Run", "RunAgain", "MayRunAgain", "Skip", "TearDown", "Forget", "Gone"] {
        assert!(count.said.get(action).is_some_and(|said| *said > 0), "{action} was hardly said: {:?}", count.said);
    }
    for action in ["Unchanged", "Added", "Changed", "Removed"] {
        assert!(count.demanded.get(action).is_some_and(|said| *said > 3), "{action}: {:?}", count.demanded);
    }
    assert!(count.broken > 5, "{}", count.broken);
    assert!(count.may_and_did > 10);
}
