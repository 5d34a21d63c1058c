//! The sources of the present desired state and of former ones.

use super::facts::{DesiredState, Good};
use super::keeper::get;
use super::place::Place;
use super::shelf::Shelf;
use super::{DeployError, Deployment, Through};

impl Deployment {
    pub(super) async fn desired_state(&self) -> Result<Option<DesiredState>, DeployError> {
        Ok(get(&self.own(), &self.stack, &Place::new(&self.stack).desired_state()).await?.map(|(desired, _)| desired))
    }

    /// The source of the target of the present desired state, and the number of that state; `None` if there is none, or
    /// it is empty.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn present_source(&self) -> Result<Option<(u64, String)>, DeployError> {
        if let Some(given) = self.heats_present().await? {
            return Ok(Some(given));
        }
        match self.desired_state().await? {
            Some(desired) => self.source_of(&desired).await,
            None => Ok(None),
        }
    }

    /// The number of the desired state that a rollback returns to, and the source of its target.
    ///
    /// # Errors
    /// It cannot be read, or none has the number `to`.
    pub async fn former_source(&self, to: Option<u64>) -> Result<Option<(u64, String)>, DeployError> {
        if Self::through(&self.store, &self.stack, &self.key).await? == Some(Through::Heat) {
            return self.heats_former(to).await;
        }
        let good: Option<(Vec<Good>, _)> = get(&self.own(), &self.stack, &Place::new(&self.stack).good()).await?;
        let good: Vec<DesiredState> =
            good.map(|(good, _)| good).unwrap_or_default().into_iter().map(|good| good.desired).collect();
        if let Some(to) = to {
            let unkept = || self.unkept(to, good.iter().map(|desired| desired.generation));
            let desired = good.iter().find(|desired| desired.generation == to).ok_or_else(unkept)?;
            return self.source_of(desired).await;
        }
        let Some(present) = self.desired_state().await? else { return Ok(None) };
        let (reached, former): (Vec<_>, Vec<_>) =
            good.into_iter().partition(|desired| desired.generation == present.generation);
        // A repeated or corrected deployment is not a new one.
        let own = if reached.is_empty() { None } else { self.source_of(&present).await?.map(|(_, text)| text) };
        for desired in former {
            let found = self.source_of(&desired).await?;
            if own.is_none() || found.as_ref().map(|(_, text)| text) != own.as_ref() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    pub(super) fn unkept(&self, number: u64, kept: impl Iterator<Item = u64>) -> DeployError {
        let mut kept: Vec<u64> = kept.collect();
        kept.sort_unstable();
        DeployError::Unkept { stack: self.stack.clone(), number, kept }
    }

    pub(super) async fn source_of(&self, desired: &DesiredState) -> Result<Option<(u64, String)>, DeployError> {
        let Some(name) = &desired.asked.target else { return Ok(None) };
        let kept = Shelf::new(&self.own(), &self.stack, &self.key, &self.maker);
        Ok(Some((desired.generation, kept.source(name).await?.to_string())))
    }
}
