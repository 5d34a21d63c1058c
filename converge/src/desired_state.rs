//! The desired state, and the ones that were reached last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, shortest_cycles};

use crate::target::Nothing;
use crate::{Id, Target, Time};

/// What to do when a desired state cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// Leave everything as it is.
    #[default]
    Stop,
    /// Return to the desired state that was reached last.
    Rollback,
}

/// When to delete the leftovers of the desired state that was reached last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cleanup {
    /// Once everything is in its wanted state. Until then, a rollback can reuse them.
    #[default]
    Last,
    /// Once the resource of the same name is in its wanted state.
    Early,
}

/// A request for a new desired state.
#[derive(Clone, Debug)]
pub struct Desire {
    /// The wanted resources.
    pub target: Arc<dyn Target>,
    /// The time after which nothing more is started for it.
    pub deadline: Option<Time>,
    /// What to do when it fails.
    pub on_failure: OnFailure,
    /// When to delete what existed before.
    pub cleanup: Cleanup,
    /// Whether to correct drift after the desired state was reached.
    pub corrects: bool,
    /// The names of drifted resources to leave as they are, because they were corrected too often.
    pub leaves: BTreeSet<Name>,
}

impl Desire {
    /// Creates a request for a target, without a deadline and with the default choices.
    pub fn new(target: Arc<dyn Target>) -> Self {
        let (on_failure, cleanup) = (OnFailure::Stop, Cleanup::Last);
        Self { target, deadline: None, on_failure, cleanup, corrects: false, leaves: BTreeSet::new() }
    }

    /// Creates a request for nothing, so that everything is deleted.
    pub fn nothing() -> Self {
        Self::new(Arc::new(Nothing))
    }
}

/// A desired state: an accepted request, with its number.
#[derive(Clone, Debug)]
pub struct DesiredState {
    /// Its number in the stack, which is greater than the number of every earlier one.
    pub generation: u64,
    /// The request.
    pub desire: Desire,
}

/// A desired state that was reached, and the rows that stood for it then.
///
/// Every row that existed when it was reached stands for it, except the leftovers. So unchanged resources need no write.
#[derive(Clone, Debug)]
pub struct Good {
    /// The desired state.
    pub desired: DesiredState,
    /// The last row that existed then. Later rows do not stand for it.
    pub upto: Id,
    /// Rows that existed and did not stand for it.
    pub leftovers: BTreeSet<Id>,
}

impl Good {
    /// Whether a row stands for it.
    pub(crate) fn has(&self, row: Id) -> bool {
        row <= self.upto && !self.leftovers.contains(&row)
    }
}

/// Why a request is refused. A refused request changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A resource depends on a name that is not in the target.
    #[error("`{name}` depends on `{missing}`, which is not in the template")]
    Unknown {
        /// The resource.
        name: Name,
        /// The missing name.
        missing: Name,
    },
    /// Two resources have the same name.
    #[error("there are two resources with the name `{0}`")]
    Twice(Name),
    /// Resources depend on each other. This is the shortest cycle.
    #[error("these depend on each other, so none can be created first: {}", cycle(.0))]
    Cycle(Vec<Name>),
    /// There is no resource with this name to adopt.
    #[error("there is no resource `{0}`")]
    NoResource(Name),
    /// A resource cannot be adopted, because a thing already stands for its name.
    #[error("`{name}` already exists: {phys}")]
    Stands {
        /// The resource.
        name: Name,
        /// That thing's name in the cloud.
        phys: Name,
    },
    /// A thing cannot be adopted, because it belongs to another resource.
    #[error("{phys} already belongs to `{name}`")]
    Taken {
        /// The thing's name in the cloud.
        phys: Name,
        /// The resource that it belongs to.
        name: Name,
    },
    /// A resource cannot be adopted, because its wanted state cannot be computed.
    #[error("cannot determine the properties of `{name}`: {cause}")]
    Unresolved {
        /// The resource.
        name: Name,
        /// The reason.
        cause: Name,
    },
    /// There is no such desired state to roll back to.
    #[error("there is no completed deployment {0} to go back to")]
    NotReached(u64),
}

fn cycle(names: &[Name]) -> String {
    names.iter().chain(names.first()).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" -> ")
}

/// The names of a target, each with the indexes of its dependencies.
///
/// # Errors
///
/// The error in the target.
pub(crate) fn places(target: &dyn Target) -> Result<Vec<(Name, Vec<usize>)>, Refusal> {
    let resources = target.resources();
    let mut places = BTreeMap::new();
    for (place, (name, _)) in resources.iter().enumerate() {
        if places.insert(name.clone(), place).is_some() {
            return Err(Refusal::Twice(name.clone()));
        }
    }
    let mut graph = Vec::with_capacity(resources.len());
    for (name, requires) in &resources {
        let mut found = BTreeSet::new();
        for missing in requires {
            let unknown = || Refusal::Unknown { name: name.clone(), missing: missing.clone() };
            found.insert(*places.get(missing).ok_or_else(unknown)?);
        }
        graph.push((name.clone(), found.into_iter().collect::<Vec<_>>()));
    }
    let edges: Vec<(usize, usize)> =
        graph.iter().enumerate().flat_map(|(place, (_, to))| to.iter().map(move |to| (place, *to))).collect();
    match shortest_cycles(graph.len(), &edges).into_iter().next() {
        Some(cycle) => Err(Refusal::Cycle(cycle.into_iter().map(|edge| graph[edges[edge].0].0.clone()).collect())),
        None => Ok(graph),
    }
}
