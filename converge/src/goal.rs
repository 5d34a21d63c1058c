//! Goals: what is asked for, and what was reached last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wattle_model::{Name, shortest_cycles};

use crate::target::Nothing;
use crate::{Id, Target, Time};

/// What happens when a goal fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// It stays as it is.
    #[default]
    Stop,
    /// The goal that completed last is the next one.
    Rollback,
}

/// When what the last good goal left is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cleanup {
    /// Once everything is as wanted, so that until then a rollback finds it again.
    #[default]
    Last,
    /// Once the resource of the same name is as wanted.
    Early,
}

/// What somebody asks for.
#[derive(Clone, Debug)]
pub struct Desire {
    /// What there is to be.
    pub target: Arc<dyn Target>,
    /// After this time nothing more is begun for it.
    pub deadline: Option<Time>,
    /// What happens when it fails.
    pub on_failure: OnFailure,
    /// When what was before is deleted.
    pub cleanup: Cleanup,
    /// What drifts after it was reached is put right.
    pub corrects: bool,
    /// Names of what has drifted before and is left as it is: it was put right too often.
    pub leaves: BTreeSet<Name>,
}

impl Desire {
    /// The wish for a target, without a deadline and with the usual choices.
    pub fn new(target: Arc<dyn Target>) -> Self {
        let (on_failure, cleanup) = (OnFailure::Stop, Cleanup::Last);
        Self { target, deadline: None, on_failure, cleanup, corrects: false, leaves: BTreeSet::new() }
    }

    /// The wish that nothing is left.
    pub fn nothing() -> Self {
        Self::new(Arc::new(Nothing))
    }
}

/// A wish that has got a number.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Which one of the stack it is: each is greater than those before it.
    pub generation: u64,
    /// What it asks for.
    pub desire: Desire,
}

/// A goal that was reached, and what stood for it then.
///
/// What was there when it was reached and is no leftover stands for it, so that unchanged resources need no write.
#[derive(Clone, Debug)]
pub struct Good {
    /// The goal.
    pub goal: Goal,
    /// Rows after this one were made later.
    pub upto: Id,
    /// Rows that were there and did not stand for it.
    pub leftovers: BTreeSet<Id>,
}

impl Good {
    /// Whether a row stands for the goal.
    pub(crate) fn has(&self, row: Id) -> bool {
        row <= self.upto && !self.leftovers.contains(&row)
    }
}

/// Why a wish is refused. Nothing changes then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A resource depends on what the target does not have.
    #[error("`{name}` depends on `{missing}`, which is not in the template")]
    Unknown {
        /// Who depends on it.
        name: Name,
        /// What there is not.
        missing: Name,
    },
    /// A name was given to two resources.
    #[error("there are two resources with the name `{0}`")]
    Twice(Name),
    /// Resources depend on each other: the shortest cycle.
    #[error("these depend on each other, so that none can be the first: {}", cycle(.0))]
    Cycle(Vec<Name>),
    /// There is no such resource that could be adopted.
    #[error("there is no resource `{0}`")]
    NoResource(Name),
    /// A resource cannot be adopted, because something stands for its name.
    #[error("`{name}` is there already: {phys}")]
    Stands {
        /// The resource.
        name: Name,
        /// What the cloud calls what stands for it.
        phys: Name,
    },
    /// A thing cannot be adopted, because it is another resource's.
    #[error("{phys} is `{name}` already")]
    Taken {
        /// What the cloud calls it.
        phys: Name,
        /// Whose it is.
        name: Name,
    },
    /// A resource cannot be adopted, because it cannot be said what is wanted of it.
    #[error("it is not known what `{name}` is to be: {cause}")]
    Unresolved {
        /// The resource.
        name: Name,
        /// Why.
        cause: Name,
    },
    /// There is no such goal to go back to.
    #[error("there is no completed deployment {0} to go back to")]
    NoGoal(u64),
}

fn cycle(names: &[Name]) -> String {
    names.iter().chain(names.first()).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" -> ")
}

/// The names of a target, each with the places of those that it depends on.
///
/// # Errors
///
/// What is wrong with it.
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
