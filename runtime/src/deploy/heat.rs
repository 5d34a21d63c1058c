//! Records about infrastructure in Heat: the sources given to Heat, and the servers that it created.
//!
//! A record, beside the engine's facts, exists as soon as Heat is used: it tells other processes that deploy the stack
//! to use Heat.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_converge::Time;

use crate::clock;
use crate::space::OperatorKey;
use crate::store::{Op, Store, StoreError};

use super::keeper::{KEPT, after, get, json, prepare};
use super::place::Place;
use super::shelf::{self, Shelf};
use super::{DeployError, Deployment, facts, own, things};

/// What deploys a stack's infrastructure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// The engine.
    Wattle,
    /// Heat.
    Heat,
}

/// The recorded state in Heat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Noted {
    /// The number of the last source.
    pub(super) number: u64,
    /// Whether the stack has reached that state.
    pub(super) is_reached: bool,
    /// The existing servers.
    pub(super) servers: BTreeMap<Name, MadeByHeat>,
}

/// A server created by Heat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeByHeat {
    /// Its name in the cloud.
    pub phys: Name,
    /// When Heat was first known to have finished it, or its last rebuild.
    pub since: Option<Time>,
}

/// The recorded state of `stack` in Heat; `None` if Heat is not used for it.
pub(super) async fn noted(store: &Arc<dyn Store>, stack: &str) -> Result<Option<Noted>, DeployError> {
    Ok(record(store, stack).await?.map(|record| {
        let number = record.present.as_ref().map_or(0, |given| given.number);
        let is_reached = record.good.first().is_some_and(|good| good.number == number);
        let since = record.since;
        let servers = record.servers.into_iter().map(|(name, phys)| {
            let since = since.get(&name).copied();
            (name, MadeByHeat { phys, since })
        });
        Noted { number, is_reached, servers: servers.collect() }
    }))
}

/// A source given to Heat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    number: u64,
    /// The name under which it is stored.
    target: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The highest number so far.
    last: u64,
    present: Option<Given>,
    /// The reached sources, the last one first.
    good: Vec<Given>,
    /// The existing servers, each with its name in the cloud.
    servers: BTreeMap<Name, Name>,
    /// The request that last rebuilt each server, if any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rebuilds: BTreeMap<Name, Name>,
    /// When each server was first recorded in its present form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    since: BTreeMap<Name, Time>,
}

/// The servers of a stack in the cloud.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    /// Each server's name in the cloud.
    pub phys: BTreeMap<Name, Name>,
    /// The request that last rebuilt each server, if any and known.
    pub rebuilds: BTreeMap<Name, Name>,
}

impl Record {
    /// The servers that have got new disks since the record.
    fn rebuilt(&self, now: &Servers) -> Vec<Name> {
        let has_stayed = |name: &Name| self.servers.contains_key(name) && self.servers.get(name) == now.phys.get(name);
        let is_new = |(name, request): &(&Name, &Name)| self.rebuilds.get(*name) != Some(*request);
        now.rebuilds.iter().filter(is_new).map(|(name, _)| name).filter(|name| has_stayed(name)).cloned().collect()
    }

    /// Updates the record to the servers existing at this time.
    fn exists(&mut self, now: &Servers, at: Time) {
        let rebuilt = self.rebuilt(now);
        let former = std::mem::replace(&mut self.servers, now.phys.clone());
        self.since.retain(|name, _| former.get(name) == now.phys.get(name) && !rebuilt.contains(name));
        for name in now.phys.keys() {
            self.since.entry(name.clone()).or_insert(at);
        }
        self.rebuilds.extend(now.rebuilds.clone());
        self.rebuilds.retain(|name, _| now.phys.contains_key(name));
    }

    fn targets(&self) -> BTreeSet<&str> {
        self.present.iter().chain(&self.good).map(|given| given.target.as_str()).collect()
    }

    /// The source with this number, or the last one before the present.
    fn find(&self, to: Option<u64>) -> Option<&Given> {
        let present = self.present.as_ref().map_or(0, |given| given.number);
        self.good.iter().find(|given| to.map_or(given.number != present, |to| given.number == to))
    }
}

impl Deployment {
    /// What deploys the infrastructure of `stack`; `None` if nothing of it was ever wanted.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn through(
        store: &Arc<dyn Store>,
        stack: &str,
        key: &OperatorKey,
    ) -> Result<Option<Through>, DeployError> {
        let store = &own(store, key);
        if record(store, stack).await?.is_some() {
            return Ok(Some(Through::Heat));
        }
        let wish: Option<(facts::Wish, _)> = get(store, stack, &Place::new(stack).wish()).await?;
        Ok(wish.map(|_| Through::Wattle))
    }

    /// Records that Heat gets `source`, and returns its number.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn hand_to_heat(&self, source: &str) -> Result<u64, DeployError> {
        prepare(&self.own(), &self.stack).await?;
        let kept = self.heats_shelf();
        if let Some(Given { number, target }) = self.heats().await?.present
            && &*kept.source(&target).await? == source
        {
            return Ok(number);
        }
        let (target, whole) = kept.put(source).await?;
        let record = self.note(Some(whole), |record| {
            record.last += 1;
            record.present = Some(Given { number: record.last, target: target.clone() });
        });
        Ok(record.await?.last)
    }

    /// Records that Heat gets the source with this number, or the last one, again, and returns that source.
    ///
    /// # Errors
    /// It no longer exists, or cannot be read or written.
    pub async fn hand_again(&self, number: Option<u64>) -> Result<String, DeployError> {
        let there = self.heats().await?;
        let nothing = || DeployError::Nothing { stack: self.stack.clone() };
        let given = match number {
            Some(_) => there.find(number).cloned(),
            None => there.present,
        };
        let given = given.ok_or_else(nothing)?;
        let source = self.heats_shelf().source(&given.target).await?;
        self.note(None, |record| record.present = Some(given.clone())).await?;
        Ok(source.to_string())
    }

    /// Records that the stack has reached its last source, with these servers. The agents of those with new disks are
    /// no longer known.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn heat_has_reached(&self, number: u64, servers: &Servers) -> Result<(), DeployError> {
        self.heat_has_put(servers, |record| {
            // Another process may have replaced the source meanwhile.
            if let Some(present) = record.present.clone().filter(|present| present.number == number) {
                record.good.retain(|good| good.number != number);
                record.good.insert(0, present);
                record.good.truncate(KEPT);
            }
        })
        .await
    }

    /// Records that Heat has rolled back to the last reached source, with these servers, as for
    /// [`Self::heat_has_reached`].
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn heat_has_gone_back(&self, servers: &Servers) -> Result<(), DeployError> {
        self.heat_has_put(servers, |record| {
            if let Some(good) = record.good.first() {
                record.present = Some(good.clone());
            }
        })
        .await
    }

    async fn heat_has_put(&self, servers: &Servers, change: impl Fn(&mut Record)) -> Result<(), DeployError> {
        let rebuilt = self.heats().await?.rebuilt(servers);
        // If this process ends in between, the next one finds the same servers.
        things::forget_agents(&self.own(), &self.stack, &rebuilt).await?;
        let at = Time::from_millis(clock::millis());
        let noted = self.note(None, |record| {
            record.exists(servers, at);
            change(record);
        });
        noted.await.map(drop)
    }

    /// The number of Heat's last source.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn heats_number(&self) -> Result<u64, DeployError> {
        Ok(self.heats().await?.present.map_or(0, |given| given.number))
    }

    /// Heat's last source and its number; `None` if the engine deploys the stack.
    pub(super) async fn heats_present(&self) -> Result<Option<(u64, String)>, DeployError> {
        match self.heats().await?.present {
            Some(given) => Ok(Some((given.number, self.heats_shelf().source(&given.target).await?.to_string()))),
            None => Ok(None),
        }
    }

    /// A former source with its number.
    pub(super) async fn heats_former(&self, to: Option<u64>) -> Result<Option<(u64, String)>, DeployError> {
        let there = self.heats().await?;
        match (there.find(to), to) {
            (Some(given), _) => Ok(Some((given.number, self.heats_shelf().source(&given.target).await?.to_string()))),
            (None, Some(to)) => Err(self.unkept(to, there.good.iter().map(|given| given.number))),
            (None, None) => Ok(None),
        }
    }

    /// The servers created by Heat.
    pub(super) async fn heats_servers(&self) -> Result<BTreeMap<Name, Name>, DeployError> {
        Ok(self.heats().await?.servers)
    }

    fn heats_shelf(&self) -> Shelf {
        Shelf::new(&self.own(), &self.stack, &self.key, &self.maker)
    }

    async fn heats(&self) -> Result<Record, DeployError> {
        Ok(record(&self.own(), &self.stack).await?.unwrap_or_default())
    }

    /// Changes the record, makes `whole` what it names from now on, and removes sources that nothing in it names any
    /// longer.
    async fn note(&self, whole: Option<Op>, change: impl Fn(&mut Record)) -> Result<Record, DeployError> {
        let (store, path) = (&self.own(), Place::new(&self.stack).heat());
        loop {
            let there: Option<(Record, _)> = get(store, &self.stack, &path).await?;
            let (before, version) = there.map(|(record, version)| (record, Some(version))).unwrap_or_default();
            let mut record = before.clone();
            change(&mut record);
            let noted = after(path.clone(), json(&record), version);
            match store.apply(whole.clone().into_iter().chain([noted]).collect()).await {
                Ok(()) => {
                    for target in before.targets().difference(&record.targets()) {
                        self.forget(target).await?;
                    }
                    return Ok(record);
                }
                // Another process is writing at the same time.
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn forget(&self, target: &str) -> Result<(), DeployError> {
        let store = &self.own();
        let removal = shelf::removal(store, &Place::new(&self.stack), target).await?;
        match store.apply(removal).await {
            Ok(()) | Err(StoreError::Missing { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

async fn record(store: &Arc<dyn Store>, stack: &str) -> Result<Option<Record>, DeployError> {
    Ok(get(store, stack, &Place::new(stack).heat()).await?.map(|(record, _)| record))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> BTreeMap<Name, Name> {
        pairs.iter().map(|(name, value)| (Name::from(*name), Name::from(*value))).collect()
    }

    #[test]
    fn a_server_that_stays_and_was_rebuilt_since_has_a_new_disk() {
        let before = Record {
            servers: names(&[("app", "1"), ("db", "2"), ("web", "3"), ("gone", "4")]),
            rebuilds: names(&[("db", "req-1"), ("web", "req-2")]),
            ..Record::default()
        };
        let now = Servers {
            phys: names(&[("app", "1"), ("db", "2"), ("web", "5"), ("new", "6")]),
            rebuilds: names(&[("app", "req-3"), ("db", "req-1"), ("web", "req-4"), ("new", "req-5")]),
        };
        assert_eq!(before.rebuilt(&now), [Name::from("app")]);
        let again = Servers { rebuilds: names(&[("db", "req-6")]), ..now };
        assert_eq!(before.rebuilt(&again), [Name::from("db")], "also back to the image of before");
    }

    #[test]
    fn a_server_is_as_it_is_since_it_was_made_or_rebuilt() {
        let mut record = Record::default();
        let mut since = |phys: &[(&str, &str)], rebuilds: &[(&str, &str)], at: u64| -> Vec<(String, u64)> {
            record.exists(&Servers { phys: names(phys), rebuilds: names(rebuilds) }, Time::from_millis(at));
            record.since.iter().map(|(name, at)| (name.to_string(), at.as_millis())).collect()
        };
        let expected = |pairs: &[(&str, u64)]| -> Vec<(String, u64)> {
            pairs.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect()
        };
        assert_eq!(since(&[("app", "1"), ("db", "2")], &[], 10), expected(&[("app", 10), ("db", 10)]));
        let rebuilt = since(&[("app", "1"), ("db", "2"), ("web", "3")], &[("db", "req-1")], 20);
        assert_eq!(rebuilt, expected(&[("app", 10), ("db", 20), ("web", 20)]));
        let replaced = since(&[("app", "4"), ("db", "2")], &[("db", "req-1")], 30);
        assert_eq!(replaced, expected(&[("app", 30), ("db", 20)]));
    }
}
