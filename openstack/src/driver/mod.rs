//! OpenStack as the deployment engine's hands: jobs become requests, lists become what the engine sees.
//!
//! What lives here: for each type of resource what the engine has to know of it ([`kind`]), how its things are made, found again,
//! changed, and removed, and what is read of them. `plain` does this for all types that are rows of a table, `neutron`, `nova`
//! and `cinder` have the tables and what does not fit into one. What must not: what should be done next, which the engine decides,
//! and what Heat's schemas say of properties, which the caller has looked at.
//!
//! Everything can be carried out twice. What is made carries a [`Mark`] from the first moment, and is looked for by it before it is
//! made; what is changed is read first, and only what differs is sent.

mod adopt;
mod cinder;
mod find;
mod inventory;
mod json;
mod kind;
mod mark;
mod neutron;
mod nova;
mod openstack;
mod plain;
mod room;
mod seen;
mod stop;
mod ties;
mod work;

pub use adopt::{Compared, Unfit};
pub use find::Lack;
pub use inventory::Inventory;
pub(crate) use json::encoded;
pub use kind::{Kind, kind, kinds};
pub use mark::Mark;
pub use openstack::OpenStack;
pub use room::Short;
pub use seen::{Expected, Rows, Seen};

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use serde_json::{Map, Value};
use wattle_converge::{Id, Outcome, Thing};
use wattle_model::Name;

use stop::Stop;
use work::{Collection, Work};

/// A thing that a service has shown.
#[derive(Clone, Debug)]
struct Found {
    /// The row whose mark it has.
    row: Option<Id>,
    /// Its name in the cloud.
    phys: String,
    /// Other names by which its row may know it.
    others: Vec<String>,
    /// What the service says of it.
    item: Value,
    /// What else belongs to it: ports of a server, the one attachment of a volume.
    beside: Vec<Value>,
}

impl Found {
    fn new(row: Option<Id>, phys: impl Into<String>, item: Value) -> Self {
        Self { row, phys: phys.into(), others: Vec::new(), item, beside: Vec::new() }
    }
}

/// How a thing is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// It is ready, and somebody has done to it what this says.
    Stopped(String),
    Busy,
    Broken(String),
}

/// What has come of a creation.
enum Made {
    /// This is the thing.
    Thing(Found),
    /// The thing of this name is being made.
    Accepted(String),
}

/// Lists that were read, by their paths.
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
    /// The lists in which its things are.
    fn collections(&self) -> Vec<&'static Collection>;

    /// Things in the lists: all that have a mark, and all that a row may know by its name.
    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found>;

    fn state(&self, found: &Found) -> State;

    /// Heat's attributes, as far as the answer has them.
    fn attributes(&self, found: &Found) -> Map<String, Value>;

    /// In what the thing is not as the properties ask.
    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop>;

    /// The thing with the row's mark. With the properties it may be found faster.
    async fn look(&self, work: &Work<'_>, properties: Option<&Value>) -> Result<Option<Found>, Stop>;

    /// The thing of a name.
    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop>;

    /// Makes one, by one request.
    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop>;

    /// Whether it only says that other things belong together, or has nothing but a name: then what was taken from it is all of it, and an
    /// update makes it again.
    fn is_tie(&self) -> bool {
        false
    }

    /// Whether something is to be done still until a thing that was made is as it should be.
    fn is_half(&self, _: &Found) -> bool {
        false
    }

    /// Does what is to be done still to a thing that was made.
    async fn finish(&self, _: &Work<'_>, found: Found, _: &Value) -> Result<Found, Stop> {
        Ok(found)
    }

    /// Changes what differs. The thing is there.
    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop>;

    /// Takes what others need from it. The thing is there.
    async fn release(&self, work: &Work<'_>, found: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop>;

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop>;

    /// Whether a thing that was there before can be taken over: an update gives it its mark.
    fn adopts(&self) -> bool {
        false
    }

    /// The mark that a thing has, whosever it is.
    fn mark<'f>(&self, _: &'f Found) -> Option<&'f str> {
        None
    }

    /// In what the thing is not as the properties ask and cannot become so, as far as a service says it.
    async fn cannot_be(&self, _: &Work<'_>, _: &Found, _: &Value) -> Result<Option<String>, Stop> {
        Ok(None)
    }

    /// What the engine is told of a thing.
    fn thing(&self, found: &Found) -> Thing {
        Thing { phys: found.phys.as_str().into(), attributes: json::told(self.attributes(found)) }
    }

    /// What has come of a job after which the thing is like this.
    fn outcome(&self, found: &Found) -> Outcome {
        match self.state(found) {
            State::Ready | State::Stopped(_) => Outcome::Done(Some(self.thing(found))),
            State::Busy => Outcome::Accepted(Some(found.phys.as_str().into())),
            State::Broken(why) => Outcome::Broken(why.into()),
        }
    }
}

/// A release of what cannot be taken from a thing.
fn cannot_be_released(exclusive: &BTreeSet<Name>) -> Stop {
    let what = wattle_words::names::list(exclusive.iter().map(|name| &**name), "and");
    Stop::refused(format!(
        "{what} cannot be taken from the thing that has it, and no second one can have it: give the new one another, or \
         deploy once without it"
    ))
}
