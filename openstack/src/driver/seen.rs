//! Observes things by reading lists.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt, TryStreamExt};
use wattle_converge::{Id, Sight};
use wattle_model::{Name, Value};

use super::json::sent;
use super::openstack::OpenStack;
use super::resource_type::{ResourceType, kind};
use super::stop::Stop;
use super::work::Collection;
use super::{Driver, Found, Lists, State};
use crate::Fault;

/// How many lists are read concurrently.
const AT_ONCE: usize = 8;

/// An observed thing of a deployment.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The row that knows it by its name in the cloud; otherwise, the row whose mark it carries.
    pub row: Id,
    /// Its type.
    pub kind: Name,
    /// Its name in the cloud.
    pub phys: Name,
    /// What was observed.
    pub sight: Sight,
}

/// The expected state of a row's thing.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The resource's name, from which an unnamed thing gets its own.
    pub name: &'a str,
    /// The properties last applied to it.
    pub properties: &'a Value,
    /// Its attributes after the last action on it. Attributes that the properties do not determine should be unchanged
    /// since.
    pub noted: &'a BTreeMap<Name, Value>,
}

/// The caller's knowledge of its rows.
pub trait Rows: Sync {
    /// The expected state of the row's thing; `None` if unknown.
    fn expected(&self, row: Id) -> Option<Expected<'_>>;

    /// The row that knows a thing of this type by its name in the cloud.
    fn row_of(&self, kind: &str, phys: &str) -> Option<Id>;
}

impl OpenStack {
    /// Lists all things of the deployment with these types: those that carry its mark, and those that its rows know by
    /// name. Each list is read once, however many things there are, and no thing is read individually. Names in the
    /// expected properties are looked up unless they were in the last minute.
    ///
    /// A thing that a service is removing and no longer lists counts as gone.
    ///
    /// # Errors
    ///
    /// A list cannot be read. In that case, nothing is reported about any thing.
    pub async fn list(&self, kinds: &BTreeSet<Name>, rows: &dyn Rows) -> Result<Vec<Seen>, Fault> {
        let wanted: Vec<(&Name, &ResourceType)> = kinds.iter().filter_map(|ty| Some((ty, kind(ty)?))).collect();
        let before = self.fresh.before(self.session.now());
        let lists = self.lists(wanted.iter().flat_map(|(_, kind)| kind.driver.collections())).await?;
        let mut seen = Vec::new();
        let mut whole = BTreeMap::new();
        for (ty, kind) in wanted {
            let driver = kind.driver;
            for found in driver.found(&lists, &self.marks) {
                let Some((row, phys)) = known(ty, &found, rows) else { continue };
                let found = Found { phys, ..found };
                let sight = self.sight(driver, row, &found, rows.expected(row)).await?;
                seen.push(Seen { row, kind: ty.clone(), phys: found.phys.as_str().into(), sight });
                if driver.is_whole_in_lists() {
                    whole.insert((ty.to_string(), found.phys.clone()), found);
                }
            }
        }
        if let Some(before) = before {
            self.fresh.keep(before, whole);
        }
        Ok(seen)
    }

    /// Reads each of these collections once, several of them concurrently: most of an observation is waiting for
    /// responses.
    async fn lists(&self, collections: impl Iterator<Item = &'static Collection>) -> Result<Lists, Fault> {
        let collections: BTreeMap<&str, &Collection> = collections.map(|one| (one.path, one)).collect();
        let reads: Vec<_> = collections.values().map(|one| self.session.list(one.call(), one.key)).collect();
        let lists: Vec<Vec<serde_json::Value>> = stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
        Ok(Lists(collections.into_keys().zip(lists).collect()))
    }

    async fn sight(
        &self,
        driver: &dyn Driver,
        row: Id,
        found: &Found,
        expected: Option<Expected<'_>>,
    ) -> Result<Sight, Fault> {
        let busy = || Sight::Busy(found.phys.as_str().into());
        if driver.is_half(found) {
            return Ok(busy());
        }
        let stopped = match driver.state(found) {
            State::Busy => return Ok(busy()),
            State::Broken(why) => return Ok(Sight::Broken(found.phys.as_str().into(), why.into())),
            State::Stopped(how) => Some(how),
            State::Ready => None,
        };
        let differs = match (stopped, expected) {
            (Some(how), _) => Some(how),
            (None, None) => None,
            (None, Some(Expected { name, properties, noted })) => {
                let work = self.work(row, name, noted, None);
                match driver.differs(&work, found, &sent(properties)).await {
                    Ok(differs) => differs,
                    Err(Stop::Fault(fault)) => return Err(fault),
                    // Something that a template names does not exist, or cannot be queried now. Nothing is reported for
                    // such a thing.
                    Err(Stop::Outcome(_)) => None,
                }
            }
        };
        let thing = driver.thing(found);
        Ok(match differs {
            Some(how) => Sight::Changed(thing, how.into()),
            None => Sight::Ready(thing),
        })
    }
}

/// The row that a thing belongs to, and that row's name for it. A name other than the thing's own may refer to an
/// earlier thing.
fn known(ty: &str, found: &Found, rows: &dyn Rows) -> Option<(Id, String)> {
    if let Some(row) = rows.row_of(ty, &found.phys) {
        return Some((row, found.phys.clone()));
    }
    let by_another = found.others.iter().find_map(|name| Some((rows.row_of(ty, name)?, name.clone())));
    let by_another = by_another.filter(|(row, _)| found.row.is_none_or(|marked| marked == *row));
    by_another.or_else(|| Some((found.row?, found.phys.clone())))
}
