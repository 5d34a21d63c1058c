//! An applied stack, and the agents of its servers.

mod machine;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::runtime::Handle;
use wattle::model::Name;
use wattle_runtime::report::StackSnapshot;
use wattle_runtime::seed::{Applied, Credentials, Options, admit, apply, write_operator_key};
use wattle_runtime::space::{Content, DesiredRevision, OperatorKey, Space, State, Status};
use wattle_runtime::store::Address;
use wattle_runtime::store::embedded::Server;
use wattle_tests::command::wattle;
use wattle_tests::running;
use wattle_tests::seeds::seed;

use crate::play::Play;

pub(crate) use machine::Machine;

/// The timeout of everything here, long enough for any machine.
pub(crate) const LONG: Duration = Duration::from_mins(3);

/// A stack and its agents, which end on drop.
pub(crate) struct Stack {
    pub(crate) play: Play,
    pub(crate) name: String,
    /// The machines of each server: the last one is current, the others were replaced.
    machines: BTreeMap<String, Vec<Machine>>,
    pub(crate) dir: TempDir,
    pub(crate) space: Space,
    pub(crate) address: String,
    pub(crate) credentials: Credentials,
    limits: Vec<String>,
    _server: Option<Server>,
}

/// The operator's key of a data space that several stacks of a test share.
pub(crate) fn key() -> &'static OperatorKey {
    static KEY: OnceLock<OperatorKey> = OnceLock::new();
    KEY.get_or_init(OperatorKey::generate)
}

/// Runs connections and embedded stores in the background, while a test sleeps.
pub(crate) fn runtime() -> &'static Handle {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        handle
    })
}

/// The numbers of the desired revision and of the plans, in the order of the servers; `None` if there is no answer.
pub(crate) type View = Option<Vec<u64>>;

/// The view of a stack at each member of a ZooKeeper.
pub(crate) fn views(address: &str, name: &str, servers: &[String]) -> Vec<(String, View)> {
    let view = |host: &str| {
        let address: Address = format!("zookeeper://{host}").parse().unwrap();
        let look = async {
            let store = address.connect(&[key().login()]).await.ok()?;
            let space = Space::new(store, name);
            let mut numbers = vec![space.desired_revision().await.ok()??.revision];
            for server in servers {
                numbers.push(space.plan(server).await.ok()?.map_or(0, |plan| plan.revision));
            }
            Some(numbers)
        };
        let view = runtime().block_on(async { tokio::time::timeout(Duration::from_secs(20), look).await });
        (host.to_owned(), view.ok().flatten())
    };
    address.strip_prefix("zookeeper://").into_iter().flat_map(|hosts| hosts.split(',')).map(view).collect()
}

impl Stack {
    /// The play `play` as the stack `name` at `address`; no agent runs yet.
    pub(crate) fn at(address: &str, name: &str, play: Play) -> Self {
        let dir = tempfile::Builder::new().prefix("failures-").tempdir().unwrap();
        Self::apply(dir, None, address, name, play)
    }

    /// The play `play` on its own embedded store.
    pub(crate) fn embedded(play: Play) -> Self {
        let dir = tempfile::Builder::new().prefix("failures-").tempdir().unwrap();
        let (socket, log, operator) =
            (dir.path().join("run/socket"), dir.path().join("log"), key().login().principal());
        let server = runtime().block_on(Server::start(&socket, &log, &operator)).unwrap();
        let address = format!("unix:{}", socket.display());
        Self::apply(dir, Some(server), &address, "failures", play)
    }

    fn apply(dir: TempDir, server: Option<Server>, address: &str, name: &str, play: Play) -> Self {
        let store = runtime().block_on(async {
            let store = address.parse::<Address>().unwrap().connect(&[key().login()]).await;
            store.unwrap()
        });
        write_operator_key(&dir.path().join("operator.key"), key()).unwrap();
        let machine = |server: String| {
            let machine = Machine::new(dir.path().join("servers").join(&server));
            (server, vec![machine])
        };
        let mut stack = Self {
            space: Space::new(store, name),
            name: name.to_owned(),
            machines: play.servers().into_iter().map(machine).collect(),
            play,
            dir,
            address: address.to_owned(),
            credentials: Credentials::new(),
            limits: Vec::new(),
            _server: server,
        };
        stack.credentials = stack.apply_as(false).credentials;
        for server in stack.play.servers() {
            stack.identify(&server, address);
        }
        stack
    }

    /// Applies the play to the data space.
    fn apply_as(&self, again: bool) -> Applied {
        let seed = seed(&self.play.model());
        let mut options = Options::new(key().clone());
        options.stack = Some(self.name.clone());
        options.credentials = self.credentials.clone();
        options.again = again;
        options.given.set("word", self.play.word.as_str().into());
        self.ask(apply(self.space.store(), &seed, &options)).unwrap()
    }

    /// Applies another revision of the current state, and returns its number.
    pub(crate) fn apply_again(&self) -> u64 {
        self.apply_as(true).revision
    }

    /// Admits replaced servers, as the operator who has replaced them would; returns the revision.
    pub(crate) fn admit(&self, servers: &[Name]) -> u64 {
        self.ask(admit(self.space.store(), &self.name, key(), servers)).unwrap().revision
    }

    /// Sets limits of components, as options of the agent: `--deadline 3s`.
    pub(crate) fn limits(mut self, limits: &[&str]) -> Self {
        self.limits = limits.iter().map(|&limit| limit.to_owned()).collect();
        self
    }

    /// Tells a server the address of the data space.
    pub(crate) fn identify(&self, server: &str, address: &str) {
        let credential = self.credentials.get(server).unwrap().expose();
        let identity = json!({ "stack": self.name, "server": server, "space": address, "credential": credential });
        self.machine(server).identify(&identity);
    }

    /// The current machine of a server.
    pub(crate) fn machine(&self, server: &str) -> &Machine {
        self.machines[server].last().unwrap()
    }

    /// The current machine of a server, mutable.
    pub(crate) fn machine_mut(&mut self, server: &str) -> &mut Machine {
        self.machines.get_mut(server).and_then(|machines| machines.last_mut()).expect("there is such a server")
    }

    /// All machines of a server, the current one last.
    pub(crate) fn machines(&self, server: &str) -> &[Machine] {
        &self.machines[server]
    }

    /// Replaced machines, which may still run.
    pub(crate) fn former(&mut self) -> impl Iterator<Item = &mut Machine> {
        self.machines.values_mut().flat_map(|machines| {
            let (_, former) = machines.split_last_mut().unwrap();
            former
        })
    }

    /// Gives a server another, empty machine. The first one continues.
    pub(crate) fn replace(&mut self, server: &str) {
        let machines = self.machines.get_mut(server).unwrap();
        let folder = self.dir.path().join("servers").join(format!("{server}.{}", machines.len()));
        let mut machine = Machine::new(folder);
        let before = machines.last().unwrap();
        machine.take_after(before);
        if before.disk.is_some() {
            machine.have_disk();
        }
        if before.clock.is_some() {
            machine.have_clock();
        }
        machines.push(machine);
        self.start(server);
    }

    /// The folder in which the recipes of a server record their runs.
    pub(crate) fn state(&self, server: &str) -> PathBuf {
        self.machine(server).state()
    }

    /// The folder of a server's agent.
    pub(crate) fn agent(&self, server: &str) -> PathBuf {
        self.machine(server).agent()
    }

    /// The log of a server's agents.
    pub(crate) fn log(&self, server: &str) -> String {
        self.machines(server).iter().map(Machine::log).collect::<Vec<_>>().join("-- its next machine\n")
    }

    pub(crate) fn start_all(&mut self) {
        for server in self.play.servers() {
            self.start(&server);
        }
    }

    pub(crate) fn start(&mut self, server: &str) {
        self.start_by(server, Command::new(wattle()));
    }

    /// Starts an agent with a command that takes the arguments of `wattle`.
    pub(crate) fn start_by(&mut self, server: &str, command: Command) {
        let limits = self.limits.clone();
        self.machine_mut(server).start(command, &limits);
    }

    /// Kills a server's agent with SIGKILL.
    pub(crate) fn kill(&mut self, server: &str) {
        self.machine_mut(server).kill();
    }

    /// Ends a server's agent as systemd does, and waits until it has ended.
    pub(crate) fn end(&mut self, server: &str) {
        self.machine_mut(server).end();
    }

    /// The process of a server's agent.
    pub(crate) fn pid(&self, server: &str) -> u32 {
        self.machine(server).pid().expect("it runs")
    }

    /// The processes of its agents and recipes.
    pub(crate) fn processes(&self) -> Vec<String> {
        machine::processes_in(self.dir.path())
    }

    /// Opens the gate at which a component with the act `gate` waits.
    pub(crate) fn open(&self, component: &str) {
        let (server, name) = component.split_once('/').unwrap();
        self.machines(server).iter().for_each(|machine| machine.open(name));
    }

    /// Runs a query of the data space, which must answer.
    pub(crate) fn ask<T>(&self, what: impl Future<Output = T>) -> T {
        let asked = runtime().block_on(async { tokio::time::timeout(LONG, what).await });
        asked.unwrap_or_else(|_| panic!("the data space does not answer\n{}", self.logs()))
    }

    pub(crate) fn snapshot(&self) -> StackSnapshot {
        self.ask(StackSnapshot::read(&self.space, None)).unwrap()
    }

    /// The desired revision.
    pub(crate) fn desired_revision(&self) -> DesiredRevision {
        self.ask(self.space.desired_revision()).unwrap().expect("it was applied")
    }

    pub(crate) fn status(&self, component: &str) -> Option<Status> {
        self.ask(self.space.status(component)).unwrap()
    }

    pub(crate) fn is_running(&self, component: &str) -> bool {
        matches!(self.status(component), Some(Status { state: State::Running, .. }))
    }

    pub(crate) fn is_waiting(&self, component: &str) -> bool {
        matches!(self.status(component), Some(Status { state: State::Waiting(_), .. }))
    }

    pub(crate) fn is_done(&self, component: &str) -> bool {
        matches!(self.status(component), Some(Status { state: State::Done, .. }))
    }

    /// The content of an entry.
    pub(crate) fn entry(&self, entry: &str) -> Option<Content> {
        self.ask(self.space.peek(entry)).unwrap().map(|written| written.content)
    }

    /// Waits until a condition holds.
    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < LONG, "not in time: {what}\n{}\n{}\n{}", self.why(), self.views(), self.logs());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until every component has ended.
    pub(crate) fn settle(&self) {
        self.until("everything has ended", || self.snapshot().tally().is_over());
    }

    /// The journal of a server: the kind of each line, and its subject.
    pub(crate) fn journal(&self, server: &str) -> Vec<(String, Json)> {
        self.machine(server).journal()
    }

    /// The number of times that the recipe of a component reached a point: `begun`, `ended`.
    pub(crate) fn counted(&self, point: &str, component: &str) -> usize {
        let (server, name) = component.split_once('/').unwrap();
        self.machine(server).counted(point, name)
    }

    /// The output of `wattle status --why`.
    pub(crate) fn why(&self) -> String {
        let mut command = Command::new(wattle());
        command.args(["status", "--why", "--space", &self.address, "--stack", &self.name, "--key"]);
        command.arg(self.dir.path().join("operator.key"));
        let ran = running::to_its_end(&mut command);
        format!("{}{}", ran.out, ran.err)
    }

    /// The desired revision and the plans at each member of ZooKeeper, which must agree.
    fn views(&self) -> String {
        let views = views(&self.address, &self.name, &self.play.servers());
        let line = |(host, view): &(String, View)| {
            format!("{host}: the desired revision and the plans have the numbers {view:?}\n")
        };
        views.iter().map(line).collect()
    }

    /// The logs of all agents.
    pub(crate) fn logs(&self) -> String {
        let log = |server: String| format!("-- {server}\n{}", self.log(&server));
        self.play.servers().into_iter().map(log).collect()
    }
}
