//! Bugs that are put in by hand, each into a copy of the workspace: the simulation finds them all.
//!
//! It takes a build for each, and is run by `cargo test -p wattle-agent-core --test mutants -- --ignored --nocapture`.
//! `WATTLE_MUTANT` chooses one by its name.

#![allow(clippy::unwrap_used, reason = "it is a test, with functions of its own")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bug.
struct Mutant {
    name: &'static str,
    /// File, what is right in it, and what is wrong.
    edits: &'static [(&'static str, &'static str, &'static str)],
}

const MUTANTS: [Mutant; 20] = [
    Mutant {
        name: "publishes what it has not written down",
        edits: &[(
            "src/machine/running.rs",
            "component.phase = Phase::Ending(Box::new(End::Done(outputs)));\n                cx.record(record, After::Finished(place));",
            "cx.record(record, After::Nothing);\n                self.publish(cx, place, End::Done(outputs));",
        )],
    },
    Mutant {
        name: "forgets what was published early when it starts again",
        edits: &[("src/memory.rs", "std::mem::take(&mut before.early)", "IndexMap::default()")],
    },
    Mutant {
        name: "runs again what has finished",
        edits: &[(
            "src/machine/component.rs",
            ".filter(|finished| finished.fingerprint == fingerprint)?",
            ".filter(|_| fingerprint.is_empty())?",
        )],
    },
    Mutant {
        name: "takes a value of an older revision",
        edits: &[(
            "src/request/read.rs",
            "Ordering::Less => Ok(None),\n            Ordering::Equal => Ok(Some(written.content)),",
            "Ordering::Less | Ordering::Equal => Ok(Some(written.content)),",
        )],
    },
    Mutant {
        // Two fences are before it: without the first one alone, it begins for ever.
        name: "begins before it has its place",
        edits: &[
            (
                "src/machine/mod.rs",
                "if !self.is_claimed || !matches!(self.stage, Stage::Idle) {",
                "if !matches!(self.stage, Stage::Idle) {",
            ),
            ("src/machine/mod.rs", "if is_stopped || !self.is_claimed || ", "if is_stopped || "),
        ],
    },
    Mutant {
        name: "does not look at its entries first",
        edits: &[(
            "src/machine/work.rs",
            "component.peeks += component.planned.outputs.len();\n        for output in component.planned.outputs.keys() {",
            "for output in component.planned.outputs.keys().take(0) {",
        )],
    },
    Mutant {
        name: "begins although its entries are of a newer revision",
        edits: &[("src/machine/starting.rs", "Seen::Newer => component.is_superseded = true,", "Seen::Newer => {}")],
    },
    Mutant {
        name: "goes to the next revision before what runs has ended",
        edits: &[(
            "src/machine/mod.rs",
            "Stage::Working(work) if work.is_over() && work.is_superseded =>",
            "Stage::Working(work) if work.is_superseded =>",
        )],
    },
    Mutant {
        // Two fences are before it: one alone is enough.
        name: "begins what waited although there is a newer revision",
        edits: &[
            (
                "src/machine/work.rs",
                "match &self.components[place].phase {\n                Phase::Turn(_)",
                "match &self.components[place].phase {\n                Phase::Waiting(_) => {}\n                Phase::Turn(_)",
            ),
            (
                "src/machine/starting.rs",
                "if self.is_superseded {\n            return self.end(cx, place, Outcome::Abandoned);",
                "if false {\n            return self.end(cx, place, Outcome::Abandoned);",
            ),
        ],
    },
    Mutant {
        name: "counts waiting as running",
        edits: &[(
            "src/machine/run.rs",
            "self.clock.excused += uptime.saturating_sub(since);",
            "let _ = (uptime, since);",
        )],
    },
    Mutant {
        // Two fences are before it: one alone is enough.
        name: "runs what has failed and could not write that down",
        edits: &[
            (
                "src/machine/starting.rs",
                "Some(failure) => self.fails(cx, place, failure, None),\n                    None =>",
                "Some(_) | None =>",
            ),
            (
                "src/machine/starting.rs",
                "if let Some(failure) = component.failed_before() {",
                "if let Some(failure) = component.failed_before().filter(|_| false) {",
            ),
        ],
    },
    Mutant {
        name: "takes a lost answer for success",
        edits: &[
            (
                "tests/simulation/call.rs",
                "*looks = false;\n            }\n            Kind::Get",
                "*looks = was_sent;\n            }\n            Kind::Get",
            ),
            (
                "tests/simulation/call.rs",
                ".filter(|node| node.data == *data && node.count == expected.count + 1)",
                ".filter(|_| !data.is_empty() && expected.count >= 0)",
            ),
        ],
    },
    Mutant {
        name: "forgets that a wait ends",
        edits: &[("src/machine/wait.rs", "Stage::Patient => Some(self.end),", "Stage::Patient => None,")],
    },
    Mutant {
        name: "takes the plan of another data space for its own",
        edits: &[(
            "src/request/follow.rs",
            "let is_led_to = plan.space == goal.space && plan.revision <= goal.revision;",
            "let is_led_to = plan.revision <= goal.revision;",
        )],
    },
    Mutant {
        name: "begins what no goal has come to",
        edits: &[("src/request/follow.rs", "plan.revision <= goal.revision;", "plan.revision <= goal.revision + 1;")],
    },
    Mutant {
        name: "does not look again at a plan that was seen before the goal",
        edits: &[(
            "src/request/follow.rs",
            "(self.is_news(plan) && is_led_to && is_it)",
            "(self.is_news(plan) && is_led_to)",
        )],
    },
    Mutant {
        name: "expects its own revision of everybody",
        edits: &[(
            "src/plan.rs",
            ".map_or(self.revision, |writer| writer.revision)",
            ".map_or(self.revision, |_| self.revision)",
        )],
    },
    Mutant {
        name: "lets a plan stand although what it reads from does not",
        edits: &[(
            "src/planning/standing.rs",
            "readers.copied().filter(|reader| moved.insert((*reader).clone()))",
            "readers.copied().filter(|_| false)",
        )],
    },
    Mutant {
        name: "lets a plan stand that expects what was never written",
        edits: &[(
            "src/planning/standing.rs",
            "there.is_some_and(|there| expected(there) && ",
            "there.is_some_and(|there| (expected(there) || true) && ",
        )],
    },
    Mutant {
        name: "begins while it cannot know whether it was replaced",
        edits: &[("src/machine/starting.rs", "if !cx.in_touch || component.peeks > 0 {", "if component.peeks > 0 {")],
    },
];

/// Schedules within which each is to be found.
const MOST: u64 = 100_000;

/// Copies what the workspace is built of.
fn copy(workspace: &Path, to: &Path) {
    let files = Command::new("git").args(["ls-files", "-z"]).current_dir(workspace).output().unwrap();
    assert!(files.status.success(), "git does not say what the workspace is");
    for file in String::from_utf8(files.stdout).unwrap().split('\0').filter(|file| !file.is_empty()) {
        let Ok(bytes) = fs::read(workspace.join(file)) else { continue };
        let path = to.join(file);
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Runs the simulation in the copy; gives the schedule that fails.
fn simulate(copy: &Path) -> Option<u64> {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--package", "wattle-agent-core", "--test", "simulation", "--", "--nocapture"])
        .env("WATTLE_SCHEDULES", MOST.to_string())
        .env("CARGO_TARGET_DIR", copy.join("target"))
        .current_dir(copy)
        .output()
        .unwrap();
    if output.status.success() {
        return None;
    }
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find_map(|line| line.strip_prefix("schedule ")?.split_once(" (WATTLE_SEED"));
    let (seed, what) = line.unwrap_or_else(|| panic!("the simulation does not run:\n{text}"));
    println!("    {}", what.split_once("): ").map_or(what, |(_, what)| what).chars().take(160).collect::<String>());
    Some(seed.parse().unwrap())
}

/// Puts the bug into the text of a file.
fn put_in(mutant: &Mutant, text: &str, right: &str, wrong: &str) -> String {
    assert_eq!(text.matches(right).count(), 1, "{}: the text is not there once", mutant.name);
    text.replace(right, wrong)
}

/// The code changes, and the bugs are to be found in it still.
#[test]
fn each_bug_can_be_put_in() {
    for mutant in &MUTANTS {
        for (file, right, wrong) in mutant.edits {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            assert_ne!(put_in(mutant, &text, right, wrong), text);
        }
    }
}

#[test]
#[ignore = "it builds the simulation once for each bug"]
fn each_bug_is_found() {
    let workspace: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned();
    let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let chosen = std::env::var("WATTLE_MUTANT").ok();
    let mut missed = Vec::new();
    for mutant in MUTANTS.iter().filter(|mutant| chosen.as_ref().is_none_or(|name| mutant.name.contains(name.as_str())))
    {
        copy(&workspace, &copied);
        for (file, right, wrong) in mutant.edits {
            let file = copied.join("runtime/agent").join(file);
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, put_in(mutant, &text, right, wrong)).unwrap();
        }
        match simulate(&copied) {
            Some(seed) => println!("{}: found by schedule {} of {MOST}", mutant.name, seed + 1),
            None => missed.push(mutant.name),
        }
    }
    assert!(missed.is_empty(), "not found in {MOST} schedules: {missed:?}");
}
