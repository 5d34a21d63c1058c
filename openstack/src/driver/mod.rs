//! Carries out the deployment engine's jobs in OpenStack: converts jobs to requests, and lists to the engine's
//! observations.
//!
//! What belongs here: for each type of resource, what the engine has to know about it ([`kind`]), how its things are
//! created, found again, changed and removed, and which attributes are read. `plain` does this for all types that are
//! rows of a table. `neutron`, `nova` and `cinder` contain the tables and whatever does not fit into one. What does not
//! belong here: what to do next, which the engine decides, and what Heat's schemas say about properties, which the
//! caller has checked.
//!
//! Every operation is idempotent. A thing is created with a [`Mark`] from the first moment, and this mark is searched
//! for before creating it. A thing is read before it is changed, unless the change is light and a list has just shown
//! the thing (`fresh`), and only differences are sent.

mod adopt;
mod asked;
mod cinder;
mod find;
mod fresh;
mod inventory;
mod json;
mod mark;
mod neutron;
mod nova;
mod openstack;
mod plain;
mod resource_type;
mod room;
mod seen;
mod stop;
mod ties;
mod work;

pub use adopt::{Compared, Unfit};
pub use find::Lack;
pub use inventory::Inventory;
pub(crate) use json::encoded;
pub use mark::Mark;
pub use openstack::OpenStack;
pub use resource_type::{ResourceType, kind, kinds};
pub use room::Short;
pub use seen::{Expected, Rows, Seen};

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use serde_json::{Map, Value};
use wattle_converge::{Id, Outcome, Thing};
use wattle_model::Name;

use stop::Stop;
use work::{Collection, Work};

/// A thing as shown by a service.
#[derive(Clone, Debug)]
struct Found {
    /// The row whose mark it carries.
    row: Option<Id>,
    /// Its name in the cloud.
    phys: String,
    /// Other names by which its row may know it.
    others: Vec<String>,
    /// The service's description of it.
    item: Value,
    /// Related items: ports of a server, the one attachment of a volume.
    beside: Vec<Value>,
}

impl Found {
    fn new(row: Option<Id>, phys: impl Into<String>, item: Value) -> Self {
        Self { row, phys: phys.into(), others: Vec::new(), item, beside: Vec::new() }
    }
}

/// The state of a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// It is ready, but stopped; the value describes how.
    Stopped(String),
    Busy,
    Broken(String),
}

/// The result of a creation.
enum Made {
    /// The thing exists.
    Thing(Found),
    /// The thing with this name is being created.
    Accepted(String),
}

/// The lists read so far, by path.
#[derive(Debug, Default)]
struct Lists(BTreeMap<&'static str, Vec<Value>>);

impl Lists {
    fn of(&self, collection: &Collection) -> &[Value] {
        self.0.get(collection.path).map(Vec::as_slice).unwrap_or_default()
    }
}

/// How things of a type are handled.
#[async_trait]
trait Driver: Sync {
    /// The lists that contain its things.
    fn collections(&self) -> Vec<&'static Collection>;

    /// Finds things in the lists: all that carry a mark, and all that a row may know by name.
    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found>;

    fn state(&self, found: &Found) -> State;

    /// Heat's attributes, as far as the response contains them.
    fn attributes(&self, found: &Found) -> Map<String, Value>;

    /// How the thing differs from the properties.
    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop>;

    /// Finds the thing with the row's mark. The properties may speed up the search.
    async fn look(&self, work: &Work<'_>, properties: Option<&Value>) -> Result<Option<Found>, Stop>;

    /// Reads the thing with this name.
    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop>;

    /// Creates a thing with a single request.
    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop>;

    /// Whether the type only ties other things together, or consists only of a name. Releasing such a thing removes it,
    /// and an update creates it again.
    fn is_tie(&self) -> bool {
        false
    }

    /// Whether lists show everything about a thing that a light change needs.
    fn is_whole_in_lists(&self) -> bool {
        false
    }

    /// Whether a thing differs only in what may be written at any time, and repeatedly: names, metadata and tags. Other
    /// changes depend on the thing's state at that moment.
    async fn is_light(&self, _work: &Work<'_>, _found: &Found, _properties: &Value) -> Result<bool, Stop> {
        Ok(false)
    }

    /// Whether a thing that was created still has to be finished.
    fn is_half(&self, _: &Found) -> bool {
        false
    }

    /// Finishes a thing that was created.
    async fn finish(&self, _: &Work<'_>, found: Found, _: &Value) -> Result<Found, Stop> {
        Ok(found)
    }

    /// Changes what differs in an existing thing.
    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop>;

    /// Releases from an existing thing what others need.
    async fn release(&self, work: &Work<'_>, found: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop>;

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop>;

    /// Whether an existing thing can be adopted: an update then marks it.
    fn adopts(&self) -> bool {
        false
    }

    /// The mark of a thing, whichever deployment it belongs to.
    fn mark<'f>(&self, _: &'f Found) -> Option<&'f str> {
        None
    }

    /// A difference between the thing and the properties that cannot be reconciled, as far as a service shows it.
    async fn cannot_be(&self, _: &Work<'_>, _: &Found, _: &Value) -> Result<Option<String>, Stop> {
        Ok(None)
    }

    /// Returns what the engine needs to know about a thing.
    fn thing(&self, found: &Found) -> Thing {
        Thing { phys: found.phys.as_str().into(), attributes: json::reported(self.attributes(found)) }
    }

    /// The outcome of a job that leaves the thing in this state.
    fn outcome(&self, found: &Found) -> Outcome {
        match self.state(found) {
            State::Ready | State::Stopped(_) => Outcome::Done(Some(self.thing(found))),
            State::Busy => Outcome::Accepted(Some(found.phys.as_str().into())),
            State::Broken(why) => Outcome::Broken(why.into()),
        }
    }
}

/// The error for something that cannot be released from a thing.
fn cannot_be_released(exclusive: &BTreeSet<Name>) -> Stop {
    let what = wattle_words::names::list(exclusive.iter().map(|name| &**name), "and");
    Stop::refused(format!(
        "{what} cannot be released by the resource that has it, and only one resource can have it: give the new one \
         another, or deploy once without it"
    ))
}
