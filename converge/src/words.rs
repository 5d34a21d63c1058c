//! What is awaited, and why something is not in its wanted state.

use std::fmt;

use wattle_model::Name;

use crate::predicates::{Obstacle, create, has_failed, read, update};
use crate::state::{Phase, State};
use crate::view::View;
use crate::{Act, Row, Stage};

/// Why something is not in its wanted state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// This action on it is in progress.
    UnderWay(&'static str),
    /// This action on it was in progress when the deadline of the desired state passed.
    Unfinished(&'static str),
    /// It failed, for this reason.
    Failed(Name),
    /// Its wanted state cannot be computed, for this reason.
    Unresolved(Name),
    /// It needs what another resource holds.
    Held {
        /// What is held exclusively.
        exclusive: Name,
        /// The resource that holds it.
        by: Name,
    },
    /// A leftover of it cannot be deleted, for this reason.
    Left(Name),
    /// The deadline of the desired state passed before it was started.
    Expired,
    /// It changed or vanished after it was in its wanted state, and no correction was requested.
    Drifted,
    /// It waits for its turn.
    Turn,
}

/// A resource that is not in its wanted state, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The resource.
    pub name: Name,
    /// The reason.
    pub why: Why,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.why {
            Why::UnderWay(what) => write!(f, "`{name}` {what}"),
            Why::Unfinished(what) => write!(f, "the deadline passed, and `{name}` {what}"),
            Why::Failed(cause) => write!(f, "`{name}` failed: {cause}"),
            Why::Unresolved(cause) => write!(f, "the properties of `{name}` cannot be computed: {cause}"),
            Why::Held { exclusive, by } => write!(f, "`{name}` waits for `{exclusive}`, which `{by}` holds"),
            Why::Left(cause) => write!(f, "what is left of `{name}` could not be deleted: {cause}"),
            Why::Expired => write!(f, "the deadline passed before work on `{name}` began"),
            Why::Drifted => write!(f, "`{name}` is not as it was deployed"),
            Why::Turn => write!(f, "`{name}` waits for its turn"),
        }
    }
}

impl Act {
    /// Describes the state of a resource, worded to follow its name.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Create => "is being created",
            Self::Look => "is being looked for",
            Self::Update { .. } => "is being changed",
            Self::Read { .. } => "is being read again",
            Self::Release { .. } => "gives up what another resource needs",
            Self::Delete => "is being deleted",
        }
    }
}

impl State {
    /// What is in progress, and what everything else waits for.
    pub fn waits(&self) -> Vec<Wait> {
        let under_way = self.rows().filter_map(|row| {
            let what = Why::UnderWay(self.words(row)?);
            Some(Wait { name: row.name.clone(), why: what })
        });
        under_way.chain(self.roots()).collect()
    }

    /// The actions that were in progress when the deadline of the desired state passed.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = Wait> {
        let is_over_time = self.is_over_time();
        self.rows().filter(move |_| is_over_time).filter_map(|row| {
            let what = Why::Unfinished(self.words(row)?);
            Some(Wait { name: row.name.clone(), why: what })
        })
    }

    /// The differences from the desired state, except for what only waits for another of these.
    pub fn roots(&self) -> Vec<Wait> {
        let names = self.index.names.iter().enumerate();
        names
            .flat_map(|(place, (name, named))| {
                let is_root = named.is_in_target && !named.is_done && named.missing == 0;
                let why = if is_root { self.why(place) } else { None };
                let left = self.left(place);
                why.into_iter().chain(left).map(|why| Wait { name: name.clone(), why })
            })
            .collect()
    }

    /// Until the desired state is reached once: the names that are not in their wanted state, whatever the reason.
    pub fn unreached(&self) -> impl Iterator<Item = &Name> {
        let is_complete = self.is_complete();
        let names = self.index.names.iter().filter(move |_| !is_complete);
        names.filter(|(_, named)| named.is_in_target && !named.is_done).map(|(name, _)| name)
    }

    /// Why a name is not in its wanted state although all its dependencies are; `None` if it is in progress.
    fn why(&self, place: usize) -> Option<Why> {
        if let Some(Err(cause)) = &self.index.names[place].wanted {
            return Some(Why::Unresolved(cause.clone()));
        }
        if let Some(row) = self.rows_of(place).find(|row| has_failed(self, row)) {
            return row
                .failed
                .as_ref()
                .filter(|failure| !failure.deleting)
                .map(|failure| Why::Failed(failure.cause.clone()));
        }
        if self.rows_of(place).any(|row| !row.is_idle()) {
            return None;
        }
        if self.is_expired() {
            let is_begun = self.rows_of(place).any(|row| row.stage == Stage::New);
            return Some(if is_begun { Why::Unfinished(Act::Create.words()) } else { Why::Expired });
        }
        match (update(self, place), create(self, place)) {
            (Ok(_), _) | (_, Ok(())) => Some(Why::Turn),
            (Err(Obstacle::Held(held)), _) | (_, Err(Obstacle::Held(held))) => {
                let own = self.pick(place);
                held.into_iter().find_map(|exclusive| {
                    let holder = self.holders(&exclusive).into_iter().find(|holder| Some(*holder) != own)?;
                    Some(Why::Held { by: self.rows[&holder].row.name.clone(), exclusive })
                })
            }
            _ if read(self, place).is_some() => Some(Why::Turn),
            _ => Some(if self.is_complete() { Why::Drifted } else { Why::Turn }),
        }
    }

    /// Why a leftover of a name still exists.
    fn left(&self, place: usize) -> Option<Why> {
        let row = self
            .rows_of(place)
            .find(|row| row.is_idle() && row.stage != Stage::Gone && has_failed(self, row) && is_left(row))?;
        row.failed.as_ref().map(|failure| Why::Left(failure.cause.clone()))
    }

    fn rows_of(&self, place: usize) -> impl Iterator<Item = &Row> {
        View::rows(self, place)
    }

    /// The action on a row.
    fn words(&self, row: &Row) -> Option<&'static str> {
        let entry = &self.rows[&row.id];
        Some(match (row.act()?, entry.phase) {
            (Act::Delete, _) if entry.drain.is_some() => "is torn down before it is deleted",
            (_, Phase::Lease) => "may still be worked on by somebody else",
            (Act::Create, Phase::Retry) => "cannot be created yet; wattle asks the cloud again",
            (Act::Update { .. }, Phase::Retry) => "cannot be changed yet; wattle asks the cloud again",
            (Act::Read { .. }, Phase::Retry) => "cannot be read yet; wattle asks the cloud again",
            (Act::Delete, Phase::Retry) => "cannot be deleted yet; wattle asks the cloud again",
            (act, _) => act.words(),
        })
    }
}

fn is_left(row: &Row) -> bool {
    row.failed.as_ref().is_some_and(|failure| failure.deleting)
}
