//! The sources of the present goal and of former ones.

use super::facts::{Goal, Good};
use super::keeper::get;
use super::place::Place;
use super::shelf::Shelf;
use super::{DeployError, Deployment, Through};

impl Deployment {
    pub(super) async fn goal(&self) -> Result<Option<Goal>, DeployError> {
        Ok(get(&self.own(), &self.stack, &Place::new(&self.stack).goal()).await?.map(|(goal, _)| goal))
    }

    /// The source of the present goal's target, and the goal's number; `None` if there is no goal, or it requests
    /// nothing.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn present_source(&self) -> Result<Option<(u64, String)>, DeployError> {
        if let Some(given) = self.heats_present().await? {
            return Ok(Some(given));
        }
        match self.goal().await? {
            Some(goal) => self.source_of(&goal).await,
            None => Ok(None),
        }
    }

    /// The goal that a rollback returns to, and the source of its target.
    ///
    /// # Errors
    /// It cannot be read, or none has the number `to`.
    pub async fn former_source(&self, to: Option<u64>) -> Result<Option<(u64, String)>, DeployError> {
        if Self::through(&self.store, &self.stack, &self.key).await? == Some(Through::Heat) {
            return self.heats_former(to).await;
        }
        let good: Option<(Vec<Good>, _)> = get(&self.own(), &self.stack, &Place::new(&self.stack).good()).await?;
        let good: Vec<Goal> =
            good.map(|(good, _)| good).unwrap_or_default().into_iter().map(|good| good.goal).collect();
        if let Some(to) = to {
            let unkept = || self.unkept(to, good.iter().map(|goal| goal.generation));
            let goal = good.iter().find(|goal| goal.generation == to).ok_or_else(unkept)?;
            return self.source_of(goal).await;
        }
        let Some(present) = self.goal().await? else { return Ok(None) };
        let (reached, former): (Vec<_>, Vec<_>) =
            good.into_iter().partition(|goal| goal.generation == present.generation);
        // A repeated or corrected deployment is not a new one.
        let own = if reached.is_empty() { None } else { self.source_of(&present).await?.map(|(_, text)| text) };
        for goal in former {
            let found = self.source_of(&goal).await?;
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

    pub(super) async fn source_of(&self, goal: &Goal) -> Result<Option<(u64, String)>, DeployError> {
        let Some(name) = &goal.asked.target else { return Ok(None) };
        let kept = Shelf::new(&self.own(), &self.stack, &self.key, &self.maker);
        Ok(Some((goal.generation, kept.source(name).await?.to_string())))
    }
}
