//! The disk of the journal is full.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wattle_tests::skip::skipped;

use crate::ends::hold_once;
use crate::play::Play;
use crate::stack::Stack;

/// A small file system.
struct Disk(PathBuf);

impl Disk {
    fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k,mode=755", "wattle-failures"]).arg(folder);
        let is_there = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_there {
            skipped("a journal on a disk that is full", "it needs root, to mount a small one");
        }
        is_there.then(|| Self(folder.to_owned()))
    }

    fn fill(&self) {
        let mut filler = fs::File::create(self.0.join("filler")).unwrap();
        while filler.write_all(&[0; 1024]).is_ok() {}
    }

    fn make_room(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn is_told_and_nothing_is_forgotten() {
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
    std::os::unix::fs::symlink(&disk.0, stack.state("a").join("disk")).unwrap();
    let troubles = |stack: &Stack| stack.picture().servers["a"].troubles.join("\n");
    stack.start_all();

    // A recipe fills it. What the journal cannot take is not published.
    stack.until("the agent says so", || troubles(&stack).contains("cannot write the journal"));
    assert!(troubles(&stack).contains("No space left on device"), "{}", troubles(&stack));
    assert!(stack.log("a").contains("cannot write the journal"), "{}", stack.log("a"));
    assert_eq!(stack.counted("ended", "a/fills"), 1);
    assert_eq!(stack.entry("a/fills/said"), None);
    assert!(stack.is_waiting("b/hears"));
    disk.make_room();
    stack.until("it goes on", || stack.is_done("b/hears") && stack.is_running("b/later"));
    stack.until("the trouble is over", || troubles(&stack).is_empty());

    // It is full when an agent starts, and when the next component begins.
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
