//! The processes of a run: its group, and those that they started outside of it.
//!
//! A recipe runs in its own process group, with a variable in its environment that no other run has, and in its own
//! control group if the system has them. Processes that left the process group are found in other ways: as a child
//! (`timeout`, `sudo`), by the variable (a daemon), by the control group (one that cleared its environment).

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::cgroup::Cgroup;

/// The maximum number of characters of a command in a message.
const SHOWN: usize = 120;

/// A process, distinguished from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Process {
    pub(super) pid: i32,
    /// When it was started, in clock ticks since the system booted (`proc_pid_stat(5)`, field 22).
    pub(super) started: u64,
}

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
struct Stat {
    process: Process,
    parent: i32,
    group: i32,
    ended: bool,
}

impl Process {
    /// The process that has this number now.
    pub(super) fn of(pid: i32) -> Option<Self> {
        Some(Stat::of(pid)?.process)
    }

    /// Whether it still runs.
    pub(super) fn runs(self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.process == self && !stat.ended)
    }

    /// Sends it a signal, unless it is gone.
    pub(super) fn signal(self, signal: Signal) {
        if self.runs()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            // It may have ended in between, or run as another user.
            let _ = kill_process(pid, signal);
        }
    }

    /// Its command, shortened for messages.
    pub(super) fn command(self) -> Option<String> {
        let line = fs::read(format!("/proc/{}/cmdline", self.pid)).ok()?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\0').replace(|c: char| c.is_control(), " ");
        let mut shown: String = line.chars().take(SHOWN).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        (!shown.is_empty()).then_some(shown)
    }

    /// Whether it was started with `variable` set to `value`. This is unknown for processes of other users.
    pub(super) fn has_variable(self, variable: &str, value: &str) -> bool {
        let wanted = format!("{variable}={value}");
        fs::read(format!("/proc/{}/environ", self.pid))
            .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes()))
    }
}

impl Stat {
    fn of(pid: i32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The second field is the command's name, in parentheses, and may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3);
        Some(Self {
            process: Process { pid, started: field(22)?.parse().ok()? },
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            ended: matches!(*field(3)?, "Z" | "X"),
        })
    }

    fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pid = |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
        entries.filter_map(pid).filter_map(Self::of).collect()
    }
}

/// The processes in a process group.
pub(super) fn members(group: i32) -> Vec<Process> {
    let of_group = Stat::all().into_iter().filter(|stat| stat.group == group && !stat.ended);
    of_group.map(|stat| stat.process).collect()
}

/// The processes of one run.
#[derive(Debug)]
pub(super) struct Group {
    /// The ID of its process group, which is the number of its first process.
    id: Option<i32>,
    /// The variable and the value in the environment of its processes, and of no others.
    mark: (&'static str, String),
    cgroup: Option<Cgroup>,
    // All that were ever seen: identifies a process that lost its parent.
    members: Vec<Process>,
}

impl Group {
    /// Creates the group of the processes with the environment variable `mark`, those in the process group `id` or in
    /// the `cgroup`, and everything that any of these started.
    pub(super) fn new(id: Option<i32>, mark: (&'static str, String), cgroup: Option<Cgroup>) -> Self {
        Self { id, mark, cgroup, members: Vec::new() }
    }

    /// Marks the run as over: remaining processes continue without a control group of their own.
    pub(super) fn disband(&mut self) {
        if let Some(cgroup) = self.cgroup.take() {
            cgroup.dissolve();
        }
    }

    /// The processes that run now, the youngest last.
    pub(super) fn running(&mut self) -> Vec<Process> {
        let all: Vec<Stat> = Stat::all().into_iter().filter(|stat| !stat.ended).collect();
        let mut members: Vec<Stat> = Vec::new();
        let inside = self.cgroup.as_ref().map(Cgroup::processes).unwrap_or_default();
        let (variable, value) = &self.mark;
        let marked: Vec<Process> = all
            .iter()
            .filter(|stat| Some(stat.group) != self.id && stat.process.has_variable(variable, value))
            .map(|stat| stat.process)
            .collect();
        loop {
            let belongs = |stat: &&Stat| {
                Some(stat.group) == self.id
                    || inside.contains(&stat.process.pid)
                    || marked.contains(&stat.process)
                    || self.members.contains(&stat.process)
                    || members.iter().any(|member| member.process.pid == stat.parent)
            };
            let is_new = |stat: &&Stat| !members.iter().any(|member| member.process == stat.process);
            let more: Vec<Stat> = all.iter().filter(is_new).filter(belongs).copied().collect();
            if more.is_empty() {
                break;
            }
            members.extend(more);
        }
        members.sort_by_key(|stat| (stat.process.started, stat.process.pid));
        self.members = members.into_iter().map(|stat| stat.process).collect();
        self.members.clone()
    }

    /// Sends all of them a signal, and returns whether there were any.
    pub(super) fn signal(&mut self, signal: Signal) -> bool {
        let running = self.running();
        running.iter().for_each(|process| process.signal(signal));
        !running.is_empty()
    }

    /// Kills all of them, including those that start in the meantime.
    pub(super) fn kill(&mut self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        // Each round finds fewer, unless a recipe starts processes faster than they are found.
        for _ in 0..50 {
            if !self.signal(Signal::KILL) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn a_process_is_told_from_one_with_its_number() {
        let me = Process::of(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(me.runs() && me.command().is_some());
        assert!(!Process { started: me.started + 1, ..me }.runs());
        assert_eq!(Process::of(i32::MAX), None);
    }
}
