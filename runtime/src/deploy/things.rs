//! The recorded things of a stack's infrastructure, and those whose agents are known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle::model::Name;
use wattle_converge::{Row, Stage};

use crate::space::OperatorKey;
use crate::store::{Store, StoreError, Version};

use super::keeper::{after, get, json};
use super::place::Place;
use super::{DeployError, Deployment, own};

impl Deployment {
    /// Lists the existing resources of a type that were not [recorded](Self::note_known) as known, each with its
    /// thing's name in the cloud.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn strangers(&self, kind: &str) -> Result<BTreeMap<Name, Name>, DeployError> {
        let known = known(&self.own(), &self.stack).await?.map(|(known, _)| known).unwrap_or_default();
        let there = self.things_that_are(kind, |stage| stage == Stage::Sound).await?;
        Ok(there.into_iter().filter(|(name, phys)| known.get(name) != Some(phys)).collect())
    }

    /// Lists all existing resources of a type, including faulty ones, each with its thing's name in the cloud.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn things(&self, kind: &str) -> Result<BTreeMap<Name, Name>, DeployError> {
        self.things_that_are(kind, |_| true).await
    }

    /// Lists the names of all resources whose thing is in its wanted state and not being deleted.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn sound(&self) -> Result<BTreeSet<Name>, DeployError> {
        let rows = Self::rows(&self.store, &self.stack, &self.key).await?;
        let is_sound = |row: &Row| row.stage == Stage::Sound && !row.is_being_deleted();
        Ok(rows.into_iter().filter(is_sound).map(|row| row.name).collect())
    }

    async fn things_that_are(
        &self,
        kind: &str,
        is_so: impl Fn(Stage) -> bool,
    ) -> Result<BTreeMap<Name, Name>, DeployError> {
        let rows = Self::rows(&self.store, &self.stack, &self.key).await?;
        let there = rows.into_iter().filter(|row| &*row.kind == kind && is_so(row.stage));
        // Of several with the same name, the youngest counts.
        let mut there: BTreeMap<Name, Name> = there.filter_map(|row| Some((row.name, row.thing?.phys))).collect();
        if kind == wattle::model::Resource::SERVER {
            there.extend(self.heats_servers().await?);
        }
        Ok(there)
    }

    /// Records that the agents of these resources are known by their own keys, until another thing replaces a
    /// resource's.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn note_known(&self, things: &BTreeMap<Name, Name>) -> Result<(), DeployError> {
        let more = |known: &mut BTreeMap<Name, Name>| {
            known.extend(things.iter().map(|(name, phys)| (name.clone(), phys.clone())));
        };
        change_known(&self.own(), &self.stack, more).await
    }

    /// Reads the stored rows, oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn rows(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> Result<Vec<Row>, DeployError> {
        let store = &own(store, key);
        let place = Place::new(stack);
        let mut rows = Vec::new();
        for name in store.children(&place.rows()).await? {
            if let Some((row, _)) = get::<Row>(store, stack, &format!("{}/{name}", place.rows())).await? {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }
}

async fn known(store: &Arc<dyn Store>, stack: &str) -> Result<Option<(BTreeMap<Name, Name>, Version)>, DeployError> {
    get(store, stack, &Place::new(stack).known()).await
}

/// Records that the agents of these servers are no longer known, because the servers got new disks, and keys with them.
///
/// # Errors
/// It cannot be written.
pub(super) async fn forget_agents(store: &Arc<dyn Store>, stack: &str, servers: &[Name]) -> Result<(), DeployError> {
    if servers.is_empty() {
        return Ok(());
    }
    change_known(store, stack, |known| known.retain(|name, _| !servers.contains(name))).await
}

async fn change_known(
    store: &Arc<dyn Store>,
    stack: &str,
    change: impl Fn(&mut BTreeMap<Name, Name>),
) -> Result<(), DeployError> {
    loop {
        let (mut now, version) = known(store, stack).await?.map(|(known, at)| (known, Some(at))).unwrap_or_default();
        let before = now.clone();
        change(&mut now);
        if now == before {
            return Ok(());
        }
        match store.apply(vec![after(Place::new(stack).known(), json(&now), version)]).await {
            Ok(()) => return Ok(()),
            Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
