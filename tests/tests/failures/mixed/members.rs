//! The members of a ZooKeeper under faults.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use wattle_tests::zookeeper::ZooKeeper;

use super::witness::Witness;
use super::{Health, signal};
use crate::disk::Disk;
use crate::stack::{LONG, views};

/// The number of members.
pub(super) const MEMBERS: usize = 3;

/// The message of a member that could not write to its disk and no longer serves.
const CANNOT_WRITE: &str = "Severe unrecoverable error";

/// The size of the header of a transaction log: magic number, version and database.
const LOG_HEADER: u64 = 16;

/// A ZooKeeper with three members, each with its own disk if the tests may mount disks.
pub(super) struct Ensemble {
    pub(super) zookeeper: ZooKeeper,
    disks: Vec<Disk>,
    witness: Witness,
}

impl Ensemble {
    pub(super) fn start() -> Self {
        let mut disks = Vec::new();
        let zookeeper = ZooKeeper::start_with(MEMBERS, |command, folder| {
            let data =
                (1..=MEMBERS).map_while(|member| Disk::of(&folder.join(member.to_string()).join("data"), "512m"));
            disks.extend(data);
            // The preallocated size of the transaction log, in KiB; 64 MiB would hide that a disk is full.
            command.env("ZK_CONFIG", "preAllocSize=64");
        });
        let witness = Witness::at(&zookeeper.address());
        Self { zookeeper, disks, witness }
    }

    /// Ends all members, and empties their disks.
    pub(super) fn lose_everything(&self) {
        let mut members = Members::of(self);
        (0..MEMBERS).for_each(|member| members.kill(member));
        (0..MEMBERS).for_each(|member| members.empty(member));
    }

    /// The guarantee that the ensemble has broken, if any, once all members serve again: an acknowledged write is lost,
    /// or the members disagree on a stack's desired revision.
    pub(super) fn broken_promise(&mut self, stack: &str, servers: &[String]) -> Option<String> {
        self.disks.iter().for_each(Disk::make_room);
        let mut members = Members::of(self);
        for member in 0..MEMBERS {
            members.health[member] = if members.is_gone(member) { Health::Gone } else { Health::Paused };
        }
        members.heal_all();
        let members: Vec<String> = self.zookeeper.hosts().split(',').map(str::to_owned).collect();
        self.witness.lost(&members).or_else(|| {
            let views = views(&self.zookeeper.address(), stack, servers);
            let differ = views.windows(2).any(|two| two[0].1 != two[1].1);
            differ.then(|| format!("members do not agree on the desired revision and the plans: {views:?}"))
        })
    }
}

/// The states of the members.
pub(super) struct Members<'e> {
    ensemble: &'e Ensemble,
    health: [Health; MEMBERS],
    /// How often each member has ended by itself.
    ended: [usize; MEMBERS],
}

impl<'e> Members<'e> {
    pub(super) fn of(ensemble: &'e Ensemble) -> Self {
        Self { ensemble, health: [Health::Up; MEMBERS], ended: [0; MEMBERS] }
    }

    pub(super) fn all_are_up(&self) -> bool {
        self.health.iter().all(|member| *member == Health::Up)
    }

    fn pid(&self, member: usize) -> u32 {
        fs::read_to_string(self.folder(member).join("pid")).unwrap().trim().parse().unwrap()
    }

    fn is_gone(&self, member: usize) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid(member)));
        stat.map_or(true, |stat| stat.contains(") Z "))
    }

    pub(super) fn kill(&mut self, member: usize) {
        if !self.is_gone(member) {
            self.ensemble.zookeeper.kill(member + 1);
        }
        while !self.is_gone(member) {
            sleep(Duration::from_millis(5));
        }
        self.health[member] = Health::Gone;
    }

    pub(super) fn pause(&mut self, member: usize) {
        signal("STOP", self.pid(member));
        self.health[member] = Health::Paused;
    }

    /// Fills the disk of a member; returns whether it has its own.
    pub(super) fn fill(&mut self, member: usize) -> bool {
        let Some(disk) = self.ensemble.disks.get(member) else { return false };
        disk.fill();
        self.health[member] = Health::Full;
        true
    }

    /// Heals each faulty member with some probability.
    pub(super) fn heal_some(&mut self, mut is_due: impl FnMut() -> bool) {
        for member in 0..MEMBERS {
            if self.health[member] != Health::Up && is_due() {
                self.heal(member);
            }
        }
    }

    /// Heals all members, and waits until each of them serves.
    pub(super) fn heal_all(&mut self) {
        for member in 0..MEMBERS {
            self.heal(member);
        }
        let begin = Instant::now();
        while !(1..=MEMBERS).all(|member| self.ensemble.zookeeper.serves(member)) {
            assert!(begin.elapsed() < LONG, "the members do not come back: {}", self.logs());
            self.supervise();
            sleep(Duration::from_millis(200));
        }
    }

    /// Restarts members that have ended by themselves, like systemd. A member that ends repeatedly cannot use its disk.
    /// If the reason is a transaction log that could not be started because the disk was full, the log is empty, and is
    /// deleted. Otherwise, as the book says, the member starts with an empty disk once the others are running.
    pub(super) fn supervise(&mut self) {
        for member in 0..MEMBERS {
            if self.health[member] != Health::Up || !self.is_gone(member) {
                continue;
            }
            self.ended[member] += 1;
            println!("member {} ended by itself: {}", member + 1, self.last_error(member));
            let others_serve =
                || (0..MEMBERS).filter(|other| *other != member).all(|other| self.ensemble.zookeeper.serves(other + 1));
            if self.ended[member] > 2 {
                if self.has_removed_logs_without_a_header(member) {
                    println!("member {} begins without a log that was never begun", member + 1);
                    self.ended[member] = 0;
                } else if others_serve() {
                    println!("member {} begins with an empty disk", member + 1);
                    self.empty(member);
                    self.ended[member] = 0;
                }
            }
            self.ensemble.zookeeper.start_again(member + 1);
        }
    }

    /// ZooKeeper does not start with such a log. It cannot contain a transaction, so nothing is lost with it.
    fn has_removed_logs_without_a_header(&self, member: usize) -> bool {
        let entries = fs::read_dir(self.data(member)).unwrap().map(Result::unwrap);
        let logs = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("log."));
        let lacking = logs.filter(|entry| entry.metadata().unwrap().len() < LOG_HEADER);
        lacking.map(|entry| fs::remove_file(entry.path()).unwrap()).count() > 0
    }

    fn empty(&self, member: usize) {
        fs::remove_dir_all(self.data(member)).unwrap();
    }

    fn data(&self, member: usize) -> PathBuf {
        self.folder(member).join("data/version-2")
    }

    fn folder(&self, member: usize) -> PathBuf {
        self.ensemble.zookeeper.dir().join((member + 1).to_string())
    }

    fn log(&self, member: usize) -> String {
        String::from_utf8_lossy(&fs::read(self.folder(member).join("log")).unwrap_or_default()).into_owned()
    }

    fn logs(&self) -> String {
        (0..MEMBERS).map(|member| format!("-- {member}\n{}", self.log(member))).collect()
    }

    /// The last error in the log of a member, and its first cause.
    fn last_error(&self, member: usize) -> String {
        let log = self.log(member);
        let last = log.rfind(" ERROR ").map_or(&*log, |at| &log[log[..at].rfind('\n').unwrap_or(0)..]);
        last.lines().filter(|line| !line.starts_with("\tat ")).take(6).collect::<Vec<_>>().join(" | ")
    }

    fn heal(&mut self, member: usize) {
        if self.health[member] == Health::Full {
            self.ensemble.disks[member].make_room();
            let times = self.log(member).matches(CANNOT_WRITE).count();
            println!("member {} had no room: {times} times in its log, gone: {}", member + 1, self.is_gone(member));
            // Even with free space, a member recovers only after a restart.
            if !self.is_gone(member) {
                self.kill(member);
            }
            self.health[member] = Health::Gone;
        }
        match self.health[member] {
            Health::Up | Health::Full => {}
            Health::Paused => signal("CONT", self.pid(member)),
            Health::Gone => self.ensemble.zookeeper.start_again(member + 1),
        }
        self.health[member] = Health::Up;
    }
}

/// If both disks were full, this happens to two members at once, and then neither can start with an empty disk.
#[test]
fn two_members_with_a_log_that_was_never_begun_come_back() {
    let ensemble = Ensemble::start();
    let mut members = Members::of(&ensemble);
    for member in [0, 1] {
        members.kill(member);
        fs::write(members.data(member).join("log.100000000"), "").unwrap();
    }
    members.heal_all();
}
