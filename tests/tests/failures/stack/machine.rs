//! A machine on which an agent acts for a server. A server may get another one while the first still runs.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

use crate::clock::Clock;
use crate::disk::Disk;

/// A folder that stands for a machine, and the agent on it. When it is dropped, nothing of it runs.
pub(crate) struct Machine {
    folder: PathBuf,
    agent: Option<Child>,
    /// What the agent's folder lies on, if not on the disk of the tests.
    pub(crate) disk: Option<Disk>,
    /// What tells its agent the time, if not the clock of the tests.
    pub(crate) clock: Option<Clock>,
}

impl Machine {
    /// One without anything on it, in a folder of its own.
    pub(crate) fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(folder.join("state")).unwrap();
        Self { folder, agent: None, disk: None, clock: None }
    }

    /// Puts the agent's folder on a small disk, where that can be had.
    pub(crate) fn have_disk(&mut self) {
        self.disk = Disk::mount(&self.agent());
    }

    /// Gives the agent a clock of its own, where that can be had.
    pub(crate) fn have_clock(&mut self) {
        self.clock = Clock::new(self.folder.join("clock"));
    }

    /// Tells it who the server is.
    pub(crate) fn identify(&self, identity: &Json) {
        fs::write(self.folder.join("identity.json"), identity.to_string()).unwrap();
    }

    /// The same as another machine is told, and what the recipes there wait for.
    pub(crate) fn take_after(&self, other: &Self) {
        fs::copy(other.folder.join("identity.json"), self.folder.join("identity.json")).unwrap();
        for file in fs::read_dir(other.state()).unwrap().flatten() {
            if file.file_name().to_str().is_some_and(|name| name.starts_with("gate-")) {
                fs::write(self.state().join(file.file_name()), "").unwrap();
            }
        }
    }

    /// Where its recipes keep what they count.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// The folder of its agent.
    pub(crate) fn agent(&self) -> PathBuf {
        self.folder.join("agent")
    }

    /// What its agents have logged.
    pub(crate) fn log(&self) -> String {
        let bytes = fs::read(self.folder.join("agent.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Starts its agent by a command that takes the arguments of `wattle`.
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

    /// `kill -9` of its agent.
    pub(crate) fn kill(&mut self) {
        let mut agent = self.agent.take().expect("it runs");
        assert!(agent.try_wait().unwrap().is_none(), "the agent ended by itself:\n{}", self.log());
        agent.kill().unwrap();
        agent.wait().unwrap();
    }

    /// Asks its agent to end, as systemd does, and waits until it has.
    pub(crate) fn end(&mut self) {
        let mut agent = self.agent.take().expect("it runs");
        let asked = Command::new("kill").args(["-TERM", &agent.id().to_string()]).status().unwrap();
        assert!(asked.success() && agent.wait().unwrap().success(), "{}", self.log());
    }

    /// Whether its agent has ended by itself, and with an error, so that systemd starts it again.
    pub(crate) fn has_failed(&mut self) -> bool {
        let ended = self.agent.as_mut().and_then(|agent| agent.try_wait().unwrap());
        let has_failed = ended.is_some_and(|status| !status.success());
        if has_failed {
            self.agent = None;
        }
        has_failed
    }

    /// The process of its agent, while that runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.agent.as_ref().map(Child::id)
    }

    /// Stops all of its processes.
    pub(crate) fn pause(&self) {
        fs::write(self.folder.join("paused"), "").unwrap();
        self.signal("STOP");
    }

    /// Lets all of its processes go on.
    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    /// What ran here while something of the same server ran on another machine, neither of which was ever paused.
    pub(crate) fn beside(&self) -> String {
        fs::read_to_string(self.state().join("beside")).unwrap_or_default()
    }

    fn signal(&self, signal: &str) {
        for pid in processes_in(&self.folder) {
            let _ = Command::new("kill").args([&format!("-{signal}"), &pid]).stderr(Stdio::null()).status();
        }
    }

    /// Ends all of its processes, as a machine is deleted.
    pub(crate) fn destroy(&mut self) {
        if let Some(mut agent) = self.agent.take() {
            let _ = agent.kill();
            let _ = agent.wait();
        }
        // A recipe may have begun something since they were looked for.
        while !processes_in(&self.folder).is_empty() {
            self.signal("KILL");
        }
    }

    /// What the journal says: the kind of each line, and what it is about.
    pub(crate) fn journal(&self) -> Vec<(String, Json)> {
        let text = fs::read(self.agent().join("journal")).unwrap_or_default();
        wattle_tests::journal::records(&text)
    }

    /// How often the recipe of a component came so far: `begun`, `ended`.
    pub(crate) fn counted(&self, point: &str, name: &str) -> usize {
        let text = fs::read_to_string(self.state().join(point)).unwrap_or_default();
        text.lines().filter(|line| *line == name).count()
    }

    /// Whether something runs that has begun by the words of its recipe.
    pub(crate) fn is_busy(&self) -> bool {
        let lines = |point: &str| fs::read_to_string(self.state().join(point)).map_or(0, |text| text.lines().count());
        lines("begun") > lines("ended")
    }

    /// Lets a component end whose act is `gate`.
    pub(crate) fn open(&self, name: &str) {
        fs::write(self.state().join(format!("gate-{name}")), "").unwrap();
    }
}

/// However a test ends, nothing of it goes on: neither agents nor recipes whose agents were killed.
impl Drop for Machine {
    fn drop(&mut self) {
        self.destroy();
    }
}

/// Processes of agents and recipes that keep their state below `folder`.
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
