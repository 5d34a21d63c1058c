//! Jobs and their outcomes: in a simulated cloud, and in a remote one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value as Json;
use wattle_converge::{Id, Outcome, Sight, Thing, What};
use wattle_model::{Name, Value};
use wattle_openstack::Method;
use wattle_openstack::driver::{Expected, Rows, Seen};
use wattle_openstack::session::Call;
use wattle_openstack::version::Version;

/// An SSH key.
pub(crate) const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEx ann@example";

/// An id that does not exist.
pub(crate) const UNKNOWN: &str = "0123456789abcdef0123456789abcdef";

/// The expectations and the knowledge of rows.
#[derive(Default)]
pub(crate) struct Desk {
    expected: BTreeMap<Id, Value>,
    noted: BTreeMap<Name, Value>,
    known: BTreeMap<(Name, Name), Id>,
}

impl Desk {
    /// A row that expects these properties.
    pub(crate) fn expects(row: Id, properties: &Json) -> Self {
        Self { expected: [(row, value(properties))].into(), ..Self::default() }
    }

    /// The row's thing had these attributes after the last action on it.
    pub(crate) fn noted(mut self, noted: &BTreeMap<Name, Value>) -> Self {
        self.noted = noted.clone();
        self
    }

    /// A row knows a thing by its name in the cloud.
    pub(crate) fn knows(mut self, row: Id, kind: &str, phys: &str) -> Self {
        self.known.insert((kind.into(), phys.into()), row);
        self
    }
}

impl Rows for Desk {
    fn expected(&self, row: Id) -> Option<Expected<'_>> {
        Some(Expected { name: "web", properties: self.expected.get(&row)?, noted: &self.noted })
    }

    fn row_of(&self, kind: &str, phys: &str) -> Option<Id> {
        self.known.get(&(kind.into(), phys.into())).copied()
    }
}

/// Converts a template's value.
pub(crate) fn value(json: &Json) -> Value {
    serde_json::from_value(json.clone()).expect("a value")
}

/// A worker that carries out jobs in a cloud.
pub(crate) trait Jobs {
    /// A new row.
    fn row(&self) -> Id;

    /// Lets time pass in the cloud.
    fn pass(&self, time: Duration);

    /// Carries out one job, once.
    fn once(&self, row: Id, kind: &str, phys: Option<&str>, what: What) -> Outcome {
        self.once_noted(row, kind, phys, what, &BTreeMap::new())
    }

    /// Like `once`, for a thing that had these attributes after the last action on it.
    fn once_noted(
        &self,
        row: Id,
        kind: &str,
        phys: Option<&str>,
        what: What,
        noted: &BTreeMap<Name, Value>,
    ) -> Outcome {
        self.once_left(row, kind, phys, what, noted, &BTreeSet::new())
    }

    /// Like `once`, for a thing that is no longer given these properties.
    fn once_left(
        &self,
        row: Id,
        kind: &str,
        phys: Option<&str>,
        what: What,
        noted: &BTreeMap<Name, Value>,
        left: &BTreeSet<Name>,
    ) -> Outcome;

    /// A service's response to a call.
    fn answer(&self, call: Call) -> Json;

    /// A service's response to a read.
    fn get(&self, service: &'static str, path: &str) -> Json {
        let call = Call::new(service, Method::Get, path);
        // Since this version, servers have tags.
        self.answer(if service == "compute" { call.version(Version::new(2, 26)) } else { call })
    }

    /// Observes the things of a type.
    fn list(&self, kind: &str, desk: &Desk) -> Vec<Seen>;

    /// Whether the cloud supports this property, or this part of it: `property.key`. A real one supports less than the
    /// simulation.
    fn has(&self, kind: &str, property: &str) -> bool;

    /// Whether things of this type are tested.
    fn tries(&self, _kind: &str) -> bool {
        true
    }

    /// The id of a QoS policy. A simulated cloud accepts any.
    fn policy(&self) -> String {
        UNKNOWN.to_owned()
    }

    /// Carries out one job until it ends, as the engine does; accepted jobs are followed by reading lists.
    fn carry_out(&self, row: Id, kind: &str, phys: Option<&str>, what: &What) -> Outcome {
        self.carry_out_noted(row, kind, phys, what, &BTreeMap::new())
    }

    /// Like `carry_out`, for a thing that had these attributes after the last action on it.
    fn carry_out_noted(
        &self,
        row: Id,
        kind: &str,
        phys: Option<&str>,
        what: &What,
        noted: &BTreeMap<Name, Value>,
    ) -> Outcome {
        for _ in 0..100 {
            match self.once_noted(row, kind, phys, what.clone(), noted) {
                Outcome::Later(after) => self.pass(after),
                Outcome::Accepted(_) => return self.ended(row, kind, matches!(what, What::Delete)),
                outcome => return outcome,
            }
        }
        panic!("{kind} is never done: {what:?}")
    }

    fn ended(&self, row: Id, kind: &str, goes: bool) -> Outcome {
        for _ in 0..100 {
            match self.sight(row, kind, &Desk::default()) {
                Some(Sight::Ready(thing) | Sight::Changed(thing, _)) if !goes => return Outcome::Done(Some(thing)),
                Some(Sight::Broken(_, why)) if !goes => return Outcome::Broken(why),
                None if goes => return Outcome::Done(None),
                _ => self.pass(Duration::from_secs(1)),
            }
        }
        panic!("{kind} of {row} does not come to an end")
    }

    /// Creates a thing and waits for it.
    fn made(&self, row: Id, kind: &str, properties: &Json) -> Thing {
        match self.carry_out(row, kind, None, &What::Create { properties: value(properties) }) {
            Outcome::Done(Some(thing)) => thing,
            outcome => panic!("{kind} is not made: {outcome:?}"),
        }
    }

    /// Creates a thing with a new row, and returns its name in the cloud.
    fn some(&self, kind: &str, properties: &Json) -> String {
        self.made(self.row(), kind, properties).phys.to_string()
    }

    /// Observes a row's thing, of which there is at most one.
    fn sight(&self, row: Id, kind: &str, desk: &Desk) -> Option<Sight> {
        let mut seen: Vec<Seen> = self.list(kind, desk).into_iter().filter(|seen| seen.row == row).collect();
        assert!(seen.len() <= 1, "{kind} is there more than once: {seen:?}");
        seen.pop().map(|seen| seen.sight)
    }
}
