//! Caches what lists showed before any job began, so that a light change need not read the resource again.
//!
//! A deployment first reads the lists, and then changes what differs. With this cache, a light change is one request
//! instead of several. An entry is used for a minute, once, and not at all once any other job has begun: another
//! server, or a port's new address, also shows in a server's list entry.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use wattle_converge::{Job, What};

use super::Found;

/// How long an entry is valid.
const LONGEST: Duration = Duration::from_mins(1);

/// The cached things, and the jobs that have begun since.
#[derive(Debug, Default)]
pub(super) struct Fresh(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of jobs that have begun.
    begun: u64,
    under_way: u64,
    /// When the lists that showed the things were read.
    at: Option<SystemTime>,
    /// The things, by their types and names in the cloud.
    things: BTreeMap<(String, String), Found>,
}

/// The state before lists are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    begun: u64,
    at: SystemTime,
}

/// A running job, until this guard is dropped.
pub(super) struct UnderWay<'a>(&'a Fresh);

impl Fresh {
    /// Prepares for reading lists. Returns `None` if jobs are running: the result could be outdated.
    pub(super) fn before(&self, now: SystemTime) -> Option<Before> {
        let state = self.state();
        (state.under_way == 0).then_some(Before { begun: state.begun, at: now })
    }

    /// Keeps the listed things, unless a job has begun meanwhile.
    pub(super) fn keep(&self, before: Before, things: BTreeMap<(String, String), Found>) {
        let mut state = self.state();
        if state.begun == before.begun {
            state.at = Some(before.at);
            state.things = things;
        }
    }

    /// Begins a job. Returns the cached thing that it changes, if that thing has the mark of the job's row and should
    /// be unchanged. `is_whole` says that lists show things of its type completely.
    pub(super) fn begin(&self, job: &Job, is_whole: bool, now: SystemTime) -> (UnderWay<'_>, Option<Found>) {
        let mut state = self.state();
        state.begun += 1;
        state.under_way += 1;
        let is_recent = state.at.is_some_and(|at| now.duration_since(at).is_ok_and(|age| age < LONGEST));
        if !(is_recent && is_whole && matches!(job.what, What::Update { .. })) {
            state.things.clear();
        }
        let key = job.phys.as_ref().map(|phys| (job.kind.to_string(), phys.to_string()));
        let found = key.and_then(|key| state.things.remove(&key)).filter(|found| found.row == Some(job.row));
        (UnderWay(self), found)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;
    use wattle_converge::{Id, Time};

    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;
    const ROW: Id = Id { term: 1, number: 1 };

    fn job(phys: &str, what: What) -> Job {
        Job {
            id: ROW,
            row: ROW,
            name: "web".into(),
            kind: "OS::Nova::Server".into(),
            phys: Some(phys.into()),
            noted: BTreeMap::new(),
            left: BTreeSet::new(),
            what,
            is_new: false,
            not_after: Time::from_millis(0),
        }
    }

    fn change(phys: &str) -> Job {
        job(phys, What::Update { properties: serde_json::from_str("{}").expect("properties") })
    }

    /// A cache after lists were read without a job in between.
    fn shown() -> Fresh {
        let fresh = Fresh::default();
        keep(&fresh, fresh.before(START).expect("nothing is under way"));
        fresh
    }

    fn keep(fresh: &Fresh, before: Before) {
        let found =
            |phys: &str| (("OS::Nova::Server".to_owned(), phys.to_owned()), Found::new(Some(ROW), phys, json!({})));
        fresh.keep(before, [found("a"), found("b")].into());
    }

    fn is_known(fresh: &Fresh, job: &Job, seconds: u64) -> bool {
        fresh.begin(job, true, START + Duration::from_secs(seconds)).1.is_some()
    }

    #[test]
    fn each_thing_is_known_once_and_for_a_minute() {
        let fresh = shown();
        assert!(is_known(&fresh, &change("a"), 1) && !is_known(&fresh, &change("a"), 2));
        assert!(!is_known(&fresh, &change("c"), 2));
        assert!(is_known(&fresh, &change("b"), 59));
        assert!(!is_known(&shown(), &change("a"), 60));
    }

    #[test]
    fn nothing_is_known_once_something_else_was_begun() {
        let fresh = shown();
        assert!(!is_known(&fresh, &job("b", What::Look), 1));
        assert!(!is_known(&fresh, &change("a"), 2));
        let fresh = shown();
        let port = Job { kind: "OS::Neutron::Port".into(), ..change("c") };
        assert!(fresh.begin(&port, false, START).1.is_none() && !is_known(&fresh, &change("a"), 1));
    }

    #[test]
    fn what_has_the_mark_of_another_row_is_not_known() {
        let other = Job { row: Id { term: 1, number: 2 }, ..change("a") };
        assert!(!is_known(&shown(), &other, 1));
    }

    #[test]
    fn what_is_listed_while_jobs_are_under_way_is_not_kept() {
        let fresh = Fresh::default();
        let before = fresh.before(START).expect("nothing is under way");
        drop(fresh.begin(&change("a"), true, START));
        keep(&fresh, before);
        assert!(!is_known(&fresh, &change("a"), 1));
        let under_way = fresh.begin(&change("a"), true, START);
        assert!(fresh.before(START).is_none());
        drop(under_way);
        keep(&fresh, fresh.before(START).expect("it is over"));
        assert!(is_known(&fresh, &change("a"), 1));
    }
}
