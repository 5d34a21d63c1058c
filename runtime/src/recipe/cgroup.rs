//! The control group of a run (`cgroups(7)`, version 2), which contains everything that a recipe starts, even detached
//! processes.
//!
//! It is created below the agent's own, if the system allows that: for root, and if the group is delegated. It limits
//! nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// How many times to try to remove a group whose last process is about to end, and the pause between attempts.
const TRIES: (u32, Duration) = (100, Duration::from_millis(5));

/// A control group.
#[derive(Debug)]
pub(super) struct Cgroup(PathBuf);

impl Cgroup {
    /// Creates a group for the run with this name; `None` if that is impossible.
    pub(super) fn make(run: &str) -> Option<Self> {
        static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();
        // A process that enters another group must be able to return.
        let own = OWN.get_or_init(|| own().filter(|own| enter(own).is_ok()));
        let path = own.as_ref()?.join(format!("wattle-{run}"));
        fs::create_dir(&path).ok()?;
        Some(Self(path))
    }

    /// Opens the group at `path`, if it still exists.
    pub(super) fn at(path: &Path) -> Option<Self> {
        path.is_dir().then(|| Self(path.to_owned()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Calls `start` from within the group, so that its processes are in it from the beginning. Also returns whether
    /// that was possible.
    ///
    /// A process moves as a whole: nothing else must be started meanwhile, which the lock ensures for recipes.
    pub(super) fn start<T>(&self, start: impl FnOnce() -> T) -> (T, bool) {
        static MOVING: Mutex<()> = Mutex::new(());
        let _moving = MOVING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_inside = enter(&self.0).is_ok();
        let started = start();
        if is_inside
            && let Some(above) = self.0.parent()
            && let Err(error) = enter(above)
        {
            tracing::warn!("the agent cannot leave the control group `{}`: {error}", self.0.display());
        }
        (started, is_inside)
    }

    /// The processes in it, except for this one.
    pub(super) fn processes(&self) -> Vec<i32> {
        let mut pids = self.all();
        pids.retain(|pid| !is_this(*pid));
        pids
    }

    fn all(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        // Zero stands for a process that is not visible from here.
        text.lines().filter_map(|line| line.parse().ok()).filter(|pid| *pid > 0).collect()
    }

    /// Kills everything in it at once, if the kernel supports that (from 5.14).
    pub(super) fn kill(&self) {
        if !self.all().into_iter().any(is_this) {
            let _ = fs::write(self.0.join("cgroup.kill"), "1");
        }
    }

    /// Removes the group. Processes that still run in it continue in the agent's own group.
    pub(super) fn dissolve(&self) {
        let above = self.0.parent().map(|above| above.join("cgroup.procs"));
        for _ in 0..TRIES.0 {
            match fs::remove_dir(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
                _ => return,
            }
            for pid in self.processes() {
                let _ = above.as_ref().map(|above| fs::write(above, pid.to_string()));
            }
            thread::sleep(TRIES.1);
        }
    }
}

fn is_this(pid: i32) -> bool {
    pid.cast_unsigned() == std::process::id()
}

/// Moves this process into a group.
fn enter(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// The group of this process.
fn own() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    find(&groups, &mounts)
}

/// The mount point of the group that `/proc/PID/cgroup` names, according to `/proc/PID/mountinfo`.
fn find(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mut mounted = mounts.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, at) = (place.next()?, place.next()?);
        kind.starts_with("cgroup2 ").then_some((root, at))
    });
    let below = |(root, at): (&str, &str)| {
        let rest = Path::new(group).strip_prefix(root).ok()?;
        Some(Path::new(at).join(rest))
    };
    mounted.find_map(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_where_it_is_mounted() {
        let groups = "4:memory:/m\n0::/system.slice/wattle-agent.service\n";
        let mounts =
            "24 1 0:5 / / rw - ext4 /dev/vda rw\n30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        assert_eq!(find(groups, mounts), Some("/sys/fs/cgroup/system.slice/wattle-agent.service".into()));
        let part = "30 23 0:26 /system.slice /part rw - cgroup2 cgroup2 rw\n";
        assert_eq!(find(groups, part), Some("/part/wattle-agent.service".into()));
        assert_eq!(find("0::/other", part), None);
        assert_eq!(find("4:memory:/m\n", mounts), None);
        assert_eq!(find(groups, ""), None);
    }
}
