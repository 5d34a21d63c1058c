//! Deploys a stack's infrastructure without Heat, by the rules of `wattle-converge`.
//!
//! What belongs here: the facts of a stack's infrastructure in the data space, leader election, and the loop that
//! stores the facts, has jobs carried out, and observes what exists. What does not: what a resource is, and how a cloud
//! is queried; these are behind [`Maker`] and [`Cloud`].
//!
//! A process that wants something writes a *wish*, which notifies the leader. Without a leader, the process with the
//! wish becomes one. So simultaneous wishes of two processes become two desired states, one after the other, and a
//! killed process leaves nothing that another cannot continue.

mod adopt;
mod alone;
mod bring;
mod cloud;
mod difference;
mod engine;
mod error;
mod facts;
mod follow;
mod former;
mod heat;
mod identity;
mod keeper;
mod news;
mod onlooker;
mod pass_on;
mod place;
mod shelf;
mod things;
mod whereabouts;

use std::collections::BTreeSet;
use std::sync::Arc;

use wattle::model::Name;
use wattle_converge::{Cleanup, Limits, OnFailure, Time};

use crate::space::{OperatorKey, Signed};
use crate::store::Store;

pub use adopt::standing;
pub use alone::Alone;
pub use cloud::{Blindness, Cloud, Expected, Rows, Seen};
pub use error::DeployError;
pub use heat::{MadeByHeat, Servers, Through};
pub use identity::Identity;
pub use news::{Count, Look, News};
pub use onlooker::{Known, Onlooker};
pub use pass_on::{believe, pass_on};
pub use shelf::{Maker, Planned};
pub use whereabouts::Whereabouts;

/// The wanted state of a stack's infrastructure.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The infrastructure described by a source.
    Deploy {
        /// The source from which [`Maker::make`] makes the target.
        source: String,
        /// What to do on a failure.
        on_failure: OnFailure,
        /// When to delete what existed before.
        cleanup: Cleanup,
        /// Whether to correct later drift.
        corrects: bool,
        /// The time after which nothing more is started for it.
        deadline: Option<Time>,
    },
    /// The present desired state, including resources that have drifted since.
    AsDeployed {
        /// Names of drifted resources to leave as they are.
        leaves: BTreeSet<Name>,
    },
    /// A former state.
    Rollback {
        /// The number of the desired state; by default the one reached last, or the one before it if that is the
        /// present one.
        to: Option<u64>,
    },
    /// Nothing.
    Nothing,
}

/// A stack's infrastructure, and its dependencies.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The data space, opened as the operator.
    pub store: Arc<dyn Store>,
    /// The stack.
    pub stack: String,
    /// The operator's key.
    pub key: OperatorKey,
    /// Carries out requests.
    pub cloud: Arc<dyn Cloud>,
    /// Makes targets.
    pub maker: Arc<dyn Maker>,
    /// Time limits.
    pub limits: Limits,
}

impl Deployment {
    /// The data space for all records about infrastructure.
    fn own(&self) -> Arc<dyn Store> {
        own(&self.store, &self.key)
    }
}

/// Wraps `store` for the owner of `key`: writes about infrastructure are signed, and reading what someone else has
/// written there fails, since it cannot be relied on.
fn own(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<dyn Store> {
    Signed::insisting(store, key, None)
}

/// The outcome of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The number of the desired state.
    pub generation: u64,
    /// The differences from the desired state, as texts; empty if there are none.
    pub roots: Vec<String>,
    /// The differences from the desired state that a rollback has replaced, if there was a rollback.
    pub before: Vec<String>,
    /// Whether the desired state is empty, as the last wish requested.
    pub is_nothing: bool,
}
