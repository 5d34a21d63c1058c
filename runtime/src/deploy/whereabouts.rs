//! The cloud with a stack's infrastructure. In another cloud, everything would seem to be gone.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::space::OperatorKey;
use crate::store::{Store, StoreError};

use super::keeper::{after, get, json, prepare};
use super::place::Place;
use super::{DeployError, Deployment, own};

/// A project in a cloud.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whereabouts {
    /// The URL of its identity service.
    pub auth_url: String,
    /// The region, if one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The project's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl Whereabouts {
    /// Whether both are the same. A project's id is unique to its cloud, whatever the address.
    pub fn is_also(&self, other: &Self) -> bool {
        let is_there = match (&self.project, &other.project) {
            (Some(one), Some(another)) => one == another,
            _ => self.auth_url == other.auth_url,
        };
        let regions = self.region.as_ref().zip(other.region.as_ref());
        is_there && regions.is_none_or(|(one, another)| one == another)
    }
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.auth_url)?;
        self.region.iter().try_for_each(|region| write!(f, ", region {region}"))?;
        self.project.iter().try_for_each(|project| write!(f, ", project {project}"))
    }
}

impl Deployment {
    /// The location of `stack`'s infrastructure; `None` if nothing of it was ever wanted.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn whereabouts(
        store: &Arc<dyn Store>,
        stack: &str,
        key: &OperatorKey,
    ) -> Result<Option<Whereabouts>, DeployError> {
        Ok(get(&own(store, key), stack, &Place::new(stack).cloud()).await?.map(|(there, _)| there))
    }

    /// Records that it is `here`, unless a location is already recorded.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn settle(&self, here: &Whereabouts) -> Result<(), DeployError> {
        if Self::whereabouts(&self.store, &self.stack, &self.key).await?.is_some() {
            return Ok(());
        }
        let store = &self.own();
        prepare(store, &self.stack).await?;
        match store.apply(vec![after(Place::new(&self.stack).cloud(), json(here), None)]).await {
            Ok(()) | Err(StoreError::Exists { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
