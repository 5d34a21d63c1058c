//! Checks the results of a case.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep;
use wattle_runtime::space::{Content, Failure, Place, State, Written, open_entry};

use super::super::fake::{Event, Log, What};
use super::super::oracle::{self, Key, Outcome, Roots};
use super::super::topology::Output;
use super::Case;

impl Case {
    /// Checks that the data space is the same as in every schedule.
    pub(super) async fn judge(&self, outcomes: &BTreeMap<usize, Outcome>) {
        let (space, plans) = (self.space(), self.plans().await);
        for (at, outcome) in outcomes {
            let component = &self.topology.components[*at];
            let name = self.topology.full(*at);
            let case = format!("case {}, revision {}, {name}", self.number, self.revision);
            let booted = self.booted[component.server];
            for output in &component.outputs {
                let written = space.peek(&format!("{name}/{}", output.name)).await.expect("an entry");
                let written = written.filter(|written| plans[&component.server] == written.revision);
                if !booted {
                    assert_eq!(written, None, "{case}");
                    continue;
                }
                let Some(Written { content, .. }) = written else { panic!("{case}/{}: nothing", output.name) };
                if outcome.is_open {
                    if let (Content::Value(_) | Content::Sealed(_), Some(kept)) =
                        (&content, outcome.kept.get(&output.name))
                    {
                        assert_eq!(self.reveal(*at, output, content), *kept, "{case}/{}", output.name);
                    }
                    continue;
                }
                match (content, outcome.values.get(&output.name)) {
                    (Content::Failure(failure), None) => {
                        self.judge_failure(&case, &name, &failure, &outcome.roots);
                    }
                    (content, Some(value)) => {
                        assert_eq!(self.reveal(*at, output, content), *value, "{case}/{}", output.name);
                    }
                    (content, None) => {
                        panic!("{case}/{}: {content:?}, not {:?}: {:#?}", output.name, outcome.roots, self.topology)
                    }
                }
            }
            if !booted {
                continue;
            }
            match space.status(&name).await.expect("a status").expect("told").state {
                State::Done | State::Failed(_) if outcome.is_open => {}
                State::Done => assert!(outcome.is_done(), "{case}: done, not {:?}", outcome.roots),
                State::Failed(failure) => self.judge_failure(&case, &name, &failure, &outcome.roots),
                other => panic!("{case}: {other:?}"),
            }
        }
    }

    fn reveal(&self, component: usize, output: &Output, content: Content) -> Value {
        let server = &self.topology.servers[self.topology.components[component].server].name;
        let value = match content {
            Content::Value(value) if !output.secret => value,
            Content::Sealed(sealed) if output.secret => {
                let credential = self.options.credentials.get(server).expect("INVARIANT: every server has one");
                let (stack, entry) = (super::STACK, &*format!("{}/{}", self.topology.full(component), output.name));
                open_entry(&sealed, &Place { stack, entry }, &credential.opener()).expect("the writer can read it")
            }
            other => panic!("case {}: {other:?}, secret: {}", self.number, output.secret),
        };
        serde_json::to_value(value).expect("INVARIANT: it is JSON")
    }

    fn judge_failure(&self, case: &str, name: &str, failure: &Failure, roots: &Roots) {
        let root = (failure.component.to_string(), oracle::kind(failure.kind));
        assert!(roots.contains(&root), "{case}: {failure:?}, not {roots:?}");
        let own = *failure.component == *name;
        assert_eq!(own, failure.through.is_empty(), "{case}: {failure:?}");
        assert!(own || failure.through.last().is_some_and(|last| **last == *name), "{case}: {failure:?}");
        if root.1 == "wait" {
            let absent: Vec<String> = (0..self.booted.len())
                .filter(|server| !self.booted[*server])
                .map(|server| {
                    format!("never started: no agent of server `{}` has come up", self.topology.servers[server].name)
                })
                .collect();
            let is_out = failure.message.ends_with("the data space does not answer");
            assert!(is_out || absent.iter().any(|absent| failure.message.contains(absent)), "{case}: {failure:?}");
        }
    }

    /// The revision in which each server's plan last changed.
    async fn plans(&self) -> BTreeMap<usize, u64> {
        let (space, mut plans) = (self.space(), BTreeMap::new());
        for (at, server) in self.topology.servers.iter().enumerate() {
            let plan = space.plan(&server.name).await.expect("a plan");
            plans.extend(plan.map(|plan| (at, plan.revision)));
        }
        plans
    }

    /// Checks that exactly those components ran that differ from when they finished, on the servers for which this
    /// revision changes something.
    pub(super) async fn judge_runs(
        &self,
        seen: usize,
        outcomes: &BTreeMap<usize, Outcome>,
        finished: &mut BTreeMap<usize, Key>,
        unsure: &mut BTreeSet<usize>,
    ) {
        unsure.extend(outcomes.iter().filter(|(_, outcome)| outcome.is_open).map(|(at, _)| *at));
        finished.retain(|at, _| self.topology.components[*at].present);
        let (plans, mut expected) = (self.plans().await, BTreeSet::new());
        for (at, outcome) in outcomes {
            let component = &self.topology.components[*at];
            if plans[&component.server] != self.revision {
                continue;
            }
            let key = oracle::key(component, outcome);
            // A finished component that requests its inputs itself is compared before it is started, unless it has
            // changed now.
            let may_be_same = finished.get(at).is_some_and(|before| before.declared == key.declared);
            let waits = component.recipe.chef && may_be_same && outcome.inputs.is_none();
            if !outcome.starts || waits || finished.get(at) == Some(&key) {
                continue;
            }
            expected.insert(self.topology.full(*at));
            finished.remove(at);
            if outcome.is_done() {
                finished.insert(*at, key);
            }
        }
        let events = self.log.events();
        let started = events[seen..].iter().filter(|event| event.what == What::Started);
        let started: Vec<String> = started.map(|event| event.component.clone()).collect();
        let mut unique: BTreeSet<String> = started.iter().cloned().collect();
        let case = format!("case {}, revision {}", self.number, self.revision);
        assert_eq!(unique.len(), started.len(), "{case}: run twice: {started:?}");
        for at in unsure.iter() {
            let name = self.topology.full(*at);
            unique.remove(&name);
            expected.remove(&name);
        }
        assert_eq!(unique, expected, "{case}: {:#?}", self.topology);
    }

    /// Checks that what has left was torn down in reverse order of running, before anything of the revision ran, with
    /// its last inputs; failures are reported.
    pub(super) async fn judge_teardowns(&mut self, seen: usize) {
        let case = format!("case {}, revision {}", self.number, self.revision);
        let events = self.log.events().clone();
        let (before, now) = events.split_at(seen);
        let server = |event: &Event| event.component.split('/').next().unwrap_or_default().to_owned();
        let index = |name: &str| (0..self.topology.components.len()).find(|at| self.topology.full(*at) == name);
        let gone = |event: &Event| {
            index(&event.component).is_some_and(|at| {
                let component = &self.topology.components[at];
                !component.present && component.teardown
            })
        };
        let plans = self.plans().await;
        for (at, of) in self.topology.servers.iter().enumerate() {
            let is_moved = plans.get(&at) == Some(&self.revision);
            let mut due: Vec<&str> = Vec::new();
            for event in before.iter().rev().filter(|event| server(event) == of.name && gone(event)) {
                let is_torn_down =
                    before.iter().any(|other| other.what == What::TornDown && other.component == event.component);
                if event.what == What::Started && !is_torn_down && !due.contains(&event.component.as_str()) {
                    due.push(&event.component);
                }
            }
            let mine = || now.iter().filter(|event| server(event) == of.name);
            let torn: Vec<&str> =
                mine().filter(|event| event.what == What::TearsDown).map(|event| event.component.as_str()).collect();
            let due = if is_moved { due } else { Vec::new() };
            let due = as_begun(due, &torn, before);
            assert_eq!(torn, due, "{case}: torn down on {}", of.name);
            let first_run = mine().position(|event| event.what == What::Started).unwrap_or(usize::MAX);
            let last_teardown = mine().filter(|event| event.what != What::Succeeded).count();
            assert!(torn.is_empty() || first_run >= torn.len().min(last_teardown), "{case}: {now:#?}");
            let status = self.space().server_status(&of.name).await.expect("a status");
            for name in &torn {
                let at = index(name).expect("INVARIANT: it is known");
                let fails = self.topology.components[at].recipe.teardown_fails;
                let leaving = status.clone().expect("told").leaving;
                let is_reported =
                    leaving.iter().any(|leaving| *leaving.component == **name && leaving.failure.is_some());
                assert_eq!(is_reported, fails, "{case}: {leaving:?}");
                let last = before.iter().rev().find(|event| event.component == **name);
                if let Some(last) = last.filter(|event| event.what == What::Succeeded) {
                    let torn = mine().find(|event| event.component == **name).expect("INVARIANT: just found");
                    for (input, value) in &last.inputs {
                        assert_eq!(torn.inputs.get(input), Some(value), "{case}: {name} was torn down with others");
                    }
                }
            }
        }
    }

    /// Checks that restarted agents find everything ended, and leave it so.
    pub(super) async fn nothing_runs_again(&mut self) {
        self.agents.shutdown().await;
        let runs = |log: &Log| log.events().iter().filter(|event| event.what == What::Started).count();
        let seen = runs(&self.log);
        let before = self.entries().await;
        self.start_all(1);
        sleep(Duration::from_secs(5_000)).await;
        assert_eq!(runs(&self.log), seen, "case {}: something that had ended ran again", self.number);
        assert_eq!(self.entries().await, before, "case {}", self.number);
    }

    async fn entries(&self) -> Vec<Option<Written>> {
        let space = self.space();
        let mut entries = Vec::new();
        for (at, component) in self.topology.present() {
            for output in &component.outputs {
                entries
                    .push(space.peek(&format!("{}/{}", self.topology.full(at), output.name)).await.expect("an entry"));
            }
        }
        entries
    }
}

/// The `due` components, the last that ran first; of two that began together, in the order of `torn`.
fn as_begun<'e>(mut due: Vec<&'e str>, torn: &[&str], events: &[Event]) -> Vec<&'e str> {
    let began =
        |component: &str| events.iter().rposition(|event| event.what == What::Started && event.component == component);
    for at in 1..due.len() {
        let (later, earlier) = (began(due[at - 1]), began(due[at]));
        let is_together = later.zip(earlier).is_some_and(|(later, earlier)| later == earlier + 1);
        if is_together && torn.get(at - 1) == Some(&due[at]) {
            due.swap(at - 1, at);
        }
    }
    due
}
