//! The progress output of a deployment: a line for each action that completes or fails.

use std::collections::HashMap;
use std::time::Instant;

use wattle::model::Name;
use wattle::names::some;
use wattle_converge::{Act, Outcome, Stage, What};
use wattle_words::time::short;

use crate::cli::paint::{Tone, cut, paint};
use crate::deploy::{Count, News};

/// The state of a server whose software was torn down.
const TORN_DOWN: &str = "torn down";

/// The actions in progress, with their start times.
#[derive(Debug, Default)]
pub(super) struct Display {
    begun: HashMap<Name, (Instant, Name, &'static str)>,
    /// The reasons of failures, each with the first resource that failed for it.
    failed: HashMap<String, Name>,
    /// The last reported reason why the state cannot be read.
    blind: Option<Name>,
    count: Count,
    color: bool,
}

impl Display {
    pub(super) fn new(color: bool) -> Self {
        Self { color, ..Self::default() }
    }

    /// The line that reports `news`, if it is worth one.
    pub(super) fn line(&mut self, news: &News) -> Option<String> {
        match news {
            News::Elsewhere => {
                Some(self.quiet("another `wattle deploy` is running and has been notified; this one watches"))
            }
            News::Begins { name, kind, what } => {
                let word = match what {
                    What::Create { .. } | What::Look => "created",
                    What::Update { .. } => "changed",
                    What::Read => "read again",
                    What::Release { .. } => "released",
                    What::Drain => TORN_DOWN,
                    What::Delete => "deleted",
                };
                let is_late = word == "deleted" && self.is_torn_down(name);
                self.begin(name, kind, word);
                is_late.then(|| self.quiet(&format!("{name} was not torn down in time, and is deleted anyway")))
            }
            News::Outcome { name, act, outcome } => self.outcome(name, act.as_ref(), outcome),
            News::Seen { name, was, is } => self.seen(name, was, is.as_ref()),
            News::Blind(why) => self.blind(why),
            News::Stalled(waits) => {
                let waits: Vec<String> = waits.iter().map(|wait| format!("\n  {wait}")).collect();
                Some(self.quiet(&format!("nothing has changed for a while:{}", waits.concat())))
            }
            News::Count(count) => {
                self.count = *count;
                None
            }
            News::Settled { .. } => None,
        }
    }

    /// The actions in progress, in a line of at most this width. `None` if there are none.
    pub(super) fn under_way(&self, width: usize) -> Option<String> {
        let mut begun: Vec<(Instant, &Name)> = self.begun.iter().map(|(name, (began, ..))| (*began, name)).collect();
        begun.sort();
        let (first, _) = begun.first()?;
        let names = some(begun.iter().map(|(_, name)| &***name), 3);
        let (there, busy) = (self.count.there, begun.len());
        // On a narrow terminal, drop names first.
        let line = format!("{there} there, {busy} under way for {}: {names}", short(first.elapsed().as_secs()));
        Some(paint(&cut(&line, width), Tone::Busy, self.color))
    }

    /// Records the start of an action. `word` describes the result.
    pub(super) fn begin(&mut self, name: &Name, kind: &Name, word: &'static str) {
        let began = self.begun.get(name).filter(|(_, _, known)| *known == word).map(|(began, ..)| *began);
        self.begun.insert(name.clone(), (began.unwrap_or_else(Instant::now), kind.clone(), word));
    }

    /// Whether its software is being torn down.
    fn is_torn_down(&self, name: &Name) -> bool {
        self.begun.get(name).is_some_and(|(_, _, word)| *word == TORN_DOWN)
    }

    /// Records a failure. A repeated reason is not shown again.
    pub(super) fn fail(&mut self, name: &Name, why: &str) -> String {
        self.begun.remove(name);
        if let Some(first) = self.failed.get(why).filter(|first| *first != name) {
            return self.wrong(&format!("{name} failed as `{first}` did"));
        }
        self.failed.insert(why.to_owned(), name.clone());
        self.wrong(&format!("{name} failed: {why}"))
    }

    /// Records that the state cannot be read.
    fn blind(&mut self, why: &str) -> Option<String> {
        if self.blind.as_deref() == Some(why) {
            return None;
        }
        self.blind = Some(why.into());
        Some(match self.failed.get(why) {
            Some(first) => self.wrong(&format!("cannot determine what exists, as `{first}` failed")),
            None => self.wrong(&format!("cannot determine what exists: {why}")),
        })
    }

    fn outcome(&mut self, name: &Name, act: Option<&Act>, outcome: &Outcome) -> Option<String> {
        match outcome {
            // Nothing runs on it that could be torn down.
            Outcome::Absent if self.is_torn_down(name) => {
                self.begun.remove(name);
                None
            }
            Outcome::Done(_) | Outcome::Absent if !matches!(act, Some(Act::Look)) => self.done(name),
            Outcome::Done(_) => self.done(name),
            Outcome::Refused(why) | Outcome::Broken(why) => Some(self.fail(name, why)),
            Outcome::Unknown => {
                Some(self.quiet(&format!("{name}: no answer came, so wattle looks for it before it tries again")))
            }
            Outcome::Accepted(_) | Outcome::Absent | Outcome::Later(_) => None,
        }
    }

    fn seen(
        &mut self,
        name: &Name,
        was: &(bool, Stage, Option<Name>),
        is: Option<&(bool, Stage, Option<Name>)>,
    ) -> Option<String> {
        match is {
            Some((true, Stage::Failed, how)) => {
                self.begun.remove(name);
                let why = how.as_ref().map_or(String::new(), |how| format!(": {how}"));
                Some(self.wrong(&format!("{name} is broken{why}")))
            }
            Some((true, Stage::Gone, _)) if was.0 => {
                Some(self.wrong(&format!("{name} is gone: someone else deleted it")))
            }
            Some((true, _, Some(how))) if was.2.as_ref() != Some(how) => {
                Some(self.wrong(&format!("{name} is not as it was deployed: {how}")))
            }
            Some((true, Stage::Sound, None)) if was.2.is_some() => Some(self.good(name, "is again as it was deployed")),
            Some((true, ..)) | None if !was.0 => self.done(name),
            _ => None,
        }
    }

    /// Records the end of an action.
    pub(super) fn done(&mut self, name: &Name) -> Option<String> {
        let (began, kind, word) = self.begun.remove(name)?;
        if word == TORN_DOWN {
            // Its deletion follows.
            return Some(self.good(name, "is torn down"));
        }
        let took = began.elapsed().as_secs();
        let took = if took == 0 { String::new() } else { format!(", after {}", short(took)) };
        Some(self.good(name, &paint(&format!("{word} ({kind}{took})"), Tone::Faint, self.color)))
    }

    fn good(&self, name: &str, what: &str) -> String {
        format!("{} {name} {what}", paint("✓", Tone::Good, self.color))
    }

    fn wrong(&self, what: &str) -> String {
        format!("{} {what}", paint("✗", Tone::Bad, self.color))
    }

    pub(super) fn quiet(&self, what: &str) -> String {
        paint(what, Tone::Waiting, self.color)
    }
}

#[cfg(test)]
mod tests {
    use wattle::model::Resource;

    use super::*;

    #[test]
    fn a_reason_is_said_once() {
        let mut display = Display::new(false);
        let mut fail = |name: &str, why: &str| display.fail(&name.into(), why);
        assert_eq!(fail("net", "the token has ended"), "✗ net failed: the token has ended");
        assert_eq!(fail("router", "the token has ended"), "✗ router failed as `net` did");
        assert_eq!(fail("web", "no host"), "✗ web failed: no host");
        assert_eq!(fail("net", "the token has ended"), "✗ net failed: the token has ended", "tried again");
        let mut blind = |why: &str| display.line(&News::Blind(why.into()));
        assert_eq!(blind("the token has ended").as_deref(), Some("✗ cannot determine what exists, as `net` failed"));
        assert_eq!(blind("the token has ended"), None);
        assert_eq!(blind("busy").as_deref(), Some("✗ cannot determine what exists: busy"));
    }

    #[test]
    fn only_what_was_torn_down_is_said_to_be() {
        let mut display = Display::new(false);
        let begins = |what| News::Begins { name: "web".into(), kind: Resource::SERVER.into(), what };
        let ends = |outcome| News::Outcome { name: "web".into(), act: Some(Act::Delete), outcome };
        let gone = Some("✓ web deleted (OS::Nova::Server)".to_owned());
        let mut said = |news: [News; 4]| news.map(|news| display.line(&news));
        let (drain, delete) = (|| begins(What::Drain), || begins(What::Delete));
        let torn = said([drain(), ends(Outcome::Done(None)), delete(), ends(Outcome::Done(None))]);
        assert_eq!(torn, [None, Some("✓ web is torn down".to_owned()), None, gone.clone()]);
        let nothing = said([drain(), ends(Outcome::Absent), delete(), ends(Outcome::Done(None))]);
        assert_eq!(nothing, [None, None, None, gone.clone()]);
        let later = Outcome::Later(std::time::Duration::ZERO);
        let late = said([drain(), ends(later), delete(), ends(Outcome::Done(None))]);
        assert_eq!(late, [None, None, Some("web was not torn down in time, and is deleted anyway".to_owned()), gone]);
    }
}
