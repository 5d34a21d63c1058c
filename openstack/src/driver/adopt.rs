//! Adopts resources that existed before a deployment.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use wattle_converge::{Id, Thing};
use wattle_model::{Name, Value};

use super::json::sent;
use super::mark::deployment;
use super::openstack::OpenStack;
use super::plain::NOTED;
use super::resource_type::{ResourceType, kind, kinds};
use super::stop::Stop;
use super::work::Work;
use super::{Driver, Found, State};
use crate::Fault;

/// Why a resource cannot be adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Things of this type cannot carry a mark, or are created by the engine itself.
    Type,
    /// There is no such thing in the project.
    Missing,
    /// The id belongs to a thing of this type.
    AnotherType(&'static str),
    /// It has the mark of this deployment.
    Marked(String),
    /// An operation on it is in progress.
    Busy,
    /// It is broken, for this reason.
    Broken(String),
    /// The service's response does not show whether it can be. The value is that response.
    Unknown(Box<Fault>),
}

/// The result of comparing a thing with its wanted state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// A difference that cannot be removed.
    pub cannot_be: Option<String>,
    /// A difference.
    pub differs: Option<String>,
}

impl OpenStack {
    /// Finds the thing with this id, if a resource of the type `ty` can adopt it.
    ///
    /// # Errors
    ///
    /// The thing cannot be adopted.
    pub async fn existing(&self, ty: &str, id: &str) -> Result<Thing, Unfit> {
        let kind = kind(ty).filter(|kind| kind.driver.adopts()).ok_or(Unfit::Type)?;
        let nothing = BTreeMap::new();
        let work = self.work(Id::default(), "", &nothing, None);
        let Some(found) = kind.driver.get(&work, id).await.map_err(unknown)? else {
            return Err(another(kind, &work, id).await);
        };
        if let Some(mark) = kind.driver.mark(&found) {
            return Err(Unfit::Marked(deployment(mark).to_owned()));
        }
        match kind.driver.state(&found) {
            State::Ready | State::Stopped(_) => {
                // Its attributes were chosen by someone, and are not defaults of the cloud.
                let mut thing = kind.driver.thing(&found);
                thing.attributes.remove(NOTED);
                Ok(thing)
            }
            State::Busy => Err(Unfit::Busy),
            State::Broken(why) => Err(Unfit::Broken(why)),
        }
    }

    /// Compares the thing with this id to the wanted state of the resource `name`.
    ///
    /// # Errors
    ///
    /// A service could not be queried.
    pub async fn compared(&self, ty: &str, id: &str, name: &str, properties: &Value) -> Result<Compared, Fault> {
        let Some(kind) = kind(ty) else { return Ok(Compared::default()) };
        let nothing = BTreeMap::<Name, Value>::new();
        let work = self.work(Id::default(), name, &nothing, None);
        match compared(kind.driver, &work, id, &sent(properties)).await {
            Ok(compared) => Ok(compared),
            Err(Stop::Fault(fault)) => Err(fault),
            // A resource that the properties name does not exist, so there is nothing to compare.
            Err(Stop::Outcome(_)) => Ok(Compared::default()),
        }
    }
}

async fn compared(driver: &dyn Driver, work: &Work<'_>, id: &str, properties: &Json) -> Result<Compared, Stop> {
    let Some(found) = driver.get(work, id).await? else { return Ok(Compared::default()) };
    let cannot_be = driver.cannot_be(work, &found, properties).await?;
    Ok(Compared { cannot_be, differs: driver.differs(work, &found, properties).await? })
}

/// Explains why the thing with this id is not of the intended type.
async fn another(meant: &ResourceType, work: &Work<'_>, id: &str) -> Unfit {
    for kind in kinds().filter(|kind| kind.name != meant.name && kind.driver.adopts()) {
        if matches!(kind.driver.get(work, id).await, Ok(Some(_))) {
            return Unfit::AnotherType(kind.name);
        }
    }
    Unfit::Missing
}

fn unknown(stop: Stop) -> Unfit {
    match stop {
        Stop::Fault(fault) => Unfit::Unknown(Box::new(fault)),
        // The response did not contain the thing.
        Stop::Outcome(_) => Unfit::Missing,
    }
}

/// Refuses to change a thing that another deployment has adopted in the meantime.
pub(super) fn is_nobody_elses(driver: &dyn Driver, work: &Work<'_>, found: &Found) -> Result<(), Stop> {
    match driver.mark(found).filter(|mark| work.marks.row(mark).is_none()) {
        Some(mark) => Err(Stop::refused(format!("it now belongs to the deployment `{}`", deployment(mark)))),
        None => Ok(()),
    }
}
