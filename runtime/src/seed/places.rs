//! The places of agents whose servers get a new identity.

use std::sync::atomic::AtomicUsize;

use wattle::model::Name;

use crate::space::{SpaceError, places};
use crate::store::{Access, Op, StoreError};

use super::SeedError;
use super::present::Deployed;
use super::removal::Removal;
use super::turn::Turn;

/// The fate of a place.
pub(super) enum Cleared {
    /// It was emptied.
    Emptied,
    /// It was replaced by a new one, which the store bounds or not.
    Replaced { is_bounded: bool },
}

impl Cleared {
    /// Records it in the deployment.
    pub(super) fn note(self, deployed: &mut Deployed) {
        if let Self::Replaced { is_bounded } = self {
            deployed.moved = true;
            deployed.bounded &= is_bounded;
        }
    }
}

/// A place that passes to another identity of its server, or to none.
pub(super) struct Passing {
    /// The server.
    pub(super) server: Name,
    /// The rights to it.
    pub(super) access: Access,
}

impl Passing {
    /// Removes what the former identity has created in the place, to which it no longer has rights. The node of a
    /// running agent stays if `agent_stays`. If anything cannot be removed, there is a new place, which has bounds of
    /// its own: whatever the former identity still does in the former one is harmless.
    pub(super) async fn clear(self, turn: &Turn<'_>, agent_stays: bool) -> Result<Cleared, SeedError> {
        let Turn { store, layout, .. } = turn;
        let Self { server, access } = self;
        let place = places::of(store, layout, &server).await?;
        let (path, alive) = (layout.agent(&place), layout.alive(&place));
        // Nothing can be created below a held node.
        let spared = agent_stays && store.is_held(&alive).await?;
        let checks = turn.checks();
        let removal = Removal { store, layout, checks: &checks, removed: &AtomicUsize::new(0) };
        let left = removal.below(&path, spared.then_some(alive.as_str())).await?;
        if left.is_empty() {
            return Ok(Cleared::Emptied);
        }
        turn.protect(&[(path, Access::new())]).await?;
        let after = layout.agent(&places::next(&place));
        turn.apply(vec![Op::Create { path: after.clone(), data: Vec::new(), access }]).await?;
        let is_bounded = store.bound(&[after]).await?;
        if spared {
            // Its agent takes the new place.
            match turn.apply(vec![Op::Delete { path: alive }]).await {
                Ok(()) | Err(SeedError::Space(SpaceError::Store(StoreError::Missing { .. }))) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Cleared::Replaced { is_bounded })
    }

    /// Takes the place from its agent.
    pub(super) async fn take(self, turn: &Turn<'_>) -> Result<Cleared, SeedError> {
        let place = places::of(turn.store, turn.layout, &self.server).await?;
        let alive = Op::Delete { path: turn.layout.alive(&place) };
        match turn.store.apply(vec![alive]).await {
            Ok(()) | Err(StoreError::Missing { .. }) => Ok(Cleared::Emptied),
            // This is not an agent, whose node has nothing below it.
            Err(StoreError::NotEmpty { .. }) => self.clear(turn, false).await,
            Err(error) => Err(error.into()),
        }
    }
}
