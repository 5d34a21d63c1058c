//! The timeline of a stack, as text: what waited and ran when, and the critical path.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use wattle::shown::one_line;
use wattle_agent_core::time::Time;
use wattle_words::names;
use wattle_words::time::short;

use crate::report::{Condition, Life, StackSnapshot, critical_path, lives, shown};
use crate::space::{Did, Step};

use super::paint::{Tone, cut, paint};

/// The largest width in columns, which is also used without a terminal.
pub(super) const WIDTH: usize = 120;
/// The largest width of names, in columns.
const NAME: usize = 36;
/// The smallest width of the bars, in columns.
const BARS: usize = 20;
/// The largest number of servers listed.
const SERVERS: usize = 5;
/// The text for a duration during which a clock was set back.
const UNKNOWN: &str = "unknown";

/// One line for each component, in order of their start, and the critical path.
pub(super) fn timeline(snapshot: &StackSnapshot, now: Time, color: bool, width: usize) -> String {
    let mut lives = lives(snapshot, now);
    lives.sort_by_key(Life::began);
    // Implausible times do not spoil the scale for the others.
    let is_shown = |life: &&Life<'_>| life.is_credible || !lives.iter().any(|life| life.is_credible);
    let shown = || lives.iter().filter(is_shown);
    let (Some(begin), Some(end)) =
        (shown().map(Life::began).min(), shown().map(|life| life.ended.unwrap_or(now)).max())
    else {
        return "nothing has begun in this revision\n".into();
    };
    let path = critical_path(snapshot, now);
    let is_critical = |name: &str| path.iter().any(|hop| *hop.component == *name);
    let names = lives.iter().map(|life| life.part.path().chars().count()).max().unwrap_or(0).min(NAME);
    let columns = width.saturating_sub(names + 22).max(BARS);
    let scale = Scale { begin, length: millis(begin, end).max(1), columns };
    let jumped = servers(&lives, |life| life.is_credible && life.clock_jumped());
    let incredible = servers(&lives, |life| !life.is_credible);
    let all = between(begin, end, !jumped.is_empty());
    let mut text = format!("{all} from {begin:.0}; {WAITS} waits, {RUNS} runs\n\n");
    for life in &lives {
        let name = life.part.path();
        let tone = if is_critical(&name) { Tone::Head } else { Tone::Plain };
        let padded = format!("{:names$}", cut(&name, names));
        let took: Option<Duration> = runs(life).map(Step::took).sum();
        let took = took.filter(|_| life.is_credible).map_or_else(|| UNKNOWN.to_owned(), |took| length(as_millis(took)));
        let (bar, state) = bar(life, &scale);
        let _ = writeln!(text, "{} {}  {took}", paint(&padded, tone, color), paint(&bar, state, color));
    }
    if !jumped.is_empty() {
        let servers = names::some(jumped, SERVERS);
        let _ = writeln!(text, "\nthe clock was set back on {servers}: how long things took there is not known");
    }
    if !incredible.is_empty() {
        let servers = names::some(incredible, SERVERS);
        let _ = writeln!(
            text,
            "\nsome times from {servers} are before this revision began ({EARLY}), or in the future ({LATE}): they are \
             cut, and how long things took there is not known"
        );
    }
    let Some(first) = path.first() else { return text };
    let last = path.last().unwrap_or(first);
    let all = between(first.since, last.until, path.iter().any(|hop| hop.clock_jumped));
    let _ = writeln!(text, "\ncritical path: {all}{}", if last.open { " until now" } else { "" });
    for hop in &path {
        let whole = between(hop.since, hop.until, hop.clock_jumped);
        let after = hop.awaited.as_ref().map(|what| format!(", after {}", one_line(what))).unwrap_or_default();
        let ran = match hop.ran {
            Some(_) if hop.clock_jumped => "ran for an unknown time".into(),
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
const EARLY: char = '‹';
const LATE: char = '›';

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

fn runs<'l>(life: &'l Life<'_>) -> impl Iterator<Item = &'l Step> + 'l {
    life.steps.iter().filter(|step| !matches!(step.did, Did::Waited { .. }))
}

/// The servers of some of the lives, in their order.
fn servers<'l>(lives: &[Life<'l>], which: impl Fn(&Life<'l>) -> bool) -> BTreeSet<&'l str> {
    lives.iter().filter(|life| which(life)).map(|life| &**life.part.server).collect()
}

/// The time that passed, unless a clock was set back in the meantime.
fn between(since: Time, until: Time, has_jumped: bool) -> String {
    if has_jumped { UNKNOWN.to_owned() } else { length(millis(since, until)) }
}

fn bar(life: &Life<'_>, scale: &Scale) -> (String, Tone) {
    let mut bar = vec![' '; scale.columns];
    let mut fill = |since, until, with| {
        let from = scale.column(since).min(scale.columns - 1);
        // Keep it visible, however short it was.
        let to = scale.column(until).max(from + 1);
        bar[from..to].fill(with);
    };
    for step in life.steps.iter().filter(|step| matches!(step.did, Did::Waited { .. })) {
        fill(step.since, step.until, WAITS);
    }
    runs(life).for_each(|step| fill(step.since, step.until, RUNS));
    for (is_cut, at, mark) in [(life.is_early, 0, EARLY), (life.is_late, scale.columns - 1, LATE)] {
        if is_cut {
            bar[at] = mark;
        }
    }
    let tone = match life.part.condition {
        Condition::Said(status) => Tone::of(shown(&status.state)),
        Condition::Idle => Tone::Waiting,
    };
    (bar.into_iter().collect(), tone)
}

fn millis(since: Time, until: Time) -> i64 {
    as_millis(until.duration_since(since))
}

fn as_millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// Formats a duration that may be short: `40ms`, `1.4s`, `2m 05s`.
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
    use wattle::model::IndexMap;

    use super::*;
    use crate::report::Standing;
    use crate::space::{DesiredRevision, State, Status};

    #[test]
    fn lengths_of_time_that_may_be_short() {
        let lengths = [0, 40, 999, 1000, 9_999, 10_000, 125_000].map(length);
        assert_eq!(lengths, ["0ms", "40ms", "999ms", "1.0s", "9.9s", "10s", "2m 05s"]);
    }

    #[test]
    fn what_a_clock_that_was_set_back_took_is_not_known() {
        let at = Time::from_secs;
        let step = |since, until| Step { since: at(since), until: at(until), did: Did::Ran };
        let done = |until, past| Status {
            revision: 1,
            space: None,
            since: at(until),
            deadline: None,
            state: State::Done,
            past,
        };
        let stack = [
            ("a", done(110, vec![step(100, 110)])),
            ("b", done(60, vec![step(110, 60)])),
            ("c", done(70, vec![step(100, 112), step(65, 70)])),
        ];
        let desired = DesiredRevision {
            revision: 1,
            space: None,
            digest: String::new(),
            applying: None,
            operator: None,
            ..DesiredRevision::default()
        };
        let mut snapshot = StackSnapshot {
            stack: "s".into(),
            desired: Some(desired),
            servers: IndexMap::default(),
            admission: Default::default(),
        };
        for (server, status) in stack {
            let standing = Standing {
                alive: None,
                plan: None,
                troubles: Vec::new(),
                leaving: Vec::new(),
                finishing: Vec::new(),
                is_behind: false,
                was_heard: false,
                components: IndexMap::from_iter([("x".into(), Some(status))]),
            };
            snapshot.servers.insert(server.into(), standing);
        }
        let text = timeline(&snapshot, at(200), false, 80);
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(row("a/x").ends_with(" 10s"), "{text}");
        assert!(row("b/x").ends_with(" unknown"), "{text}");
        assert!(row("c/x").ends_with(" 17s"), "{text}");
        assert!(text.starts_with("unknown from "), "{text}");
        assert!(
            text.contains("\nthe clock was set back on `b` and `c`: how long things took there is not known\n"),
            "{text}"
        );
    }

    #[test]
    fn a_bar_lies_within_its_columns() {
        let at = Time::from_secs;
        let scale = Scale { begin: at(0), length: 10_000, columns: 20 };
        assert_eq!([0, 5, 10, 99].map(|second| scale.column(at(second))), [0, 10, 20, 20]);
    }
}
