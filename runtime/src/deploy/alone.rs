//! Exclusive access to a completely deleted stack, for removing its records.

use crate::store::{Access, Hold, StoreError};

use super::facts::{Want, Wish};
use super::keeper::get;
use super::place::Place;
use super::{DeployError, Deployment, facts};

/// Whether a command that destroys a stack may remove its records.
#[derive(Debug)]
pub enum Alone {
    /// Nothing is left of it, nothing is wanted for it, and nothing can begin as long as this is held.
    Held(Hold),
    /// A new wish exists, or something is left.
    Wanted,
    /// Another process has removed it.
    Gone,
}

impl Deployment {
    /// Locks out others, if nothing is left of the stack and nothing is wanted for it.
    ///
    /// # Errors
    /// The state cannot be read.
    pub async fn alone(&self) -> Result<Alone, DeployError> {
        let (store, place) = (&self.own(), Place::new(&self.stack));
        let leader = place.leader();
        loop {
            match self.wished().await? {
                None => return Ok(Alone::Gone),
                Some((wish, _)) if !is_nothing(&wish) => return Ok(Alone::Wanted),
                Some(_) => {}
            }
            match self.store.hold(&leader, &[], &Access::new(), None).await {
                Ok(hold) => {
                    let desired: Option<(facts::DesiredState, _)> =
                        get(store, &self.stack, &place.desired_state()).await?;
                    let is_done = desired.is_some_and(|(desired, _)| desired.asked.target.is_none());
                    let is_wanted = self.wished().await?.is_some_and(|(wish, _)| !is_nothing(&wish));
                    if is_done && !is_wanted && store.children(&place.rows()).await?.is_empty() {
                        return Ok(Alone::Held(hold));
                    }
                    hold.release().await;
                    return Ok(Alone::Wanted);
                }
                // Another process is reading it, or also wants to remove it.
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {
                    if let Some(node) = store.get(&leader).await? {
                        store.changed(&leader, Some(node.version)).await?;
                    }
                }
                Err(StoreError::Missing { .. }) => return Ok(Alone::Gone),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn is_nothing(wish: &Wish) -> bool {
    matches!(&wish.want, Want::Deploy(asked) if asked.target.is_none())
}
