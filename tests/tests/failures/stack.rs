//! A stack that is applied, and the agents of its servers.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::runtime::Handle;
use wattle_runtime::report::Picture;
use wattle_runtime::seed::{Credentials, Options, apply, write_operator_key};
use wattle_runtime::space::{Content, OperatorKey, Space, State, Status};
use wattle_runtime::store::Address;
use wattle_runtime::store::embedded::Server;
use wattle_tests::command::wattle;
use wattle_tests::running;
use wattle_tests::seeds::seed;

use crate::play::Play;

/// Nothing here takes longer unless it hangs, however busy the machine is.
pub(crate) const LONG: Duration = Duration::from_mins(3);

/// A stack and its agents, which are gone when it is dropped.
pub(crate) struct Stack {
    pub(crate) play: Play,
    pub(crate) name: String,
    pub(crate) dir: TempDir,
    pub(crate) space: Space,
    address: String,
    credentials: Credentials,
    agents: BTreeMap<String, Child>,
    limits: Vec<String>,
    _server: Option<Server>,
}

/// The operator of a data space that several stacks of a test share.
pub(crate) fn key() -> &'static OperatorKey {
    static KEY: OnceLock<OperatorKey> = OnceLock::new();
    KEY.get_or_init(OperatorKey::generate)
}

/// What works for connections and embedded stores in the background, while a test sleeps.
fn runtime() -> &'static Handle {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        handle
    })
}

impl Stack {
    /// `play` as the stack `name` at `address`; no agent runs yet.
    pub(crate) fn at(address: &str, name: &str, play: Play) -> Self {
        let dir = tempfile::Builder::new().prefix("failures-").tempdir().unwrap();
        Self::apply(dir, None, address, name, play)
    }

    /// The same on an embedded store of its own.
    pub(crate) fn embedded(play: Play) -> Self {
        let dir = tempfile::Builder::new().prefix("failures-").tempdir().unwrap();
        let (socket, log, operator) =
            (dir.path().join("run/socket"), dir.path().join("log"), key().login().principal());
        let server = runtime().block_on(Server::start(&socket, &log, &operator)).unwrap();
        let address = format!("unix:{}", socket.display());
        Self::apply(dir, Some(server), &address, "failures", play)
    }

    fn apply(dir: TempDir, server: Option<Server>, address: &str, name: &str, play: Play) -> Self {
        let seed = seed(&play.model());
        let mut options = Options::new(key().clone());
        options.stack = Some(name.to_owned());
        let applied = runtime().block_on(async {
            let store = address.parse::<Address>().unwrap().connect(&[key().login()]).await.unwrap();
            let applied = apply(&store, &seed, &options).await.unwrap();
            (store, applied.credentials)
        });
        let (store, credentials) = applied;
        write_operator_key(&dir.path().join("operator.key"), key()).unwrap();
        let stack = Self {
            space: Space::new(store, name),
            name: name.to_owned(),
            play,
            dir,
            address: address.to_owned(),
            credentials,
            agents: BTreeMap::new(),
            limits: Vec::new(),
            _server: server,
        };
        for server in stack.play.servers() {
            fs::create_dir_all(stack.state(&server)).unwrap();
            stack.identify(&server, address);
        }
        stack
    }

    /// Limits of components, as the agent takes them: `--deadline 3s`.
    pub(crate) fn limits(mut self, limits: &[&str]) -> Self {
        self.limits = limits.iter().map(|&limit| limit.to_owned()).collect();
        self
    }

    /// Tells a server that the data space is at `address`.
    pub(crate) fn identify(&self, server: &str, address: &str) {
        let credential = self.credentials.get(server).unwrap().expose();
        let identity = json!({ "stack": self.name, "server": server, "space": address, "credential": credential });
        fs::write(self.folder(server).join("identity.json"), identity.to_string()).unwrap();
    }

    fn folder(&self, server: &str) -> PathBuf {
        self.dir.path().join("servers").join(server)
    }

    /// Where the recipes of a server keep what they count.
    pub(crate) fn state(&self, server: &str) -> PathBuf {
        self.folder(server).join("state")
    }

    /// The folder of a server's agent.
    pub(crate) fn agent(&self, server: &str) -> PathBuf {
        self.folder(server).join("agent")
    }

    /// What a server's agents have logged.
    pub(crate) fn log(&self, server: &str) -> String {
        let bytes = fs::read(self.folder(server).join("agent.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn start_all(&mut self) {
        for server in self.play.servers() {
            self.start(&server);
        }
    }

    pub(crate) fn start(&mut self, server: &str) {
        self.start_by(server, Command::new(wattle()));
    }

    /// Starts an agent by a command that takes the arguments of `wattle`.
    pub(crate) fn start_by(&mut self, server: &str, mut command: Command) {
        let log: File =
            OpenOptions::new().create(true).append(true).open(self.folder(server).join("agent.log")).unwrap();
        command.args(["agent", "--identity"]).arg(self.folder(server).join("identity.json"));
        command.arg("--state").arg(self.agent(server)).args(&self.limits);
        command.env("WATTLE_STATE_DIR", self.state(server)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let before = self.agents.insert(server.to_owned(), command.spawn().unwrap());
        assert!(before.is_none(), "it runs already");
    }

    /// `kill -9` of a server's agent.
    pub(crate) fn kill(&mut self, server: &str) {
        let mut agent = self.agents.remove(server).expect("it runs");
        assert!(agent.try_wait().unwrap().is_none(), "the agent ended by itself:\n{}", self.log(server));
        agent.kill().unwrap();
        agent.wait().unwrap();
    }

    /// Asks a server's agent to end, as systemd does, and waits until it has.
    pub(crate) fn end(&mut self, server: &str) {
        let mut agent = self.agents.remove(server).expect("it runs");
        let asked = Command::new("kill").args(["-TERM", &agent.id().to_string()]).status().unwrap();
        assert!(asked.success() && agent.wait().unwrap().success(), "{}", self.log(server));
    }

    /// The process of a server's agent.
    pub(crate) fn pid(&self, server: &str) -> u32 {
        self.agents[server].id()
    }

    /// The processes of its agents and recipes.
    pub(crate) fn processes(&self) -> Vec<String> {
        processes_in(self.dir.path())
    }

    /// Makes another revision of what is there.
    pub(crate) fn apply_again(&self) {
        let mut options = Options::new(key().clone());
        options.stack = Some(self.name.clone());
        options.credentials = self.credentials.clone();
        options.again = true;
        self.ask(apply(self.space.store(), &seed(&self.play.model()), &options)).unwrap();
    }

    /// Lets a component end whose act is `gate`.
    pub(crate) fn open(&self, component: &str) {
        let (server, name) = component.split_once('/').unwrap();
        fs::write(self.state(server).join(format!("gate-{name}")), "").unwrap();
    }

    /// Runs something that asks the data space, which answers.
    pub(crate) fn ask<T>(&self, what: impl Future<Output = T>) -> T {
        let asked = runtime().block_on(async { tokio::time::timeout(LONG, what).await });
        asked.unwrap_or_else(|_| panic!("the data space does not answer\n{}", self.logs()))
    }

    pub(crate) fn picture(&self) -> Picture {
        self.ask(Picture::read(&self.space, None)).unwrap()
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

    /// What an entry holds.
    pub(crate) fn entry(&self, entry: &str) -> Option<Content> {
        self.ask(self.space.peek(entry)).unwrap().map(|written| written.content)
    }

    /// Waits until something is so.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < LONG, "not in time: {what}\n{}", self.logs());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until every component has ended.
    pub(crate) fn settle(&self) {
        self.until("everything has ended", || self.picture().tally().is_over());
    }

    /// What the journal of a server says: the kind of each line, and what it is about.
    pub(crate) fn journal(&self, server: &str) -> Vec<(String, Json)> {
        let text = fs::read(self.agent(server).join("journal")).unwrap_or_default();
        wattle_tests::journal::records(&text)
    }

    /// How often the recipe of a component came so far: `begun`, `ended`.
    pub(crate) fn counted(&self, point: &str, component: &str) -> usize {
        let (server, name) = component.split_once('/').unwrap();
        let text = fs::read_to_string(self.state(server).join(point)).unwrap_or_default();
        text.lines().filter(|line| *line == name).count()
    }

    /// What `wattle status --why` says.
    pub(crate) fn why(&self) -> String {
        let mut command = Command::new(wattle());
        command.args(["status", "--why", "--space", &self.address, "--stack", &self.name, "--key"]);
        command.arg(self.dir.path().join("operator.key"));
        let ran = running::to_its_end(&mut command);
        format!("{}{}", ran.out, ran.err)
    }

    /// What all agents have logged.
    pub(crate) fn logs(&self) -> String {
        let log = |server: String| format!("-- {server}\n{}", self.log(&server));
        self.play.servers().into_iter().map(log).collect()
    }
}

/// However a test ends, nothing of it goes on: neither agents nor recipes whose agents were killed.
impl Drop for Stack {
    fn drop(&mut self) {
        for agent in self.agents.values_mut() {
            let _ = agent.kill();
            let _ = agent.wait();
        }
        for pid in processes_in(self.dir.path()) {
            let _ = Command::new("kill").args(["-KILL", &pid]).stderr(Stdio::null()).status();
        }
    }
}

/// Processes of recipes that keep their state below `folder`.
fn processes_in(folder: &Path) -> Vec<String> {
    let mark = format!("WATTLE_STATE_DIR={}/", folder.display());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| {
        pid.parse::<u32>().is_ok()
            && fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes())))
    })
    .collect()
}
