//! Handles the processes of a run that remain when the agent is killed.
//!
//! The file `pid` exists in a run directory from before a recipe is started until its end is in the journal. Found
//! later, it identifies the processes that may still run: a recipe whose end is not recorded runs again, and its
//! detached processes would exist twice. A process is identified by its number and start time, or by a variable in its
//! environment that no other run has: never by its number alone, which another process may have by now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cgroup::Cgroup;
use super::group::{self, Group, Process};

/// The variable that identifies a run's processes.
pub(super) const RUN: &str = "WATTLE_RUN";

/// The file `pid`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// The boot of the machine: process numbers have no meaning after a reboot.
    boot: String,
    /// The value of [`RUN`].
    pub(super) run: String,
    /// The first process of the group, once it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leader: Option<Process>,
    /// Its control group, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cgroup: Option<PathBuf>,
}

impl Record {
    /// Describes a run that is about to start.
    pub(super) fn new() -> io::Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let run = wattle_agent_core::hex(&random);
        Ok(Self { boot: boot(), run, leader: None, cgroup: None })
    }

    /// Sets its control group.
    pub(super) fn inside(&mut self, cgroup: &Cgroup) {
        self.cgroup = Some(cgroup.path().to_owned());
    }

    /// The mark by which its processes are identified.
    pub(super) fn mark(&self) -> (&'static str, String) {
        (RUN, self.run.clone())
    }

    /// Records that the recipe has started.
    pub(super) fn started(&mut self, pid: i32) {
        self.leader = Process::of(pid);
    }

    /// Writes it, completely or not at all.
    pub(super) fn write(&self, directory: &Path) -> io::Result<()> {
        let new = directory.join("pid.new");
        fs::write(&new, serde_json::to_vec(self)?)?;
        fs::rename(new, directory.join("pid"))
    }

    /// Removes the file: remaining processes may stay.
    pub(super) fn remove(directory: &Path) {
        let _ = fs::remove_file(directory.join("pid"));
    }

    fn end(&self) {
        if self.boot != boot() {
            return;
        }
        // While a process group has members its number is not given to a new process; but all of it may have ended, and
        // the number gone to another.
        let id = self.leader.filter(|leader| leader.runs() || self.has_member(leader.pid)).map(|leader| leader.pid);
        let mut group = Group::new(id, self.mark(), self.cgroup.as_deref().and_then(Cgroup::at));
        group.kill();
        group.disband();
    }

    /// Whether the process group has a member of this run.
    fn has_member(&self, group: i32) -> bool {
        group::members(group).into_iter().any(|process| process.has_variable(RUN, &self.run))
    }
}

/// Ends the remaining processes of a run in `directory` whose end is not recorded, with everything that it has started.
/// Call it before the component runs again, and for a component that will not run again.
///
/// # Errors
/// The directory cannot be read.
pub fn end(directory: &Path) -> io::Result<()> {
    let Some(text) = read(directory)? else { return Ok(()) };
    if let Ok(record) = serde_json::from_slice::<Record>(&text) {
        record.end();
    }
    Record::remove(directory);
    super::directory::remove(directory);
    Ok(())
}

/// Lets the remaining processes of the run in `directory` stay. Call it once the end of the run is recorded.
///
/// # Errors
/// The directory cannot be read.
pub fn settle(directory: &Path) -> io::Result<()> {
    let Some(text) = read(directory)? else { return Ok(()) };
    let record = serde_json::from_slice::<Record>(&text).ok();
    if let Some(cgroup) = record.and_then(|record| record.cgroup) {
        Group::new(None, (RUN, String::new()), Cgroup::at(&cgroup)).disband();
    }
    Record::remove(directory);
    Ok(())
}

fn read(directory: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(directory.join("pid")) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// An identifier of this boot of the machine.
pub(crate) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}
