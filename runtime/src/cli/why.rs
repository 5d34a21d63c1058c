//! `--why`: explains in sentences what blocks progress.

use std::fmt::Write as _;

use wattle::names::join;
use wattle_agent_core::time::Time;

use crate::report::{Cause, Root, StackSnapshot, between, roots};
use crate::space::Failure;

use super::entries::one_line;
use super::paint::{Tone, paint};

/// The largest number of components named one by one.
const NAMED: usize = 6;

/// Explains why each unfinished component is not done.
pub(super) fn why(snapshot: &StackSnapshot, now: Time, color: bool) -> String {
    let roots = roots(snapshot);
    if roots.is_empty() {
        return "everything is done\n".into();
    }
    let mut text = explain_all(&roots, roots.len(), now, color);
    for (server, standing) in snapshot.servers.iter().filter(|(_, standing)| standing.more_leaving() > 0) {
        let more = standing.more_leaving();
        let _ =
            writeln!(text, "{} and {more} more on {server} that have left the model", paint("●", Tone::Busy, color));
    }
    text
}

/// Explains the first `most` causes. A failure for the same reason as an earlier cause is listed after that one.
pub(super) fn explain_all(roots: &[Root], most: usize, now: Time, color: bool) -> String {
    let mut groups: Vec<(&Root, Vec<&str>)> = Vec::new();
    for root in roots {
        let same = groups.iter_mut().find(|(first, _)| is_same(&first.cause, &root.cause));
        match (same, &root.cause) {
            (Some((_, others)), Cause::Failed(failure)) => others.push(&failure.component),
            _ => groups.push((root, Vec::new())),
        }
    }
    let mut text = String::new();
    for (root, others) in groups.iter().take(most) {
        text.push_str(&explain(root, now, color));
        if !others.is_empty() {
            let verb = if others.len() == 1 { "has" } else { "have" };
            let _ = writeln!(text, "  {} {verb} failed in the same way", named(others));
        }
    }
    text
}

/// Whether two failures have the same message.
fn is_same(one: &Cause, other: &Cause) -> bool {
    match (one, other) {
        (Cause::Failed(one), Cause::Failed(other)) => one.message == other.message && one.log == other.log,
        _ => false,
    }
}

/// Joins names in a sentence, with the number of further ones.
fn named(names: &[&str]) -> String {
    let shown = if names.len() <= NAMED { names.len() } else { NAMED - 1 };
    let mut words: Vec<String> = names[..shown].iter().map(|name| (*name).to_owned()).collect();
    if names.len() > shown {
        words.push(format!("{} more", names.len() - shown));
    }
    join(words, "and")
}

/// Explains one cause, and what it blocks.
pub(super) fn explain(root: &Root, now: Time, color: bool) -> String {
    let (mark, tone) = match &root.cause {
        Cause::Failed(_) | Cause::LeftOver(_) | Cause::Circle { .. } => ("✗", Tone::Bad),
        cause if cause.is_stuck() => ("!", Tone::Waiting),
        _ => ("●", Tone::Busy),
    };
    let mut text =
        format!("{} {}\n", paint(mark, tone, color), paint(&one_line(&root.cause.sentence(now)), Tone::Head, color));
    if let Cause::Failed(failure) | Cause::LeftOver(failure) = &root.cause {
        text.push_str(&log(failure, color));
        let _ = writeln!(text, "  {} ago, at {:.0}", between(failure.at, now), failure.at);
    }
    if let Cause::LeftOver(_) = &root.cause {
        text.push_str("  `wattle seed apply --again` tries it again, and so does the agent when it starts again\n");
    }
    if let Some(held) = held(root) {
        let _ = writeln!(text, "  {held}");
    }
    text
}

/// The last lines of a recipe's output.
pub(super) fn log(failure: &Failure, color: bool) -> String {
    failure.log.iter().map(|line| format!("  {} {}\n", paint("│", Tone::Faint, color), one_line(line))).collect()
}

fn held(root: &Root) -> Option<String> {
    let (who, verb) = match root.holds.as_slice() {
        [] => return None,
        [one] => (one.to_string(), "is"),
        several => {
            let names: Vec<&str> = several.iter().map(|name| &**name).collect();
            (named(&names), "are")
        }
    };
    Some(match root.cause {
        Cause::Failed(_) => format!("{who} {verb} blocked by it"),
        _ => format!("{who} {verb} held up by it"),
    })
}
