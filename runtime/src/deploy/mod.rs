//! Brings a stack's infrastructure up without Heat, by the rules of `wattle-converge`.
//!
//! What lives here: the facts of a stack's infrastructure in the data space, which process leads, and the loop that
//! stores what the rules ask to store, has jobs carried out, and looks at what exists. What must not: what a resource
//! is, and how a cloud is queried; these are behind [`Maker`] and [`Cloud`].
//!
//! A process that wants something writes a *wish*. The leader hears of it. If no process leads, the one with the wish
//! does. So two processes that want something at once have two goals, one after the other, and a killed process leaves
//! nothing that another cannot continue.

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

/// What is wanted for a stack's infrastructure.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The infrastructure that is made from this.
    Deploy {
        /// The source from which [`Maker::make`] makes the target.
        source: String,
        /// What happens when it fails.
        on_failure: OnFailure,
        /// When what existed before is deleted.
        cleanup: Cleanup,
        /// Whether what drifts afterwards is corrected.
        corrects: bool,
        /// After this time, nothing more is begun for it.
        deadline: Option<Time>,
    },
    /// What the present goal requests, also where things have drifted since.
    AsDeployed {
        /// Names of existing things that differ and stay as they are.
        leaves: BTreeSet<Name>,
    },
    /// The state that it had before.
    Rollback {
        /// Which goal. Without a number: the one that was reached last, or the one before it if that is the present
        /// one.
        to: Option<u64>,
    },
    /// Nothing.
    Nothing,
}

/// A stack's infrastructure, and what manages it.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The data space, as the operator.
    pub store: Arc<dyn Store>,
    /// The stack.
    pub stack: String,
    /// The operator's key.
    pub key: OperatorKey,
    /// Carries out requests.
    pub cloud: Arc<dyn Cloud>,
    /// Makes targets.
    pub maker: Arc<dyn Maker>,
    /// How long things may take.
    pub limits: Limits,
}

impl Deployment {
    /// The data space for everything that is known about infrastructure.
    fn own(&self) -> Arc<dyn Store> {
        own(&self.store, &self.key)
    }
}

/// `store` for the owner of `key`: what they write about infrastructure is signed, and reading what someone else has
/// written there fails, since it cannot be relied on.
fn own(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<dyn Store> {
    Signed::insisting(store, key, None)
}

/// The result of what was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The goal's number.
    pub generation: u64,
    /// What differs from it, each in words; empty if nothing does.
    pub roots: Vec<String>,
    /// What differed from the wanted goal, if this goal is an earlier one, after a rollback.
    pub before: Vec<String>,
    /// It requests nothing: that is what was wanted last.
    pub is_nothing: bool,
}
