//! Random topologies with random schedules and crashes reach the same end: the same values, the same root causes,
//! nothing that finished runs again, and nothing waits forever.
//!
//! A failing case prints its number; `WATTLE_CASE=NUMBER` runs that one alone.

use std::ops::Range;

use wattle_tests::schedule::{Chaos, run};
use wattle_tests::skip::{everything, is_everything};

fn cases(numbers: Range<u64>, chaos: Chaos) {
    if let Ok(number) = std::env::var("WATTLE_CASE") {
        return run(number.parse().expect("a number"), chaos);
    }
    let more = if is_everything() { 3 } else { 1 };
    for number in numbers.start * more..numbers.end * more {
        run(number, chaos);
    }
}

#[test]
fn revision_after_revision_exactly_what_changed_runs() {
    cases(0..400, Chaos::None);
}

#[test]
fn crashes_change_nothing() {
    cases(0..400, Chaos::Crashes);
}

#[test]
fn more_crashes_change_nothing() {
    if everything("400 further schedules with crashes") {
        cases(400..800, Chaos::Crashes);
    }
}

/// Two requests are refused while their server's login changes. The second refusal brings nothing new.
#[test]
fn a_login_that_becomes_another_fails_nothing() {
    run(7123, Chaos::Crashes);
}
