//! Bringing a stack's infrastructure up without Heat: the rules of `wattle-converge`, carried out.
//!
//! What lives here: the facts of a stack's infrastructure in the data space, who leads, and the loop that stores what the rules ask to
//! store, has jobs carried out and looks at what is there. What must not: what a resource is, and how a cloud is asked; that is
//! behind [`Maker`] and [`Cloud`].
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
pub use heat::Through;
pub use identity::Identity;
pub use news::{Count, Look, News};
pub use onlooker::{Known, Onlooker};
pub use pass_on::{believe, pass_on};
pub use shelf::{Maker, Planned};
pub use whereabouts::Whereabouts;

/// What is wanted of a stack's infrastructure.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// That there is what this is made into.
    Deploy {
        /// What [`Maker::make`] makes the target of.
        source: String,
        /// What happens when it fails.
        on_failure: OnFailure,
        /// When what was before is deleted.
        cleanup: Cleanup,
        /// What drifts afterwards is put right.
        corrects: bool,
        /// After this time nothing more is begun for it.
        deadline: Option<Time>,
    },
    /// What the present goal asks for, also where it differs since.
    AsDeployed {
        /// Names of what is there and differs, and stays as it is.
        leaves: BTreeSet<Name>,
    },
    /// That it is as it was.
    Rollback {
        /// Which goal; without it the one that was reached last, or the one before it if that is the present one.
        to: Option<u64>,
    },
    /// That there is nothing.
    Nothing,
}

/// Whose infrastructure it is, and who takes care of it.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The data space, as the operator.
    pub store: Arc<dyn Store>,
    /// The stack.
    pub stack: String,
    /// The operator's key.
    pub key: OperatorKey,
    /// Who carries out what is asked for.
    pub cloud: Arc<dyn Cloud>,
    /// Who makes targets.
    pub maker: Arc<dyn Maker>,
    /// How long things may take.
    pub limits: Limits,
}

impl Deployment {
    /// The data space for all that is known of infrastructure.
    fn own(&self) -> Arc<dyn Store> {
        own(&self.store, &self.key)
    }
}

/// `store` for the owner of `key`: what they write about infrastructure is signed, and reading what someone else has
/// written there fails, since it cannot be relied on.
fn own(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<dyn Store> {
    Signed::insisting(store, key, None)
}

/// How what was wanted has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The goal's number.
    pub generation: u64,
    /// What is not as it asks for, each in words; empty if everything is.
    pub roots: Vec<String>,
    /// What was not as asked for, where this goal is an earlier one that was gone back to.
    pub before: Vec<String>,
    /// It asks for nothing: that is what was wanted last.
    pub is_nothing: bool,
}
