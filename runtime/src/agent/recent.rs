//! The last lines that an agent has logged: for each component, and for all together.
//!
//! They come from the agent's log, in which secrets are masked before they get here.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use wattle::model::{IndexMap, Name};
use wattle_agent_core::time::Time;

use crate::clock;
use crate::space::Log;

/// The maximum number of bytes of lines to keep for each component.
const MOST: usize = 12 << 10;

/// The maximum number of components whose lines are kept.
const COMPONENTS: usize = 200;

/// The last lines of a log, available to operators on request.
#[derive(Debug)]
pub struct Recent {
    since: Time,
    rings: Mutex<Rings>,
    /// Counts the lines.
    said: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Rings {
    all: Ring,
    /// The component that logged last is at the end.
    of: IndexMap<Name, Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    lines: VecDeque<String>,
    bytes: usize,
    count: u64,
}

impl Default for Recent {
    fn default() -> Self {
        Self { since: clock::now(), rings: Mutex::default(), said: watch::Sender::new(0) }
    }
}

impl Recent {
    fn rings(&self) -> MutexGuard<'_, Rings> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a line, which may be about a `component` (`SERVER/COMPONENT`).
    pub fn say(&self, component: Option<&str>, line: &str) {
        let line = cut(line, MOST);
        {
            let mut rings = self.rings();
            let Rings { all, of } = &mut *rings;
            if let Some(component) = component {
                all.push(format!("{line} component={component}"));
                let mut ring = of.shift_remove(component).unwrap_or_default();
                ring.push(line.to_owned());
                if of.len() == COMPONENTS {
                    of.shift_remove_index(0);
                }
                of.insert(component.into(), ring);
            } else {
                all.push(line.to_owned());
            }
        }
        self.said.send_modify(|said| *said += 1);
    }

    /// Notifies of further lines.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.said.subscribe()
    }

    /// The last lines about `component`, or all if it is `None`, limited to `room` bytes of JSON.
    pub fn last(&self, component: Option<&str>, room: usize) -> Log {
        let rings = self.rings();
        let none = Ring::default();
        let ring = component.map_or(&rings.all, |component| rings.of.get(component).unwrap_or(&none));
        let (mut lines, mut left) = (VecDeque::new(), room);
        for line in ring.lines.iter().rev() {
            let length = json_length(line);
            if length > left {
                // The beginning of the last line is better than nothing.
                if lines.is_empty() {
                    lines.push_front(shortened(line, left));
                }
                break;
            }
            left -= length;
            lines.push_front(line.clone());
        }
        let before = ring.count - lines.len() as u64;
        Log { since: self.since, before, lines: lines.into() }
    }
}

impl Ring {
    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.count += 1;
        self.lines.push_back(line);
        while self.bytes > MOST && self.lines.len() > 1 {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
        }
    }
}

/// Truncates `text` to at most `most` bytes.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The size of a line as an item of a JSON list, in bytes.
fn json_length(line: &str) -> usize {
    serde_json::to_string(line).map_or(usize::MAX, |json| json.len() + 1)
}

/// Truncates a line to `room` bytes of JSON.
fn shortened(line: &str, room: usize) -> String {
    let mut most = room.min(line.len());
    loop {
        let short = format!("{}…", cut(line, most));
        match json_length(&short).checked_sub(room).filter(|excess| *excess > 0) {
            // An escape sequence has at most six bytes.
            Some(excess) if most > 0 => most = most.saturating_sub(excess.div_ceil(6)),
            _ => return short,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_each_component_stay_however_much_another_one_says() {
        let recent = Recent::default();
        recent.say(Some("a/quiet"), "one");
        recent.say(None, "of the agent");
        for number in 0..10_000 {
            recent.say(Some("a/loud"), &format!("line {number}"));
        }
        let quiet = recent.last(Some("a/quiet"), 1000);
        assert_eq!((quiet.before, &*quiet.lines), (0, &["one".to_owned()][..]));
        let loud = recent.last(Some("a/loud"), 1000);
        assert_eq!(loud.lines.last().unwrap(), "line 9999");
        assert_eq!(loud.before + loud.lines.len() as u64, 10_000);
        assert!(serde_json::to_string(&loud.lines).unwrap().len() <= 1001);
        assert!(recent.rings().of["a/loud"].bytes <= MOST);
        let all = recent.last(None, 1000);
        assert_eq!((all.lines.last().unwrap().as_str(), all.since), ("line 9999 component=a/loud", recent.since));
        assert_eq!(recent.last(Some("a/none"), 1000).lines, [""; 0]);
    }

    #[test]
    fn what_is_kept_is_bounded_in_components_and_in_lines() {
        let recent = Recent::default();
        (0..COMPONENTS + 10).for_each(|number| recent.say(Some(&format!("a/{number}")), "x"));
        assert_eq!(recent.rings().of.len(), COMPONENTS);
        for line in ["x".repeat(1 << 20), "\u{1b}é".repeat(1 << 20)] {
            recent.say(Some("a/long"), &line);
            for room in [0, 10, 100, 5000] {
                let log = recent.last(Some("a/long"), room);
                assert_eq!(log.lines.len(), 1);
                let length = serde_json::to_string(&log.lines).unwrap().len();
                assert!(length <= room.max(10) + 1, "{room}: {length}");
            }
        }
    }
}
