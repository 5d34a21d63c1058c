//! Descriptions of a run, for the messages of failed assertions.

use std::fmt::Write as _;
use std::time::Duration;

use crate::values::span;

use super::order::Edge;
use super::ran::Ran;
use super::run::TrialRun;

/// The largest number of lines of a story in a message.
const LINES: usize = 40;

/// A moment of the run's own time. Below a millisecond, it is `at once`.
fn moment(at: Duration) -> String {
    if at < Duration::from_millis(1) { "at once".to_owned() } else { format!("at {}", span(round(at))) }
}

/// What one component did, in one line.
pub(super) fn line(run: &TrialRun, place: usize) -> String {
    let (node, record) = (&run.stage.world.nodes[place], &run.records[place]);
    let mut text = format!("{} ({})", node.key, run.kind(place));
    match (record.started, record.ended) {
        (Some((start, at)), Some((end, until))) => {
            let _ = write!(text, ": steps {start} to {end}");
            if until >= Duration::from_millis(1) {
                let _ = write!(text, ", {} to {}", span(round(at)), span(round(until)));
            }
        }
        (Some((start, at)), None) => {
            let _ = write!(text, ": started in step {start}, {}", moment(at));
        }
        (None, Some((end, _))) => {
            let _ = write!(text, ": not started, step {end}");
        }
        (None, None) => text.push_str(": not started, its server never booted"),
    }
    if let Some(failure) = &record.failure {
        let _ = match failure.through.as_slice() {
            [] => write!(text, "; failed: {}", failure.message),
            _ => write!(text, "; failed because of {}", failure.component),
        };
    }
    text
}

fn round(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// The description of the whole run.
pub(super) fn whole(run: &TrialRun) -> String {
    let mut places: Vec<usize> = (0..run.records.len()).collect();
    let when = |place: &usize| {
        let record = &run.records[*place];
        let step = record.started.or(record.ended).map_or(usize::MAX, |(step, _)| step);
        (step, *place)
    };
    places.sort_by_key(when);
    let mut text = String::new();
    for place in places {
        let _ = writeln!(text, "{}", line(run, place));
        let came = run.records[place].waits.iter().filter(|wait| wait.until.is_some());
        let last = came.max_by_key(|wait| wait.until);
        if let Some(wait) = last {
            let what = &wait.what;
            let _ = match &wait.input {
                Some(input) => writeln!(text, "    waited for `{what}` (its input `{input}`)"),
                None => writeln!(text, "    waited for `{what}` to end"),
            };
        }
    }
    text
}

/// The run, as it is shown below a message.
pub(super) fn report(run: &TrialRun) -> String {
    let whole = whole(run);
    let mut text = format!("\n\nthe run, of {}:\n", run.schedule);
    for (count, line) in whole.lines().enumerate() {
        if count == LINES {
            let _ = writeln!(text, "  ... {} more lines: see `TrialRun::story`", whole.lines().count() - LINES);
            break;
        }
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// The place where the author declared a component.
fn declared(run: &TrialRun, place: usize) -> String {
    run.stage
        .lowered
        .seed
        .sources
        .get(&run.stage.world.nodes[place].key)
        .map(|at| format!(" (declared at {at})"))
        .unwrap_or_default()
}

/// Why these components are not done.
pub(super) fn failed(run: &TrialRun, failed: &[Ran<'_>]) -> String {
    let mut text = match failed {
        [one] => format!("`{}` is not done", one.name()),
        many => format!("{} components are not done", many.len()),
    };
    let mut roots: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for ran in failed {
        let (root, why) = match ran.failure() {
            Some(failure) => (&*failure.component, failure.message.clone()),
            None => (ran.name(), "its server never booted".to_owned()),
        };
        let at = roots.iter().position(|(known, ..)| *known == root).unwrap_or_else(|| {
            roots.push((root, why, Vec::new()));
            roots.len() - 1
        });
        if ran.name() != root {
            roots[at].2.push(ran.name());
        }
    }
    for (root, why, through) in roots {
        let at = run.stage.world.places.get(root).map(|place| declared(run, *place)).unwrap_or_default();
        let _ = write!(text, "\n  `{root}`{at} failed: {why}");
        if !through.is_empty() {
            let _ = write!(text, "\n    and because of it, {}", crate::names::list(through, "and"));
        }
    }
    text + &report(run)
}

/// The dependencies of a component, as lines of text.
fn waits(run: &TrialRun, place: usize) -> String {
    let direct = run.stage.order.direct(place);
    if direct.is_empty() {
        return format!("\n  `{}`{} waits for no component", run.stage.world.nodes[place].key, declared(run, place));
    }
    let mut text = format!("\n  `{}`{} waits for", run.stage.world.nodes[place].key, declared(run, place));
    for edge in direct {
        let _ = write!(text, "\n    `{}`: {}", run.stage.world.nodes[edge.on].key, edge.why);
    }
    text
}

/// The message about an expected dependency that does not exist.
pub(super) fn no_wait(ran: Ran<'_>, other: Ran<'_>) -> String {
    let mut text = format!("nothing makes `{}` wait for `{}`", ran.name(), other.name());
    text += &waits(ran.run, ran.place);
    if ran.run.stage.order.path(other.place, ran.place).is_some() {
        let _ = write!(text, "\n  it is the other way round: `{}` waits for `{}`", other.name(), ran.name());
    } else {
        text += "\n  wire an output of the one to an input of the other, or order them by `t.after(...)`";
    }
    text
}

/// The message about an unexpected dependency.
pub(super) fn wait(ran: Ran<'_>, other: Ran<'_>, path: &[&Edge]) -> String {
    let mut text = format!("`{}` waits for `{}`", ran.name(), other.name());
    let mut from = ran.place;
    for edge in path {
        let nodes = &ran.run.stage.world.nodes;
        let _ = write!(text, "\n  `{}` waits for `{}`: {}", nodes[from].key, nodes[edge.on].key, edge.why);
        from = edge.on;
    }
    text
}

/// The message about a start that was expected after an end, but came before it.
pub(super) fn not_after(ran: Ran<'_>, other: Ran<'_>) -> String {
    let (record, before) = (ran.record(), other.record());
    let mut text = match (record.started, before.ended) {
        (None, _) => format!("`{}` was not started", ran.name()),
        (Some(_), None) => format!("`{}` never ended", other.name()),
        (Some((started, _)), Some((ended, _))) => format!(
            "`{}` was not started after `{}` had ended: it started in step {started}, and `{}` ended in step {ended}",
            ran.name(),
            other.name(),
            other.name()
        ),
    };
    text += &waits(ran.run, ran.place);
    text + &report(ran.run)
}
