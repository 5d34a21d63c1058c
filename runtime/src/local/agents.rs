//! One agent a server, each a process of its own, which is started again when it dies.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use wattle::model::Name;

use crate::log_file;

use super::folder::Folder;
use super::processes::{self, RUN, STATE_DIR};

/// How long to wait before an agent that died is started again: twice as long each time, up to the second of these.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// After this time an agent counts as one that runs.
const STEADY: Duration = Duration::from_mins(1);

/// How agents are started.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) program: PathBuf,
    /// What comes before the program, by server: what leads into its network.
    pub(super) wrapper: HashMap<Name, Vec<OsString>>,
    /// What is set in their environment.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Options besides those that tell where everything is.
    pub(super) options: Vec<OsString>,
    pub(super) folder: Folder,
}

/// The agents.
#[derive(Debug)]
pub(super) struct Agents {
    keepers: HashMap<Name, JoinHandle<()>>,
    /// What ends the software of servers that have left.
    clearing: HashMap<Name, JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pids: HashSet<i32>,
    is_ending: bool,
    notes: Vec<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds the state")
    }
}

impl Agents {
    pub(super) fn new() -> Self {
        Self { keepers: HashMap::new(), clearing: HashMap::new(), shared: Arc::default() }
    }

    /// Of servers that are not among `servers` any more, waits until their agents have torn down what is to be torn down, and ends
    /// what runs there then: OpenStack would delete them.
    pub(super) fn let_go(&mut self, folder: &Folder, servers: &[Name]) {
        let gone: Vec<Name> = self.keepers.keys().filter(|name| !servers.contains(name)).cloned().collect();
        for server in gone {
            if let Some(keeper) = self.keepers.remove(&server) {
                let clear = clear(keeper, folder.clone(), server.clone(), Arc::clone(&self.shared));
                self.clearing.insert(server, tokio::spawn(clear));
            }
        }
    }

    /// Servers that have left and of which nothing runs any more, each once.
    pub(super) fn cleared(&mut self) -> Vec<Name> {
        let over = |(server, clearing): (&Name, &JoinHandle<()>)| clearing.is_finished().then(|| server.clone());
        let cleared: Vec<Name> = self.clearing.iter().filter_map(over).collect();
        self.clearing.retain(|server, _| !cleared.contains(server));
        cleared
    }

    /// Whether something may still run on a server of this name that has left.
    pub(super) fn is_clearing(&self, server: &Name) -> bool {
        self.clearing.contains_key(server)
    }

    /// Whether a server that has left is clear since this was asked for by [`Agents::cleared`].
    pub(super) fn has_cleared(&self) -> bool {
        self.clearing.values().any(JoinHandle::is_finished)
    }

    /// Starts the agents of those servers that have none.
    pub(super) fn start<'n>(&mut self, launch: &Launch, servers: impl IntoIterator<Item = &'n Name>) {
        for server in servers {
            let is_kept = self.keepers.get(server).is_some_and(|keeper| !keeper.is_finished());
            if !is_kept {
                let keeper = keep(launch.clone(), server.clone(), Arc::clone(&self.shared));
                self.keepers.insert(server.clone(), tokio::spawn(keeper));
            }
        }
    }

    /// From now on, an agent that ends stays so.
    pub(super) fn let_end(&self) {
        self.shared.state().is_ending = true;
    }

    /// Their processes.
    pub(super) fn pids(&self) -> HashSet<i32> {
        self.shared.state().pids.clone()
    }

    /// What has happened to them since this was asked last, each in one line.
    pub(super) fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().notes)
    }
}

/// Keeps the agent of one server running, until it ends because there is nothing left to do.
async fn keep(launch: Launch, server: Name, shared: Arc<Shared>) {
    let mut pause = PAUSE.0;
    loop {
        let begin = Instant::now();
        let what = match spawn(&launch, &server) {
            Ok(child) => match wait(child, &shared).await {
                Some(status) if status.success() => return,
                Some(status) => format!("ended ({status})"),
                None => "is gone".into(),
            },
            Err(error) => format!("cannot be started: {error}"),
        };
        if begin.elapsed() > STEADY {
            pause = PAUSE.0;
        }
        {
            let mut state = shared.state();
            if state.is_ending {
                return;
            }
            let log = launch.folder.server(&server).join("agent.log");
            state.notes.push(format!(
                "the agent of {server} {what}, and is started again in {}s; see {}",
                pause.as_secs(),
                log.display()
            ));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE.1);
        if shared.state().is_ending {
            return;
        }
    }
}

/// Ends what the recipes of a server that has left have started, once its agent has nothing left to do.
async fn clear(keeper: JoinHandle<()>, folder: Folder, server: Name, shared: Arc<Shared>) {
    let _ = keeper.await;
    let home = folder.server(&server);
    let home = std::path::absolute(&home).unwrap_or(home);
    let forced = processes::end_those_of(&home, || shared.state().pids.clone()).await;
    // Should it come back, it is another machine: nothing counts as finished there.
    let state = home.join("agent");
    let forgotten = crate::agent::forget_finished(&state);
    let mut notes = vec![match forced {
        0 => format!("{server} has left: what ran there is ended"),
        1 => format!("{server} has left: what ran there is ended, 1 process by force"),
        many => format!("{server} has left: what ran there is ended, {many} processes by force"),
    }];
    if let Err(error) = forgotten {
        notes.push(format!("cannot use `{}`: {error}", state.display()));
    }
    shared.state().notes.append(&mut notes);
}

async fn wait(mut child: Child, shared: &Shared) -> Option<std::process::ExitStatus> {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
    if let Some(pid) = pid {
        shared.state().pids.insert(pid);
    }
    let status = child.wait().await.ok();
    if let Some(pid) = pid {
        shared.state().pids.remove(&pid);
    }
    status
}

fn spawn(launch: &Launch, server: &Name) -> io::Result<Child> {
    let home = launch.folder.server(server);
    let home = std::path::absolute(home)?;
    let path = home.join("agent.log");
    // For what is said before the agent has a log of its own, and by a panic.
    let log = log_file::append(&path)?;
    let mut words: Vec<OsString> = launch.wrapper.get(server).cloned().unwrap_or_default();
    words.push(launch.program.clone().into());
    let (program, before) = words.split_first().expect("INVARIANT: the program is one of them");
    let mut command = Command::new(program);
    command
        .args(before)
        .arg("agent")
        .arg("--identity")
        .arg(home.join("identity.json"))
        .arg("--attributes")
        .arg(home.join("attributes.json"))
        .arg("--state")
        .arg(home.join("agent"))
        .arg("--log")
        .arg(path)
        .args(&launch.options)
        .current_dir(&home)
        .env(STATE_DIR, home.join("state"))
        .envs(launch.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        // Ctrl-C is for whoever keeps the agents, who then ends them in order.
        .process_group(0);
    for variable in RUN {
        command.env_remove(variable);
    }
    // Recipes call `wattle get` and `wattle set`.
    if let Some(directory) = launch.program.parent() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::split_paths(&path).chain([directory.to_owned()]);
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
    }
    command.spawn()
}
