//! Jobs that need no cloud: resources that the engine itself implements, and servers' reports in the data space.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Outcome, Thing, What};
use wattle_deploy::{CONDITION, Waits, is_made_here, made_here};

use crate::report::StackSnapshot;
use crate::space::{Heard, Said, Signalled, Space};

/// How often to check whether a server's software has been torn down, or has signalled.
const PAUSE: Duration = Duration::from_secs(2);

/// The maximum number of characters of servers' reports in a message.
const LONGEST: usize = 2_000;

/// The data space of the stack, for jobs.
#[derive(Debug)]
pub(super) struct Software {
    space: Space,
    /// When waiting for signals began, by row.
    waits: Mutex<HashMap<Id, Instant>>,
}

impl Software {
    pub(super) fn new(space: Space) -> Self {
        Self { space, waits: Mutex::default() }
    }

    /// Carries out a job that needs no cloud; `None` for one that does.
    pub(super) async fn carry_out(&self, job: &Job) -> Option<Outcome> {
        let is_condition = &*job.kind == CONDITION;
        Some(match &job.what {
            What::Drain => self.drained(&job.name).await,
            What::Create { properties } | What::Update { properties } if is_condition => {
                self.signalled(job.row, properties).await
            }
            What::Create { .. } | What::Update { .. } if is_made_here(&job.kind) => made_here(job)
                .map_or_else(|| Outcome::Refused("it has no value".into()), |thing| Outcome::Done(Some(thing))),
            // It exists only as a fact.
            What::Look if is_condition || is_made_here(&job.kind) => Outcome::Absent,
            _ if is_condition || is_made_here(&job.kind) => Outcome::Done(None),
            _ => return None,
        })
    }

    /// Whether nothing remains to be torn down on a server before it is deleted. Absent if there is no teardown: the
    /// server has no agent, or it stays in the model and its components continue on its replacement.
    async fn drained(&self, server: &str) -> Outcome {
        // In a nested stack or a group, its own name comes last.
        let server = Name::from(server.rsplit('/').next().unwrap_or(server));
        let Ok(snapshot) = StackSnapshot::read(&self.space, None).await else { return Outcome::Later(PAUSE) };
        match snapshot.servers.get(&server) {
            Some(standing) if standing.has_left() => match (standing.tears_down(), standing.leaving.is_empty()) {
                (true, _) => Outcome::Later(PAUSE),
                (false, true) => Outcome::Done(None),
                (false, false) => Outcome::Absent,
            },
            Some(_) => Outcome::Absent,
            // It has left the model, and its agent has reported so before it ended, or no agent ever acted for it.
            None => match (self.space.plan(&server).await, self.space.server_status(&server).await) {
                (Ok(Some(plan)), Ok(Some(status))) if plan.retired && status.of() >= plan.of() => Outcome::Done(None),
                (Err(_), _) | (_, Err(_)) => Outcome::Later(PAUSE),
                _ => Outcome::Absent,
            },
        }
    }

    /// Whether a wait condition has received its signals.
    async fn signalled(&self, row: Id, properties: &Value) -> Outcome {
        let Some(waits) = Waits::of(properties) else {
            return Outcome::Refused("it does not say what it waits for".into());
        };
        let since = *self.waits().entry(row).or_insert_with(Instant::now);
        let outcome = match self.space.signalled(&waits.handle).await {
            Err(_) => Outcome::Later(PAUSE),
            Ok(said) => judged(row, &waits, said, since.elapsed()),
        };
        if !matches!(outcome, Outcome::Later(_)) {
            self.waits().remove(&row);
        }
        outcome
    }

    fn waits(&self) -> std::sync::MutexGuard<'_, HashMap<Id, Instant>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The outcome of a wait condition after some time. If the wait failed, the reason is in Heat's words.
fn judged(row: Id, waits: &Waits, said: Said, after: Duration) -> Outcome {
    let heard = Heard::of(said.signals);
    let failures = heard.reasons(Signalled::Failure);
    if !failures.is_empty() {
        return broken(&failures.join(";"));
    }
    if heard.successes() >= waits.count {
        let attributes = [("data".into(), Value::from(heard.data()))].into_iter().collect();
        return Outcome::Done(Some(Thing { phys: row.to_string().into(), attributes }));
    }
    let Some(left) = waits.timeout.checked_sub(after).filter(|left| !left.is_zero()) else {
        let mut why = format!("{} of {} received", heard.successes(), waits.count);
        let reasons = heard.reasons(Signalled::Success);
        if !reasons.is_empty() {
            why.push_str(&format!(" - {}", reasons.join(";")));
        }
        for (server, odd) in &said.odd {
            why.push_str(&format!("; what `{server}` signals does not count: {odd}"));
        }
        return broken(&why);
    };
    Outcome::Later(left.min(PAUSE))
}

/// The outcome of a failed wait. Servers may send any text, and it is shown on a terminal.
fn broken(why: &str) -> Outcome {
    let shown: String = why.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(LONGEST).collect();
    Outcome::Broken(shown.into())
}

#[cfg(test)]
mod tests {
    use wattle_agent_core::time::Time;

    use crate::space::Signal;

    use super::*;

    const ROW: Id = Id { term: 3, number: 5 };

    fn said(all: &[&str]) -> Said {
        let read = |(at, json): (usize, &&str)| {
            Signal::read(&serde_json::from_str(json).unwrap(), Time::from_secs(at as u64)).unwrap()
        };
        Said { signals: all.iter().enumerate().map(read).collect(), odd: Vec::new() }
    }

    fn waits(count: usize) -> Waits {
        Waits { handle: "3-1-ab".into(), count, timeout: Duration::from_mins(1) }
    }

    #[test]
    fn a_condition_is_met_by_as_many_signals_and_broken_by_one() {
        let judge = |all: &[&str], seconds| judged(ROW, &waits(2), said(all), Duration::from_secs(seconds));
        assert_eq!(judge(&["{}"], 0), Outcome::Later(PAUSE));
        assert_eq!(judge(&["{}"], 59), Outcome::Later(Duration::from_secs(1)));
        let Outcome::Done(Some(thing)) = judge(&[r#"{"data": 1}"#, r#"{"id": "b"}"#], 0) else { panic!("it is met") };
        assert_eq!((&*thing.phys, &thing.attributes["data"]), ("3-5", &r#"{"1":1,"b":null}"#.into()));
        let failed = [r#"{"status": "FAILURE", "reason": "no\ndisk"}"#, "{}", r#"{"status": "FAILURE"}"#, "{}"];
        assert_eq!(judge(&failed, 0), Outcome::Broken("no disk;Signal 3 received".into()));
        assert_eq!(judge(&[], 60), Outcome::Broken("0 of 2 received".into()));
        assert_eq!(judge(&[r#"{"reason": "up"}"#], 61), Outcome::Broken("1 of 2 received - up".into()));
    }

    #[test]
    fn what_does_not_count_is_reported_when_it_is_too_late() {
        let odd = |server: &str| Said {
            odd: vec![(server.into(), "its server has not signed it".to_owned())],
            ..Said::default()
        };
        assert_eq!(judged(ROW, &waits(1), odd("web"), Duration::ZERO), Outcome::Later(PAUSE));
        let Outcome::Broken(why) = judged(ROW, &waits(1), odd("web"), Duration::from_mins(1)) else {
            panic!("it is too late")
        };
        assert_eq!(&*why, "0 of 1 received; what `web` signals does not count: its server has not signed it");
        let loud = format!(r#"{{"status": "FAILURE", "reason": "{}"}}"#, "x".repeat(LONGEST * 2));
        let Outcome::Broken(why) = judged(ROW, &waits(1), said(&[&loud]), Duration::ZERO) else { panic!("it failed") };
        assert_eq!(why.len(), LONGEST);
    }
}
