//! A machine on which an agent acts for a server. A server may get another one while the first one still runs.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

use crate::clock::Clock;
use crate::disk::Disk;

/// A folder that represents a machine, and the agent on it. On drop, all of its processes end.
pub(crate) struct Machine {
    folder: PathBuf,
    agent: Option<Child>,
    /// The disk of the agent's folder, if the folder has its own.
    pub(crate) disk: Option<Disk>,
    /// The clock of its agent, if the agent has its own.
    pub(crate) clock: Option<Clock>,
}

impl Machine {
    /// An empty machine in its own folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(folder.join("state")).unwrap();
        Self { folder, agent: None, disk: None, clock: None }
    }

    /// Puts the agent's folder on a small disk, if possible.
    pub(crate) fn have_disk(&mut self) {
        self.disk = Disk::mount(&self.agent());
    }

    /// Gives the agent its own clock, if possible.
    pub(crate) fn have_clock(&mut self) {
        self.clock = Clock::new(self.folder.join("clock"));
    }

    /// Writes the server's identity.
    pub(crate) fn identify(&self, identity: &Json) {
        fs::write(self.folder.join("identity.json"), identity.to_string()).unwrap();
    }

    /// Copies the identity of another machine, and the gates that are open there.
    pub(crate) fn take_after(&self, other: &Self) {
        fs::copy(other.folder.join("identity.json"), self.folder.join("identity.json")).unwrap();
        for file in fs::read_dir(other.state()).unwrap().flatten() {
            if file.file_name().to_str().is_some_and(|name| name.starts_with("gate-")) {
                fs::write(self.state().join(file.file_name()), "").unwrap();
            }
        }
    }

    /// The folder in which its recipes record their runs.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// The folder of its agent.
    pub(crate) fn agent(&self) -> PathBuf {
        self.folder.join("agent")
    }

    /// The log of its agents.
    pub(crate) fn log(&self) -> String {
        let bytes = fs::read(self.folder.join("agent.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Starts its agent with a command that takes the arguments of `wattle`.
    pub(crate) fn start(&mut self, mut command: Command, limits: &[String]) {
        let log: File = OpenOptions::new().create(true).append(true).open(self.folder.join("agent.log")).unwrap();
        command.args(["agent", "--identity"]).arg(self.folder.join("identity.json"));
        command.arg("--state").arg(self.agent()).args(limits);
        command.env("WATTLE_STATE_DIR", self.state()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if let Some(clock) = &self.clock {
            clock.rule(&mut command);
        }
        let before = self.agent.replace(command.spawn().unwrap());
        assert!(before.is_none(), "it runs already");
    }

    /// Kills its agent with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let mut agent = self.agent.take().expect("it runs");
        assert!(agent.try_wait().unwrap().is_none(), "the agent ended by itself:\n{}", self.log());
        agent.kill().unwrap();
        agent.wait().unwrap();
    }

    /// Ends its agent as systemd does, and waits until it has ended.
    pub(crate) fn end(&mut self) {
        let mut agent = self.agent.take().expect("it runs");
        let asked = Command::new("kill").args(["-TERM", &agent.id().to_string()]).status().unwrap();
        assert!(asked.success() && agent.wait().unwrap().success(), "{}", self.log());
    }

    /// Whether its agent has ended with an error, so that systemd would restart it.
    pub(crate) fn has_failed(&mut self) -> bool {
        let ended = self.agent.as_mut().and_then(|agent| agent.try_wait().unwrap());
        let has_failed = ended.is_some_and(|status| !status.success());
        if has_failed {
            self.agent = None;
        }
        has_failed
    }

    /// The process of its agent, while it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.agent.as_ref().map(Child::id)
    }

    /// Pauses all of its processes.
    pub(crate) fn pause(&self) {
        fs::write(self.folder.join("paused"), "").unwrap();
        self.signal("STOP");
    }

    /// Resumes all of its processes.
    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    /// Processes that ran here while something ran on another machine of the same server, if neither machine was ever
    /// paused.
    pub(crate) fn beside(&self) -> String {
        fs::read_to_string(self.state().join("beside")).unwrap_or_default()
    }

    fn signal(&self, signal: &str) {
        for pid in processes_in(&self.folder) {
            let _ = Command::new("kill").args([&format!("-{signal}"), &pid]).stderr(Stdio::null()).status();
        }
    }

    /// Ends all of its processes, like deleting a machine.
    pub(crate) fn destroy(&mut self) {
        if let Some(mut agent) = self.agent.take() {
            let _ = agent.kill();
            let _ = agent.wait();
        }
        // A recipe may have started a process since the last search.
        while !processes_in(&self.folder).is_empty() {
            self.signal("KILL");
        }
    }

    /// The journal: the kind of each line, and its subject.
    pub(crate) fn journal(&self) -> Vec<(String, Json)> {
        let text = fs::read(self.agent().join("journal")).unwrap_or_default();
        wattle_tests::journal::records(&text)
    }

    /// The number of times that the recipe of a component reached a point: `begun`, `ended`.
    pub(crate) fn counted(&self, point: &str, name: &str) -> usize {
        let text = fs::read_to_string(self.state().join(point)).unwrap_or_default();
        text.lines().filter(|line| *line == name).count()
    }

    /// Whether a recipe runs that has recorded its start.
    pub(crate) fn is_busy(&self) -> bool {
        let lines = |point: &str| fs::read_to_string(self.state().join(point)).map_or(0, |text| text.lines().count());
        lines("begun") > lines("ended")
    }

    /// Opens the gate at which a component with the act `gate` waits.
    pub(crate) fn open(&self, name: &str) {
        fs::write(self.state().join(format!("gate-{name}")), "").unwrap();
    }
}

/// However a test ends, ends all agents, and recipes whose agents were killed.
impl Drop for Machine {
    fn drop(&mut self) {
        self.destroy();
    }
}

/// Processes of agents and recipes with their state below `folder`.
pub(super) fn processes_in(folder: &Path) -> Vec<String> {
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
