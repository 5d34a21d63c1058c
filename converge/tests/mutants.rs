//! Bugs injected by hand, each into a copy of the workspace: the histories find them all.
//!
//! Each needs a build. Run by `cargo test -p wattle-converge --test mutants -- --ignored --nocapture`. `WATTLE_MUTANT`
//! selects one by name.

#![allow(clippy::unwrap_used, reason = "a test with functions of its own")]

#[path = "../../runtime/agent/tests/mutation/mod.rs"]
mod mutation;

use std::collections::BTreeSet;

use mutation::{Mutant, Simulated};

const HISTORIES: Simulated = Simulated {
    package: "wattle-converge",
    folder: "converge",
    test: "histories",
    run: "history",
    variable: "WATTLE_HISTORIES",
    most: 100_000,
};

const PICK: &str = "src/predicates/pick.rs";
const CREATE: &str = "src/predicates/create.rs";
const UPDATE: &str = "src/predicates/update.rs";
const DELETE: &str = "src/predicates/delete.rs";
const RELEASE: &str = "src/predicates/release.rs";
const RULES: &str = "src/predicates/mod.rs";

const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "pick takes what cannot become what is wanted",
        edits: &[(PICK, "row.kind == wanted.kind && row.fixed == wanted.fixed", "row.kind == wanted.kind")],
    },
    Mutant {
        name: "pick takes what has another value than one that replaces",
        edits: &[(PICK, " && wanted.agrees(&row.varying, Effect::Replace)", "")],
    },
    Mutant {
        name: "done does not ask whether what varies is as wanted",
        edits: &[(PICK, " && wanted.agrees(&row.varying, Effect::InPlace)", "")],
    },
    Mutant {
        name: "what shows values of another thing is not read again",
        edits: &[(PICK, "row.shown != needs.shown", "row.shown != row.shown")],
    },
    Mutant {
        name: "what was read is no other edition",
        edits: &[("src/step/done.rs", "(row.edition, row.shown) = (edition, shown);", "row.shown = shown;")],
    },
    Mutant {
        name: "what varies is not written down",
        edits: &[(PICK, " || !wanted.agrees(&row.varying, Effect::Noted)", "")],
    },
    Mutant {
        name: "an update that nobody heard of has not changed what varies",
        edits: &[(
            "src/row.rs",
            "self.varying.retain(|name, value| varying.get(name) == Some(value));",
            "drop(varying);",
        )],
    },
    Mutant {
        name: "pick takes what failed",
        edits: &[(PICK, "row.stage != Stage::Sound", "matches!(row.stage, Stage::New | Stage::Gone)")],
    },
    Mutant {
        name: "done counts what is still being changed",
        edits: &[(PICK, "row.is_idle() && differs(", "differs(")],
    },
    Mutant { name: "done does not ask what is required", edits: &[(PICK, "row.requires != needs.rows || ", "")] },
    Mutant { name: "done does not ask what is held", edits: &[(PICK, " || row.holds != wanted.exclusive", "")] },
    Mutant {
        name: "done does not see drift that is to be put right",
        edits: &[(
            PICK,
            "row.drift.is_some() && (corrects || wanted.corrects)",
            "row.drift.is_some() && wanted.corrects",
        )],
    },
    Mutant {
        name: "create makes a second one beside the first",
        edits: &[(
            CREATE,
            "fits(row, wanted) || things >= COPIES",
            "things >= COPIES + usize::from(fits(row, wanted))",
        )],
    },
    Mutant {
        name: "create tries again what failed",
        edits: &[(
            CREATE,
            "view.rows(place).find(|row| has_failed(view, row))",
            "view.rows(place).find(|row| has_failed(view, row) && row.made == 0)",
        )],
    },
    Mutant {
        name: "create has too many things made at once",
        edits: &[(CREATE, "fits(row, wanted) || things >= COPIES", "fits(row, wanted)")],
    },
    Mutant {
        name: "create does not wait for what another one has",
        edits: &[(CREATE, "if held.is_empty() {", "if held.len() < 9 {")],
    },
    Mutant {
        name: "create does not wait for its turn",
        edits: &[(CREATE, "wanted.all_exclusive()", "wanted.exclusive.iter()")],
    },
    Mutant {
        name: "a turn is over once the cloud has the request",
        edits: &[("src/row.rs", "self.stage == Stage::New);", "self.stage == Stage::New && self.thing.is_none());")],
    },
    Mutant {
        name: "a turn is never over",
        edits: &[("src/row.rs", "self.stage == Stage::New);", "self.stage != Stage::Gone);")],
    },
    Mutant {
        name: "what is kept does not look at those who wait for their turn",
        edits: &[(
            "src/index/refresh.rs",
            "wanted.iter().flat_map(|wanted| wanted.all_exclusive()) {",
            "wanted.iter().flat_map(|wanted| &wanted.exclusive) {",
        )],
    },
    Mutant {
        name: "update does not wait for what another one has",
        edits: &[(UPDATE, "if held.is_empty() {", "if held.len() < 9 {")],
    },
    Mutant {
        name: "update tries again what failed",
        edits: &[(
            UPDATE,
            "if has_failed(view, view.row(id)) {",
            "if has_failed(view, view.row(id)) && view.row(id).made == 0 {",
        )],
    },
    Mutant {
        name: "update changes what is being changed",
        edits: &[(UPDATE, "(row.is_idle() && difference", "(difference")],
    },
    Mutant { name: "delete takes what something requires", edits: &[(DELETE, " || view.is_required(row.id)", "")] },
    Mutant {
        name: "delete takes what stands for its name",
        edits: &[(DELETE, " || view.pick(place) == Some(row.id)", "")],
    },
    Mutant {
        name: "delete takes what was up before there is another one",
        edits: &[(
            DELETE,
            "view.is_done(place) && (view.is_early() || view.is_everything_done())",
            "view.is_early() || view.is_everything_done() || view.is_known(place)",
        )],
    },
    Mutant {
        name: "delete takes what a rollback would find",
        edits: &[(DELETE, "view.is_early() || view.is_everything_done()", "view.is_early() || view.is_done(place)")],
    },
    Mutant {
        name: "delete takes what may still be wanted",
        edits: &[(
            DELETE,
            "row.stage == Stage::Failed || view.is_known(place)",
            "row.stage == Stage::Failed || view.generation() > 0",
        )],
    },
    Mutant {
        name: "delete tries again what failed",
        edits: &[(DELETE, "row.failed.as_ref().is_some_and(|failure| failure.deleting)", "row.failed.is_none()")],
    },
    Mutant {
        name: "release takes what is wanted where it is",
        edits: &[(RELEASE, "wanted.exclusive.clone()", "wanted.exclusive.iter().take(0).cloned().collect()")],
    },
    Mutant {
        name: "release takes from what is being worked on",
        edits: &[(RELEASE, "row.is_idle()\n        && has_a_thing", "has_a_thing")],
    },
    Mutant {
        name: "release tries again what failed",
        edits: &[(RELEASE, "&& !has_failed(view, row)", "&& row.stage != Stage::New")],
    },
    Mutant {
        name: "a released thing counts as it was",
        edits: &[(
            "src/step/done.rs",
            "row.holds.retain(|held| !exclusive.contains(held));\n            row.free = None;",
            "row.holds.retain(|held| !exclusive.contains(held));",
        )],
    },
    Mutant {
        name: "forget forgets what failed",
        edits: &[(RULES, " && !view.is_required(row.id) && !has_failed(view, row)", " && !view.is_required(row.id)")],
    },
    Mutant {
        name: "forget forgets what something requires",
        edits: &[(RULES, " && !view.is_required(row.id) && !has_failed(view, row)", " && !has_failed(view, row)")],
    },
    Mutant {
        name: "look is left out: what nobody heard of was not made",
        edits: &[(
            "src/deadlines.rs",
            "Some(Act::Create | Act::Look | Act::Read { .. }) | None => {}",
            "Some(Act::Create | Act::Look | Act::Read { .. }) | None => row.is_gone(),",
        )],
    },
    Mutant {
        name: "an update that nobody heard of has not happened",
        edits: &[(
            "src/row.rs",
            "            self.requires.extend(requires);\n            self.holds.extend(holds);",
            "            drop((requires, holds));",
        )],
    },
    Mutant {
        name: "an update requires only what it will require",
        edits: &[(
            "src/row.rs",
            "self.requires.iter().chain(more).copied()",
            "self.requires.iter().take(usize::MAX * usize::from(self.is_idle())).chain(more).copied()",
        )],
    },
    Mutant {
        name: "an update holds only what it had",
        edits: &[(
            "src/row.rs",
            "Some(Act::Update { holds, .. }) => Some(holds),",
            "Some(Act::Update { holds, .. }) => Some(holds).filter(|_| false),",
        )],
    },
    Mutant {
        name: "a new leader does not wait for the requests of the former one",
        edits: &[(
            "src/deadlines.rs",
            "row.intent.as_ref().map(|intent| intent.not_after + self.limits.grace)",
            "row.intent.as_ref().map(|_| self.now)",
        )],
    },
    Mutant {
        name: "an answer to an older job is believed",
        edits: &[(
            "src/step/done.rs",
            "entry.phase != Phase::Running(job)",
            "!matches!(entry.phase, Phase::Running(_) | Phase::Lease) || job.number == 0",
        )],
    },
    Mutant {
        name: "what was seen before a change is believed",
        edits: &[("src/step/seen.rs", "Phase::Idle if at > entry.changed => ", "Phase::Idle => ")],
    },
    Mutant {
        name: "what nobody knows is left where it is",
        edits: &[(
            "src/step/seen.rs",
            "let Some(phys) = phys else { return };",
            "let Some(phys) = phys.filter(|_| false) else { return };",
        )],
    },
    Mutant {
        name: "two leaders give the same marks",
        edits: &[("src/state.rs", "Id { term: self.term, number", "Id { term: self.term.min(1), number")],
    },
    Mutant {
        name: "what nobody wants any more is tried again",
        edits: &[(
            "src/deadlines.rs",
            "Phase::Retry if self.is_as_wanted(id) =>",
            "Phase::Retry if self.under_way > 0 =>",
        )],
    },
    Mutant {
        name: "what was reached is told from what is left of it by nothing",
        edits: &[(
            "src/settle.rs",
            "let is_left = |id: &Id| !standing.contains(id);",
            "let is_left = |id: &Id| !standing.contains(id) && id.number == 0;",
        )],
    },
    Mutant {
        name: "a server goes before its software",
        edits: &[(
            "src/begin.rs",
            "(entry.row.drains && entry.row.is_being_deleted())",
            "(entry.row.drains && entry.row.is_idle())",
        )],
    },
    Mutant {
        name: "what is kept is not looked at when nothing requires a row any more",
        edits: &[(
            "src/index/change.rs",
            "if self.index.no_longer_requires(*id) {",
            "if self.index.no_longer_requires(*id) && old.is_empty() {",
        )],
    },
    Mutant {
        name: "what is kept does not look at those who wait for what a row gives up",
        edits: &[(
            "src/index/change.rs",
            "                if holders.is_empty() {\n                    self.holders.remove(held);\n                }\n                for place in self.interested.get(held)",
            "                if holders.is_empty() {\n                    self.holders.remove(held);\n                }\n                for place in self.interested.get(held).filter(|_| false)",
        )],
    },
    Mutant {
        name: "delete takes what was there before and nobody asked for",
        edits: &[(
            DELETE,
            "row.adopted && !view.is_in_target(place)",
            "row.adopted && !view.is_in_target(place) && row.made > 0",
        )],
    },
    Mutant {
        name: "what was there before stays so although it was changed",
        edits: &[("src/begin.rs", "std::mem::take(&mut row.adopted)", "row.adopted")],
    },
    Mutant {
        name: "what was there before has what another one has",
        edits: &[(
            "src/step/adopt.rs",
            ".filter(|held| self.holders(held).is_empty())",
            ".filter(|held| self.holders(held).len() < 9)",
        )],
    },
    Mutant {
        name: "a row is not done in time and goes on",
        edits: &[(
            "src/deadlines.rs",
            "Phase::Accepted => self.give_up(id),",
            "Phase::Accepted => self.turn(id, Phase::Accepted, None),",
        )],
    },
    Mutant {
        name: "done does not ask whether what changes in place is as wanted",
        edits: &[(PICK, "!is_free(row, wanted) || ", "")],
    },
    Mutant {
        name: "done does not ask whether there is software",
        edits: &[(PICK, " || row.drains != wanted.drains", "")],
    },
    Mutant {
        name: "create waits for what was up",
        edits: &[(CREATE, "!view.is_good(row.id) && !row.adopted", "!row.adopted")],
    },
    Mutant {
        name: "nothing is repointed",
        edits: &[(UPDATE, ".filter(|(_, difference)| *difference == Difference::Requires)", ".filter(|_| false)")],
    },
    Mutant {
        name: "what failed for an earlier desired state is not tried again",
        edits: &[(RULES, "failure.generation == view.generation() && ", "")],
    },
];

/// The code changes, and the bugs must still apply to it.
#[test]
fn each_bug_can_be_put_in() {
    Simulated::each_can_be_put_in(MUTANTS);
}

/// The documented list has exactly these bugs.
#[test]
fn each_bug_is_listed() {
    let rows = include_str!("histories/main.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let listed: BTreeSet<&str> =
        rows.filter_map(|row| Some(row.split_once(" | ")?.0)).filter(|name| *name != "Bug").collect();
    assert_eq!(listed, MUTANTS.iter().map(|mutant| mutant.name).collect());
}

#[test]
#[ignore = "it builds the histories once for each bug"]
fn each_bug_is_found() {
    HISTORIES.each_is_found(MUTANTS);
}
