//! The progress display of `up`: one line for each server on a terminal, and a plain log elsewhere.

use std::collections::HashMap;

use wattle::model::Name;
use wattle::names::{count, join};
use wattle_agent_core::time::Time;

use crate::clock;
use crate::report::{Condition, Part, StackSnapshot, Standing, between, still_runs};
use crate::space::{Finishing, Leaving, State, Status};

use super::console::{Console, size};
use super::entries::one_line;
use super::error::CommandError;
use super::paint::{Tone, cut, paint};
use super::screen::Screen;
use super::status::{headline, waits_for};
use wattle::shown::on_terminal;

/// Lines reserved for the text around the display.
const MARGIN: usize = 4;
/// The largest number of components named one by one in a common message.
const NAMED: usize = 6;

/// A form of display.
#[derive(Debug)]
pub(super) enum Progress {
    Lines(Lines),
    Log(Log),
}

/// One line for each server, redrawn again and again.
#[derive(Debug)]
pub(super) struct Lines {
    screen: Screen,
    color: bool,
}

/// One line for each change.
#[derive(Debug, Default)]
pub(super) struct Log {
    seen: HashMap<String, Said>,
    leaving: HashMap<Name, Leaving>,
    finishing: Vec<Finishing>,
    color: bool,
}

/// What was last reported about a component.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    revision: u64,
    state: State,
}

impl Progress {
    pub(super) fn new(console: &Console) -> Self {
        if console.err.is_terminal {
            Self::Lines(Lines { screen: Screen::default(), color: console.err.color })
        } else {
            Self::Log(Log { color: console.err.color, ..Log::default() })
        }
    }

    /// Shows the current state.
    pub(super) fn show(&mut self, snapshot: &StackSnapshot, console: &mut Console) -> Result<(), CommandError> {
        match self {
            Self::Lines(lines) => console.err.put(&lines.draw(snapshot)).map(|_| ()),
            Self::Log(log) => log.report(snapshot, console),
        }
    }

    /// Prints a line that stays.
    pub(super) fn say(&mut self, text: &str, console: &mut Console) -> Result<(), CommandError> {
        match self {
            Self::Lines(lines) => {
                let text = on_terminal(text.trim_end(), lines.color);
                console.err.put(&lines.screen.say(&text)).map(|_| ())
            }
            Self::Log(_) => console.err.write(&format!("{}{}\n", time(console.err.color), text.trim_end())),
        }
    }

    /// Removes the lines that would be redrawn.
    pub(super) fn clear(&mut self, console: &mut Console) -> Result<(), CommandError> {
        match self {
            Self::Lines(lines) => console.err.put(&lines.screen.clear()).map(|_| ()),
            Self::Log(_) => Ok(()),
        }
    }
}

impl Lines {
    fn draw(&mut self, snapshot: &StackSnapshot) -> String {
        let (height, width) = size();
        let height = height.saturating_sub(MARGIN).max(3);
        let lines = lines(snapshot, clock::now(), height, width, self.color);
        self.screen.draw(lines.iter().map(|line| on_terminal(line, self.color)).collect())
    }
}

/// The lines of the display. If there are too many, finished servers are omitted.
fn lines(snapshot: &StackSnapshot, now: Time, height: usize, width: usize, color: bool) -> Vec<String> {
    let head = |color| headline(snapshot, color).lines().next().unwrap_or_default().to_owned();
    let plain = cut(&head(false), width);
    let mut lines = vec![if plain == head(false) { head(color) } else { plain }];
    let column = snapshot.servers.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(width / 3);
    let mut servers: Vec<(u16, String)> = snapshot
        .servers
        .iter()
        .map(|(name, standing)| line(snapshot, name, standing, now, column, width, color))
        .collect();
    let room = height - 1;
    if servers.len() > room {
        let hidden = servers.len() + 1 - room;
        // Keep the most interesting lines, in their order.
        let mut ranks: Vec<u16> = servers.iter().map(|(rank, _)| *rank).collect();
        ranks.sort_unstable();
        let last = ranks[room - 2];
        let mut at_last = ranks[..room - 1].iter().filter(|rank| **rank == last).count();
        servers.retain(|(rank, _)| {
            if *rank == last && at_last > 0 {
                at_last -= 1;
                return true;
            }
            *rank < last
        });
        servers.push((9, paint(&format!("  and {hidden} more servers"), Tone::Faint, color)));
    }
    lines.extend(servers.into_iter().map(|(_, line)| line));
    lines
}

/// The line of one server, and its rank: the lower, the more interesting.
fn line(
    snapshot: &StackSnapshot,
    server: &Name,
    standing: &Standing,
    now: Time,
    column: usize,
    width: usize,
    color: bool,
) -> (u16, String) {
    let parts: Vec<Part<'_>> =
        standing.components.keys().filter_map(|name| snapshot.find(&format!("{server}/{name}"))).collect();
    let done = parts.iter().filter(|part| matches!(said(part).map(|s| &s.state), Some(State::Done))).count();
    let (rank, mark, tone, what, since) = what(standing, &parts, done);
    let name = cut(server, column);
    let since = since.map(|since| between(since, now)).unwrap_or_default();
    let tally = if parts.len() > 1 { format!("{done}/{}", parts.len()) } else { String::new() };
    let right = format!("{tally:>5} {since:>7}");
    let room = width.saturating_sub(column + right.chars().count() + 7);
    let what = cut(&one_line(&what), room);
    let gap = " ".repeat(room.saturating_sub(what.chars().count()));
    let pad = " ".repeat(column.saturating_sub(name.chars().count()));
    let line = format!(
        " {} {}{pad}  {}{gap} {}",
        paint(mark, tone, color),
        paint(&name, Tone::Head, color),
        if tone == Tone::Bad { paint(&what, tone, color) } else { what },
        paint(&right, Tone::Faint, color)
    );
    (rank, line)
}

fn said<'p>(part: &Part<'p>) -> Option<&'p Status> {
    match part.condition {
        Condition::Said(status) => Some(status),
        Condition::Idle => None,
    }
}

type What = (u16, &'static str, Tone, String, Option<Time>);

/// Describes what a server does, the most important first.
fn what(standing: &Standing, parts: &[Part<'_>], done: usize) -> What {
    let states = || parts.iter().filter_map(|part| Some((part, said(part)?)));
    let root = states().find_map(|(part, status)| match &status.state {
        State::Failed(failure) if failure.through.is_empty() => Some((part, failure, status.since)),
        _ => None,
    });
    if let Some((part, failure, _)) = root {
        return (0, "✗", Tone::Bad, format!("{} failed: {}", part.name, failure.message), None);
    }
    if let Some((component, failure)) = standing.leaving.iter().find_map(|l| Some((&l.component, l.failure.as_ref()?)))
    {
        return (0, "✗", Tone::Bad, format!("the teardown of {component} failed: {}", failure.message), None);
    }
    if let Some(finishing) = standing.finishing.first() {
        let what = format!("still runs {} of revision {}", finishing.component, finishing.revision);
        return (2, "●", Tone::Busy, what, Some(finishing.since));
    }
    if let Some(leaving) = standing.leaving.first() {
        return (2, "●", Tone::Busy, format!("tears down {}", leaving.component), Some(leaving.since));
    }
    if let Some((part, status)) = states().find(|(_, status)| matches!(status.state, State::Running)) {
        return (2, "●", Tone::Busy, format!("runs {}", part.name), Some(status.since));
    }
    let passed = states().find_map(|(part, status)| match &status.state {
        State::Failed(failure) => Some((part, failure)),
        _ => None,
    });
    if let Some((part, failure)) = passed {
        return (1, "✗", Tone::Blocked, format!("{} is blocked because {} failed", part.name, failure.component), None);
    }
    let waiting = states().find_map(|(part, status)| match &status.state {
        State::Waiting(waits) => Some((part, waits, status.since)),
        _ => None,
    });
    if let Some((part, waits, since)) = waiting {
        let what = match waits.as_slice() {
            [] => format!("{} begins", part.name),
            waits => format!("{} waits for {}", part.name, waits_for(waits)),
        };
        return (3, "○", Tone::Waiting, what, Some(since));
    }
    if done == parts.len() {
        let names: Vec<&str> = parts.iter().map(|part| &**part.name).collect();
        return (5, "✓", Tone::Good, names.join(", "), None);
    }
    match &standing.alive {
        Some(alive) => (4, "○", Tone::Faint, "begins".into(), Some(alive.since)),
        None => (4, "○", Tone::Faint, "starts".into(), None),
    }
}

impl Log {
    fn report(&mut self, snapshot: &StackSnapshot, console: &mut Console) -> Result<(), CommandError> {
        let finishing: Vec<Finishing> =
            snapshot.servers.values().flat_map(|standing| standing.finishing.clone()).collect();
        for finishing in finishing.iter().filter(|finishing| !self.finishing.contains(finishing)) {
            console.err.write(&format!("{}{}\n", time(self.color), still_runs(finishing, clock::now())))?;
        }
        self.finishing = finishing;
        let leaving = || snapshot.servers.values().flat_map(|standing| &standing.leaving);
        for leaving in leaving().filter(|leaving| self.leaving.get(&leaving.component) != Some(*leaving)) {
            let component = &leaving.component;
            let text = match &leaving.failure {
                None => format!("{component} has left the model, and is torn down"),
                Some(failure) => format!("the teardown of {component} has failed: {}", failure.message),
            };
            console.err.write(&format!("{}{}\n", time(self.color), one_line(&text)))?;
        }
        self.leaving = leaving().map(|leaving| (leaving.component.clone(), leaving.clone())).collect();
        let mut said_now: Vec<(Vec<String>, Predicate)> = Vec::new();
        for part in snapshot.parts() {
            let Some(status) = said(&part) else { continue };
            let said = Said { revision: status.revision, state: status.state.clone() };
            let path = part.path();
            let before = self.seen.get(&path);
            if before.is_some_and(|before| same(before, &said)) {
                continue;
            }
            if let Some(predicate) = predicate(status, before) {
                match said_now.iter_mut().find(|(_, other)| predicate.joins(other)) {
                    Some((paths, _)) => paths.push(path.clone()),
                    None => said_now.push((vec![path.clone()], predicate)),
                }
            }
            self.seen.insert(path, said);
        }
        for (paths, predicate) in said_now {
            let text = predicate.sentence(&paths);
            console.err.write(&format!("{}{}\n", time(self.color), one_line(&text)))?;
        }
        Ok(())
    }
}

/// Whether the statuses are the same, apart from the start of a wait.
fn same(a: &Said, b: &Said) -> bool {
    a.revision == b.revision
        && match (&a.state, &b.state) {
            (State::Waiting(a), State::Waiting(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.what == b.what && a.input == b.input)
            }
            (a, b) => a == b,
        }
}

/// The message about a component, or about several that fail for the same reason at the same time.
#[derive(Clone, Debug, PartialEq)]
enum Predicate {
    One(String),
    /// It failed, for this reason.
    Failed(String),
    /// It is blocked because this component failed.
    Follows(Name),
}

impl Predicate {
    fn joins(&self, other: &Self) -> bool {
        !matches!(self, Self::One(_)) && self == other
    }

    fn sentence(&self, paths: &[String]) -> String {
        let several = paths.len() > 1;
        let names = paths.iter().take(NAMED).cloned();
        let more = paths.len().checked_sub(NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
        let who = join(names.chain(more), "and");
        match self {
            Self::One(what) => format!("{who} {what}"),
            Self::Failed(message) if several => format!("{who} have failed: {message}"),
            Self::Failed(message) => format!("{who} has failed: {message}"),
            Self::Follows(component) if several => format!("{who} are blocked because {component} has failed"),
            Self::Follows(component) => format!("{who} is blocked because {component} has failed"),
        }
    }
}

fn predicate(status: &Status, before: Option<&Said>) -> Option<Predicate> {
    let one = |what: &str| Predicate::One(what.to_owned());
    Some(match &status.state {
        State::Waiting(waits) if waits.is_empty() => return None,
        State::Waiting(waits) => Predicate::One(format!("waits for {}", waits_for(waits))),
        State::Running => one("runs"),
        State::Done
            if before.is_some_and(|before| before.revision < status.revision && before.state == State::Done) =>
        {
            one("is as it was")
        }
        State::Done => one("is done"),
        State::Failed(failure) if failure.through.is_empty() => Predicate::Failed(failure.message.clone()),
        State::Failed(failure) => Predicate::Follows(failure.component.clone()),
    })
}

fn time(color: bool) -> String {
    format!("{} ", paint(&format!("{:.0}", clock::now()), Tone::Faint, color))
}

/// `4 servers, 5 components`, and how many servers have left the model but still exist.
pub(super) fn size_of(snapshot: &StackSnapshot) -> String {
    let left = snapshot.servers.values().filter(|standing| standing.has_left()).count();
    let size =
        format!("{}, {}", count(snapshot.servers.len() - left, "server"), count(snapshot.tally().all, "component"));
    match left {
        0 => size,
        1 => format!("{size} (and 1 server that leaves)"),
        many => format!("{size} (and {many} servers that leave)"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wattle::model::{IndexMap, Order};

    use super::*;
    use crate::space::{Revision, ServerPlan};

    fn standing(retired: bool) -> Standing {
        let plan =
            ServerPlan { retired, ..ServerPlan::retired(&Revision { space: None, number: 2 }, Order::Dataflow, None) };
        Standing {
            alive: None,
            plan: Some(Arc::new(plan)),
            troubles: Vec::new(),
            leaving: Vec::new(),
            finishing: Vec::new(),
            is_behind: false,
            was_heard: false,
            components: [("say".into(), None)].into_iter().take(usize::from(!retired)).collect(),
        }
    }

    fn size(retired: &[bool]) -> String {
        let servers: IndexMap<Name, Standing> =
            retired.iter().enumerate().map(|(n, retired)| (format!("s{n}").into(), standing(*retired))).collect();
        size_of(&StackSnapshot { stack: "s".into(), desired: None, servers, admission: Default::default() })
    }

    #[test]
    fn servers_that_have_left_are_not_counted_as_the_stack_s() {
        assert_eq!(size(&[false, false]), "2 servers, 2 components");
        assert_eq!(size(&[false, true]), "1 server, 1 component (and 1 server that leaves)");
        assert_eq!(size(&[false, false, true, true]), "2 servers, 2 components (and 2 servers that leave)");
    }
}
