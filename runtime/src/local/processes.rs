//! Finds and ends processes of this machine, based on `/proc` (proc(5)).

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// The variable that names a recipe's own folder on this machine.
pub const STATE_DIR: &str = "WATTLE_STATE_DIR";
/// The variables that identify the stack and the calling recipe to commands. A new process must not inherit another
/// one's.
pub const RUN: [&str; 6] = ["WATTLE_SPACE", "WATTLE_CA", "WATTLE_STACK", "WATTLE_KEY", "WATTLE_SOCKET", "WATTLE_TOKEN"];

/// A process. Two with the same ID differ in their start times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) pid: i32,
    parent: i32,
    pub(super) began: u64,
    is_dead: bool,
    has_no_terminal: bool,
}

/// The signals that end a process, with the time to wait before the next one. A service may take one of the first two
/// as a request to end at once, and the other as one to wait for its clients, as PostgreSQL does.
const REQUESTS: [(Signal, Duration); 3] = [
    (Signal::TERM, Duration::from_secs(4)),
    (Signal::INT, Duration::from_secs(6)),
    (Signal::KILL, Duration::from_secs(5)),
];

/// All processes.
pub(super) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(of).collect()
}

/// The process with this ID, if there is one.
pub(super) fn of(pid: i32) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: i32, stat: &str) -> Option<Process> {
    // The command's name is in parentheses and may itself contain some.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let has_no_terminal = fields.nth(2)? == "0";
    let began = fields.nth(14)?.parse().ok()?;
    Some(Process { pid, parent, began, is_dead: matches!(state, "Z" | "X"), has_no_terminal })
}

/// The processes of `all` that descend from one of `roots`, parents first.
fn descendants(all: &[Process], roots: &HashSet<i32>) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found = Vec::new();
    let mut seen = roots.clone();
    let mut next: Vec<i32> = roots.iter().copied().collect();
    while let Some(parent) = next.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if seen.insert(child.pid) {
                found.push(*child);
                next.push(child.pid);
            }
        }
    }
    found
}

/// Makes this process the parent of descendants that lose their own, such as services that recipes start.
pub(super) fn adopt_orphans() -> Result<(), rustix::io::Errno> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
}

/// Reaps adopted orphans that have died. Those in `kept` are left to the code that waits for them.
pub(super) fn bury(kept: &HashSet<i32>) {
    let own = rustix::process::getpid().as_raw_pid();
    for process in all() {
        if process.parent == own && process.is_dead && !kept.contains(&process.pid) {
            let _ = waitpid(Pid::from_raw(process.pid), WaitOptions::NOHANG);
        }
    }
}

/// Ends all descendants of this process except for those in `spared`, and everything that `also` returns, gracefully at
/// first. `is_hurried` returns whether to kill them at once. Returns the number of those that were killed.
pub(super) async fn end_all(
    also: impl Fn(&[Process]) -> Vec<Process>,
    spared: &HashSet<i32>,
    is_hurried: impl Fn() -> bool,
) -> usize {
    end(also, spared, is_hurried, true, HashSet::new).await
}

/// Ends these processes. Dead children in `kept` are left to the code that waits for them.
async fn end(
    also: impl Fn(&[Process]) -> Vec<Process>,
    spared: &HashSet<i32>,
    is_hurried: impl Fn() -> bool,
    descendants_too: bool,
    kept: impl Fn() -> HashSet<i32>,
) -> usize {
    let own = rustix::process::getpid().as_raw_pid();
    let mut forced = 0;
    for (signal, patience) in REQUESTS {
        if is_hurried() && signal != Signal::KILL {
            continue;
        }
        let mut signalled: HashSet<(i32, u64)> = HashSet::new();
        let begin = Instant::now();
        loop {
            bury(&kept());
            let all = all();
            let mut roots: HashSet<i32> = also(&all).into_iter().map(|process| process.pid).collect();
            let others = roots.clone();
            if descendants_too {
                roots.insert(own);
            }
            let mut left = descendants(&all, &roots);
            left.extend(all.iter().filter(|process| others.contains(&process.pid)));
            left.retain(|process| !process.is_dead && process.pid != own && !spared.contains(&process.pid));
            if left.is_empty() {
                return forced;
            }
            let pids: HashSet<i32> = left.iter().map(|process| process.pid).collect();
            for process in &left {
                // A service ends its own children, so only SIGKILL is sent to all of them.
                let is_first = !pids.contains(&process.parent);
                if (is_first || signal == Signal::KILL) && signalled.insert((process.pid, process.began)) {
                    forced += usize::from(signal == Signal::KILL);
                    send(process, signal);
                }
            }
            if begin.elapsed() > patience || (is_hurried() && signal != Signal::KILL) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    forced
}

fn send(process: &Process, signal: Signal) {
    // Its ID may belong to another process by now.
    if of(process.pid).is_some_and(|now| now.began == process.began)
        && let Some(pid) = Pid::from_raw(process.pid)
    {
        let _ = kill_process(pid, signal);
    }
}

/// The processes that still run below the folder `servers`, which may be that of all servers or of one: processes with
/// a server's folder in their environment, and services, which may have overwritten theirs, but have the folder in
/// their arguments and no terminal.
pub(super) fn left_behind(all: &[Process], servers: &Path) -> Vec<Process> {
    let own = rustix::process::getpid().as_raw_pid();
    // With a trailing slash: `web` is another server than `web1`.
    let mark = &[servers.as_os_str().as_encoded_bytes(), b"/"].concat();
    let is_there = |text: &[u8], mark: &[u8]| text.windows(mark.len()).any(|part| part == mark);
    let read = |pid: i32, file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let variable = [STATE_DIR.as_bytes(), b"=", mark].concat();
    let is_ours = |process: &&Process| {
        process.pid != own
            && (is_there(&read(process.pid, "environ"), &variable)
                || (process.has_no_terminal && is_there(&read(process.pid, "cmdline"), mark)))
    };
    all.iter().filter(is_ours).copied().collect()
}

/// The processes that a killed `up` has left behind and that still run.
pub(super) fn left_behind_of(servers: &Path) -> Vec<Process> {
    left_behind(&all(), servers).into_iter().filter(|process| !process.is_dead).collect()
}

/// Ends the processes that a killed `up` has left behind. Returns their number.
pub(super) async fn end_left_behind(servers: &Path) -> usize {
    let found = left_behind_of(servers).len();
    end(|all| left_behind(all, servers), &HashSet::new(), || false, false, HashSet::new).await;
    found
}

/// Ends the processes on the server with the folder `home`. Dead children in `kept` are left to the code that waits for
/// them. Returns the number of processes that were killed.
pub(super) async fn end_those_of(home: &Path, kept: impl Fn() -> HashSet<i32>) -> usize {
    end(|all| left_behind(all, home), &HashSet::new(), || false, false, kept).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_proc_is_read_whatever_the_name() {
        let fields = "S 7 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 0 0";
        let process = parse(8, &format!("8 (a) b (c) {fields}")).unwrap();
        assert_eq!((process.parent, process.began, process.is_dead, process.has_no_terminal), (7, 4711, false, true));
        assert!(of(std::process::id().cast_signed()).is_some());
    }

    #[test]
    fn descendants_come_after_whom_they_descend_from() {
        let process = |pid, parent| Process { pid, parent, began: 0, is_dead: false, has_no_terminal: true };
        let all = [process(5, 4), process(4, 2), process(2, 1), process(3, 1), process(1, 0)];
        let found: Vec<i32> = descendants(&all, &HashSet::from([2])).into_iter().map(|p| p.pid).collect();
        assert_eq!(found, [4, 5]);
    }
}
