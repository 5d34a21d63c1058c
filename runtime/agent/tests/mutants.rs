//! Bugs injected by hand, each into a copy of the workspace: the simulation finds them all.
//!
//! Each needs a build. Run by `cargo test -p wattle-agent-core --test mutants -- --ignored --nocapture`.
//! `WATTLE_MUTANT` selects one by name.

#![allow(clippy::unwrap_used, reason = "a test with functions of its own")]

mod mutation;

use mutation::{Mutant, Simulated};

const SIMULATION: Simulated = Simulated {
    package: "wattle-agent-core",
    folder: "runtime/agent",
    test: "simulation",
    run: "schedule",
    variable: "WATTLE_SCHEDULES",
    most: 100_000,
};

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
        // Two checks guard against it: without the first one alone, it retries forever.
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
        // Two checks guard against it: one alone is enough.
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
        // Two checks guard against it: one alone is enough.
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
                "*looks = false;\n            }\n            CallKind::Get",
                "*looks = was_sent;\n            }\n            CallKind::Get",
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
            "let is_led_to = plan.space == desired.space && plan.revision <= desired.revision;",
            "let is_led_to = plan.revision <= desired.revision;",
        )],
    },
    Mutant {
        name: "begins what no desired revision has reached",
        edits: &[(
            "src/request/follow.rs",
            "plan.revision <= desired.revision;",
            "plan.revision <= desired.revision + 1;",
        )],
    },
    Mutant {
        name: "does not look again at a plan that was seen before the desired revision",
        edits: &[(
            "src/request/follow.rs",
            "(self.is_news(plan) && is_led_to && is_it)",
            "(self.is_news(plan) && is_led_to)",
        )],
    },
    Mutant {
        name: "expects its own revision of everybody",
        edits: &[(
            "src/server_plan.rs",
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

/// The code changes, and the bugs must still apply to it.
#[test]
fn each_bug_can_be_put_in() {
    Simulated::each_can_be_put_in(&MUTANTS);
}

#[test]
#[ignore = "it builds the simulation once for each bug"]
fn each_bug_is_found() {
    SIMULATION.each_is_found(&MUTANTS);
}
