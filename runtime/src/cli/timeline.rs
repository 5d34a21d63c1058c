//! The timeline of a stack, as text: what waited and ran when, and the chain that took the time.

use std::fmt::Write as _;

use wattle_agent_core::time::Time;
use wattle_words::time::short;

use crate::report::{Condition, Life, Picture, critical_path, lives};
use crate::space::{Did, State, Status};

use super::paint::{Tone, cut, paint};

/// Columns where there is no terminal to say how many there are, and at most.
pub(super) const WIDTH: usize = 120;
/// Columns of names, at most.
const NAME: usize = 36;
/// Columns of the bars, at least.
const BARS: usize = 20;

/// One line a component, in the order in which they began, and the critical path.
pub(super) fn timeline(picture: &Picture, now: Time, color: bool, width: usize) -> String {
    let mut lives = lives(picture, now);
    lives.sort_by_key(Life::began);
    let (Some(begin), Some(end)) =
        (lives.first().map(Life::began), lives.iter().map(|life| life.ended.unwrap_or(now)).max())
    else {
        return "nothing has begun in this revision\n".into();
    };
    let path = critical_path(picture, now);
    let is_critical = |name: &str| path.iter().any(|hop| *hop.component == *name);
    let names = lives.iter().map(|life| life.part.path().chars().count()).max().unwrap_or(0).min(NAME);
    let columns = width.saturating_sub(names + 22).max(BARS);
    let scale = Scale { begin, length: millis(begin, end).max(1), columns };
    let mut text = format!("{} from {begin:.0}; {} waits, {} runs\n\n", length(millis(begin, end)), WAITS, RUNS);
    for life in &lives {
        let name = life.part.path();
        let tone = if is_critical(&name) { Tone::Head } else { Tone::Plain };
        let padded = format!("{:names$}", cut(&name, names));
        let took: i64 = runs(life).map(|(since, until)| millis(since, until)).sum();
        let (bar, state) = bar(life, &scale);
        let _ = writeln!(text, "{} {}  {}", paint(&padded, tone, color), paint(&bar, state, color), length(took));
    }
    let Some(first) = path.first() else { return text };
    let last = path.last().unwrap_or(first);
    let all = length(millis(first.since, last.until));
    let _ = writeln!(text, "\ncritical path: {all}{}", if last.open { " until now" } else { "" });
    for hop in &path {
        let whole = length(millis(hop.since, hop.until));
        let after = hop.awaited.as_ref().map(|what| format!(", after {what}")).unwrap_or_default();
        let ran = match hop.ran {
            Some(ran) => format!("ran {}", length(millis(ran.max(hop.since), hop.until))),
            None if hop.open => "has not run yet".into(),
            None => "did not run".into(),
        };
        let _ = writeln!(text, "{whole:>9}  {}: {ran}{after}", paint(&hop.component, Tone::Head, color));
    }
    text
}

const WAITS: char = '·';
const RUNS: char = '█';

struct Scale {
    begin: Time,
    length: i64,
    columns: usize,
}

impl Scale {
    fn column(&self, at: Time) -> usize {
        let part = i128::from(millis(self.begin, at)) * self.columns as i128 / i128::from(self.length);
        usize::try_from(part).unwrap_or(0).min(self.columns)
    }
}

fn runs<'l>(life: &'l Life<'_>) -> impl Iterator<Item = (Time, Time)> + 'l {
    let ran = life.steps.iter().filter(|step| !matches!(step.did, Did::Waited { .. }));
    ran.map(|step| (step.since, step.until))
}

fn bar(life: &Life<'_>, scale: &Scale) -> (String, Tone) {
    let mut bar = vec![' '; scale.columns];
    let mut fill = |since, until, with| {
        let from = scale.column(since).min(scale.columns - 1);
        // Whatever it was, it is seen.
        let to = scale.column(until).max(from + 1);
        bar[from..to].fill(with);
    };
    for step in life.steps.iter().filter(|step| matches!(step.did, Did::Waited { .. })) {
        fill(step.since, step.until, WAITS);
    }
    runs(life).for_each(|(since, until)| fill(since, until, RUNS));
    let tone = match life.part.condition {
        Condition::Said(Status { state: State::Done, .. }) => Tone::Good,
        Condition::Said(Status { state: State::Failed(_), .. }) => Tone::Bad,
        Condition::Said(Status { state: State::Running, .. }) => Tone::Busy,
        _ => Tone::Waiting,
    };
    (bar.into_iter().collect(), tone)
}

fn millis(since: Time, until: Time) -> i64 {
    i64::try_from(until.duration_since(since).as_millis()).unwrap_or(i64::MAX)
}

/// A length of time that may be short: `40ms`, `1.4s`, `2m 05s`.
fn length(millis: i64) -> String {
    if millis < 1000 {
        format!("{millis}ms")
    } else if millis < 10_000 {
        let tenths = millis / 100;
        format!("{}.{}s", tenths / 10, tenths % 10)
    } else {
        short(millis.unsigned_abs() / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_that_may_be_short() {
        let told = [0, 40, 999, 1000, 9_999, 10_000, 125_000].map(length);
        assert_eq!(told, ["0ms", "40ms", "999ms", "1.0s", "9.9s", "10s", "2m 05s"]);
    }

    #[test]
    fn a_bar_lies_within_its_columns() {
        let at = Time::from_secs;
        let scale = Scale { begin: at(0), length: 10_000, columns: 20 };
        assert_eq!([0, 5, 10, 99].map(|second| scale.column(at(second))), [0, 10, 20, 20]);
    }
}
