//! The members of a ZooKeeper, and faults in them.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use wattle_tests::zookeeper::ZooKeeper;

use super::witness::Witness;
use super::{Health, signal};
use crate::disk::Disk;
use crate::stack::{LONG, views};

/// How many there are.
pub(super) const MEMBERS: usize = 3;

/// What a member says that could not write to its disk, and serves nobody any more.
const CANNOT_WRITE: &str = "Severe unrecoverable error";

/// How many bytes a log of transactions begins with before the first one: mark, version and database.
const LOG_HEADER: u64 = 16;

/// A ZooKeeper of three, each with a disk of its own where the tests may mount some.
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
            // As much is taken ahead for the log of transactions, in KiB; 64 MiB would hide that a disk is full.
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

    /// Which promise of its own the ensemble has broken, once all members serve again: what was answered is lost, or they
    /// do not agree on what a stack is to do.
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
            differ.then(|| format!("members do not agree on the goal and the plans: {views:?}"))
        })
    }
}

/// How they are.
pub(super) struct Members<'e> {
    ensemble: &'e Ensemble,
    health: [Health; MEMBERS],
    /// How often each has ended by itself.
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

    /// Fills the disk of a member; whether it has one of its own.
    pub(super) fn fill(&mut self, member: usize) -> bool {
        let Some(disk) = self.ensemble.disks.get(member) else { return false };
        disk.fill();
        self.health[member] = Health::Full;
        true
    }

    /// Each that is not well becomes so with some chance.
    pub(super) fn heal_some(&mut self, mut is_due: impl FnMut() -> bool) {
        for member in 0..MEMBERS {
            if self.health[member] != Health::Up && is_due() {
                self.heal(member);
            }
        }
    }

    /// Heals all, and waits until each of them serves.
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

    /// Starts members again that have ended by themselves, as systemd does. One that does so again and again has found on
    /// its disk what it cannot go on with. If that is a log of transactions that a full disk kept from being begun, it
    /// holds nothing, and goes. Otherwise, as the book says, the member begins with an empty disk when the others are there.
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

    /// ZooKeeper does not start with such a log, in which there is room for no transaction.
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

    /// What the log of a member says last of an error, and the first cause of it.
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
            // Whoever makes room starts it again: it does not come back by itself.
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

/// That happens to two members at once if both had no room, and then neither can begin with an empty disk.
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
