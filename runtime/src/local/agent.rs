//! The agent of one server: a process on this machine, restarted when it dies.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::log_file;

use super::environment;
use super::processes::{self, RUN, STATE_DIR};

/// How long to wait before restarting an agent that died: doubled each time, up to the second value.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// After this time, an agent counts as running.
const STEADY: Duration = Duration::from_mins(1);

/// How to start the agent of a server.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// The server's name in messages.
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// The command prefix that enters the server's network and file system.
    pub(super) wrapper: Vec<OsString>,
    /// Variables of the agent's environment.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Further options, besides those for paths.
    pub(super) options: Vec<OsString>,
    /// The server's folder, with its identity.
    pub(super) home: PathBuf,
    /// The folder for the agent's memory and the recipes' own state.
    pub(super) kept: PathBuf,
    /// Whether the environment is that of a service on a server, rather than this process's.
    pub(super) is_clean: bool,
    /// The source of the server's knowledge about itself.
    pub(super) knows: Knows,
}

/// The source, in its folder, of a server's knowledge about itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Knows {
    /// Its attributes.
    Attributes,
    /// OpenStack's metadata.
    Metadata,
}

impl Knows {
    /// The option for its path, and its file name.
    pub(super) fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Attributes => ("--attributes", "attributes.json"),
            Self::Metadata => ("--metadata", "metadata"),
        }
    }
}

/// The state of the agents that one process keeps running.
#[derive(Debug, Default)]
pub(super) struct Kept {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pids: HashSet<i32>,
    is_ending: bool,
    notes: Vec<String>,
}

impl Kept {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("INVARIANT: nothing panics while it holds the state")
    }

    /// Stops restarting agents that end.
    pub(super) fn let_end(&self) {
        self.state().is_ending = true;
    }

    /// The process IDs of the agents.
    pub(super) fn pids(&self) -> HashSet<i32> {
        self.state().pids.clone()
    }

    /// Adds log lines.
    pub(super) fn note(&self, notes: impl IntoIterator<Item = String>) {
        self.state().notes.extend(notes);
    }

    /// The log lines since the last call.
    pub(super) fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state().notes)
    }
}

/// Keeps the agent of one server running.
#[derive(Debug)]
pub(super) struct Keeper {
    task: JoinHandle<()>,
    ends: watch::Sender<bool>,
}

impl Keeper {
    /// Starts the agent, and keeps it running until it ends because there is nothing left to do.
    pub(super) fn start(launch: Launch, kept: Arc<Kept>) -> Self {
        let (ends, ending) = watch::channel(false);
        Self { task: tokio::spawn(keep(launch, kept, ending)), ends }
    }

    /// Whether the agent has ended for good.
    pub(super) fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Ends the agent, with everything that it has started in `home`, and does not restart it. Returns the number of
    /// processes that had to be killed.
    pub(super) async fn shut(self, home: &Path, kept: &Kept) -> usize {
        self.ends.send_replace(true);
        let ended = self.ended();
        tokio::pin!(ended);
        let mut forced = 0;
        loop {
            // Again, in case it was about to start.
            forced += processes::end_those_of(home, || kept.pids()).await;
            tokio::select! {
                () = &mut ended => return forced,
                () = tokio::time::sleep(PAUSE.0) => {}
            }
        }
    }

    /// Completes when the agent has ended for good.
    pub(super) async fn ended(self) {
        let Self { task, ends } = self;
        let _ = task.await;
        drop(ends);
    }
}

async fn keep(launch: Launch, kept: Arc<Kept>, mut ends: watch::Receiver<bool>) {
    let mut pause = PAUSE.0;
    loop {
        let begin = Instant::now();
        let what = match spawn(&launch) {
            Ok(child) => match wait(child, &kept).await {
                Some(status) if status.success() => return,
                Some(status) => format!("ended ({status})"),
                None => "is gone".into(),
            },
            Err(error) => format!("cannot be started: {error}"),
        };
        if begin.elapsed() > STEADY {
            pause = PAUSE.0;
        }
        if *ends.borrow() || kept.state().is_ending {
            return;
        }
        kept.note([format!(
            "the agent of {} {what}, and is started again in {}s; see {}",
            launch.name,
            pause.as_secs(),
            log(&launch.home).display()
        )]);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = ends.wait_for(|ends| *ends) => return,
        }
        pause = (pause * 2).min(PAUSE.1);
        if kept.state().is_ending {
            return;
        }
    }
}

fn log(home: &Path) -> PathBuf {
    home.join("agent.log")
}

async fn wait(mut child: Child, kept: &Kept) -> Option<std::process::ExitStatus> {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
    if let Some(pid) = pid {
        kept.state().pids.insert(pid);
    }
    let status = child.wait().await.ok();
    if let Some(pid) = pid {
        kept.state().pids.remove(&pid);
    }
    status
}

fn spawn(launch: &Launch) -> io::Result<Child> {
    let [home, kept] = [std::path::absolute(&launch.home)?, std::path::absolute(&launch.kept)?];
    let path = log(&home);
    let (knows, facts) = launch.knows.place();
    // For output before the agent has a log of its own, and for panics.
    let output = log_file::append(&path)?;
    let mut words: Vec<OsString> = launch.wrapper.clone();
    words.push(launch.program.clone().into());
    let (program, before) = words.split_first().expect("INVARIANT: the program is one of them");
    let mut command = Command::new(program);
    command
        .args(before)
        .arg("agent")
        .arg("--identity")
        .arg(home.join("identity.json"))
        .arg(knows)
        .arg(home.join(facts))
        .arg("--state")
        .arg(kept.join("agent"))
        .arg("--log")
        .arg(path)
        .args(&launch.options)
        .current_dir(&home);
    if launch.is_clean {
        environment::clean(&mut command);
    }
    command
        .env(STATE_DIR, kept.join("state"))
        .envs(launch.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        // Ctrl-C is for the parent process, which then ends the agents in order.
        .process_group(0);
    for variable in RUN {
        command.env_remove(variable);
    }
    // Recipes call `wattle get` and `wattle set`.
    if let Some(directory) = launch.program.parent() {
        let path =
            if launch.is_clean { environment::PATH.into() } else { std::env::var_os("PATH").unwrap_or_default() };
        let paths = std::env::split_paths(&path).chain([directory.to_owned()]);
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
    }
    command.spawn()
}
