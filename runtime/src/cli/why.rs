//! `--why`: what holds things up, in sentences.

use std::fmt::Write as _;

use wattle_agent_core::time::Time;

use crate::report::{Cause, Picture, Root, between, roots};
use crate::space::Failure;

use super::entries::one_line;
use super::paint::{Tone, paint};

/// Components that are named one by one.
const NAMED: usize = 6;

/// Why what has not been done has not been done.
pub(super) fn why(picture: &Picture, now: Time, color: bool) -> String {
    let roots = roots(picture);
    if roots.is_empty() {
        return "everything is done\n".into();
    }
    roots.iter().map(|root| explain(root, now, color)).collect()
}

/// One cause, and what it holds up.
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
        text.push_str("  it is tried again by `wattle seed apply --again`, and when the agent starts again\n");
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
    let verb = if matches!(root.cause, Cause::Failed(_)) { "fails" } else { "is held up" };
    let verbs = if matches!(root.cause, Cause::Failed(_)) { "fail" } else { "are held up" };
    match root.holds.as_slice() {
        [] => None,
        [one] => Some(format!("because of it {one} {verb}")),
        several if several.len() <= NAMED => {
            let (last, most) = several.split_last()?;
            let most: Vec<&str> = most.iter().map(|name| &**name).collect();
            Some(format!("because of it {} and {last} {verbs}", most.join(", ")))
        }
        many => {
            let shown: Vec<&str> = many.iter().take(NAMED - 1).map(|name| &**name).collect();
            Some(format!("because of it {} and {} more {verbs}", shown.join(", "), many.len() + 1 - NAMED))
        }
    }
}
