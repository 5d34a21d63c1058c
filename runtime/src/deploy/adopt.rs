//! Adopts resources that existed before a stack.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use wattle::model::Name;
use wattle_converge::{Adopted, Row, Stage, Target, Thing};

use crate::store::{Access, StoreError};

use super::keeper::prepare;
use super::place::Place;
use super::{DeployError, Deployment};

impl Deployment {
    /// Adopts these existing things as resources of `target`: all of them, or none. Does not query the cloud.
    ///
    /// # Errors
    /// They cannot be adopted, or the stack is being deployed at the moment.
    pub async fn adopt(&self, target: Arc<dyn Target>, things: Vec<Adopted>) -> Result<(), DeployError> {
        prepare(&self.own(), &self.stack).await?;
        match self.store.hold(&Place::new(&self.stack).leader(), &[], &Access::new(), None).await {
            Ok(hold) => {
                let (news, _unheard) = mpsc::unbounded_channel();
                let (engine, _, hold) = self.lead(hold, &news).await?;
                engine.adopt(hold, target, things).await
            }
            Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {
                Err(DeployError::Led { stack: self.stack.clone() })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The usable things, by the names of their resources; of several, the youngest.
pub fn standing(rows: &[Row]) -> BTreeMap<Name, Thing> {
    let sound = rows.iter().filter(|row| row.stage == Stage::Sound);
    sound.filter_map(|row| Some((row.name.clone(), row.thing.clone()?))).collect()
}
