//! A full disk under the journal.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;

use wattle_tests::skip::skipped;

use crate::ends::{hold, hold_once};
use crate::play::Play;
use crate::stack::Stack;

/// The prefix of the source of a disk's mount; the number of the process that created it follows.
const SOURCE: &str = "wattle-failures-";

/// A small file system for a test.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// A disk for an agent, if the tests may create one.
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        Self::of(folder, "256k")
    }

    /// A disk of this size, in the notation of `mount`.
    pub(crate) fn of(folder: &Path, size: &str) -> Option<Self> {
        remove_abandoned();
        fs::create_dir_all(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size},mode=755"), &format!("{SOURCE}{}", std::process::id())]);
        let is_there = mount.arg(folder).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_there {
            skipped("disks that are full", "it needs root, to mount small ones");
        }
        is_there.then(|| Self(folder.to_owned()))
    }

    /// Fills the disk.
    pub(crate) fn fill(&self) {
        let mut filler = fs::File::create(self.0.join("filler")).unwrap();
        for size in [1 << 20, 1 << 10] {
            let piece = vec![0; size];
            while filler.write_all(&piece).is_ok() {}
        }
    }

    /// Frees space if the disk is full.
    pub(crate) fn make_room(&self) {
        let filler = self.0.join("filler");
        if filler.exists() {
            fs::remove_file(filler).unwrap();
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}

fn unmount(folder: &Path) {
    let _ = Command::new("umount").arg("--lazy").arg(folder).stderr(Stdio::null()).status();
}

/// Removes mounts that a killed test left.
fn remove_abandoned() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        for line in mounts.lines() {
            let mut fields = line.split(' ');
            let (source, folder) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            if let Some(process) = source.strip_prefix(SOURCE)
                && !Path::new("/proc").join(process).exists()
            {
                unmount(Path::new(folder));
            }
        }
    });
}

#[test]
fn is_reported_and_nothing_is_forgotten() {
    let play = Play::of(&[
        "a/first say",
        "a/fills fill < a/first",
        "b/hears say < a/fills",
        "b/later gate",
        "a/next say < b/later",
        "b/last say < a/next",
    ]);
    let mut stack = Stack::embedded(play);
    let Some(disk) = Disk::mount(&stack.agent("a")) else { return };
    std::os::unix::fs::symlink(stack.agent("a"), stack.state("a").join("disk")).unwrap();
    let troubles = |stack: &Stack| stack.snapshot().servers["a"].troubles.join("\n");
    stack.start_all();

    // A recipe fills the disk. The agent does not publish values that it cannot write to the journal.
    stack.until("the agent says so", || troubles(&stack).contains("cannot write the journal"));
    assert!(troubles(&stack).contains("No space left on device"), "{}", troubles(&stack));
    assert!(stack.log("a").contains("cannot write the journal"), "{}", stack.log("a"));
    assert_eq!(stack.counted("ended", "a/fills"), 1);
    assert_eq!(stack.entry("a/fills/said"), None);
    assert!(stack.is_waiting("b/hears"));
    disk.make_room();
    stack.until("it goes on", || stack.is_done("b/hears") && stack.is_running("b/later"));
    stack.until("the trouble is over", || troubles(&stack).is_empty());

    // The disk is full when an agent starts, and when the next component begins.
    stack.kill("a");
    disk.fill();
    stack.start("a");
    stack.until("it waits again", || stack.log("a").matches("begins a revision").count() == 2);
    stack.open("b/later");
    stack.until("the agent says so", || troubles(&stack).contains("No space left on device"));
    assert!(!stack.is_done("a/next"));
    disk.make_room();
    stack.settle();
    hold_once(&stack, None);
    stack.until("the trouble is over", || troubles(&stack).is_empty());
}

/// The running services that a recipe has detached.
fn services(stack: &Stack) -> Vec<String> {
    let all = fs::read_to_string(stack.state("a").join("services")).unwrap_or_default();
    let runs = |pid: &&str| fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(b"sleep"));
    all.lines().filter(runs).map(str::to_owned).collect()
}

#[test]
fn a_service_is_there_once_however_late_its_recipe_s_end_is_written() {
    let mut stack = Stack::embedded(Play::of(&["a/serves serve-fill", "b/hears say < a/serves"]));
    let Some(disk) = Disk::mount(&stack.agent("a")) else { return };
    std::os::unix::fs::symlink(&disk.0, stack.state("a").join("disk")).unwrap();
    let is_unwritten =
        |stack: &Stack| stack.snapshot().servers["a"].troubles.join("\n").contains("cannot write the journal");
    stack.start_all();
    stack.until("the end cannot be written", || is_unwritten(&stack));
    let first = services(&stack);
    assert_eq!(first.len(), 1);

    // The end of the run is not recorded, so the recipe runs again, and the processes of its previous run do not
    // remain.
    stack.kill("a");
    disk.make_room();
    stack.start("a");
    stack.until("it runs again", || stack.counted("ended", "a/serves") == 2);
    stack.until("the end cannot be written", || is_unwritten(&stack));
    let second = services(&stack);
    assert!(second.len() == 1 && second != first, "{second:?} after {first:?}");

    // Once the end is recorded, the service remains, whatever happens to agents.
    let record = disk.0.join("run/serves/pid");
    let kept = fs::read(&record).unwrap();
    disk.make_room();
    stack.settle();
    hold(&stack, None);
    stack.until("nothing ends it any more", || !record.exists());
    stack.kill("a");
    // As if the agent had been killed after it recorded the end and before it removed this file.
    fs::write(&record, kept).unwrap();
    let begun = stack.log("a").matches("begins a revision").count();
    stack.start("a");
    stack.until("the last agent works", || stack.log("a").matches("begins a revision").count() > begun);
    assert_eq!(services(&stack), second);
    assert!(!record.exists());
    assert_eq!(stack.counted("begun", "a/serves"), 2);
    assert!(Command::new("kill").args(&second).status().unwrap().success());
}
