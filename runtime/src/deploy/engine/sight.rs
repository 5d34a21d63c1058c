//! Observes what exists, and passes it to the rules.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use wattle::model::Name;
use wattle::plan::{Found, Left};
use wattle_converge::{Event, Id, Row, Sight, Stage, Step, Time, Wait, Why};

use super::{Engine, SELDOM, SOON, join, now};
use crate::deploy::cloud::{Blindness, Expected, Rows, Seen};
use crate::deploy::difference::{found, to_come, under_way};
use crate::deploy::news::look_of;
use crate::deploy::{DeployError, Look, News};
use crate::store::Hold;

/// How many observations in a row may fail.
const MOST_BLIND: u32 = 10;

/// How long to wait for others' actions on existing things.
const OTHERS: Duration = Duration::from_mins(1);

/// The pause before the next observation, as a multiple of an observation's duration.
const BUSY: u32 = 4;

/// The result of an observation.
pub(super) struct Looked {
    at: Time,
    took: Duration,
    kinds: BTreeSet<Name>,
    is_all: bool,
    seen: Result<Vec<Seen>, Blindness>,
}

impl Engine {
    /// Records a first observation of everything, begins nothing, and ends.
    pub(in crate::deploy) async fn look_once(mut self, hold: Hold) -> Result<Vec<Found>, DeployError> {
        self.look_first(&mut std::future::pending()).await?;
        let differences = self.differences();
        let finished = self.finish().await;
        hold.release().await;
        finished.map(|()| differences)
    }

    /// The differences from the desired state.
    fn differences(&self) -> Vec<Found> {
        let of_row = |row: &Row| {
            let has_failed = self.state.has_failed(row);
            let is_replaced =
                row.stage != Stage::Gone && self.state.standing(&row.name).is_some_and(|it| it.id != row.id);
            if !is_replaced && !self.state.is_superfluous(row) {
                return found(row, has_failed);
            }
            let what = if is_replaced { "has replaced another one, which still exists" } else { "still exists" };
            let how = match row.failed.as_ref().filter(|_| has_failed) {
                Some(failure) => format!("{what}, and could not be deleted: {}", failure.cause),
                None => format!("{what}, and is to be deleted"),
            };
            Some(Found { name: row.name.clone(), left: Left::Itself, how })
        };
        let mut all: Vec<Found> = self.state.rows().filter_map(of_row).collect();
        let is_new = |wait: &Wait| !all.iter().any(|known| known.name == wait.name);
        let roots = self.state.roots().into_iter().filter(is_new);
        let roots: Vec<Found> = roots.filter_map(|wait| self.of_root(wait)).collect();
        all.extend(roots);
        to_come(self.state.unreached(), self.state.rows(), &mut all);
        to_come(under_way(self.state.rows()), self.state.rows(), &mut all);
        all
    }

    /// Like [`Self::differences`], for something for which only the difference is known; `None` if it only waits for
    /// its turn.
    fn of_root(&self, Wait { name, why }: Wait) -> Option<Found> {
        let stages = || self.state.rows().filter(|row| row.name == name).map(|row| row.stage);
        let left = if stages().any(|stage| stage == Stage::Sound) {
            Left::Itself
        } else if stages().any(|stage| stage == Stage::Failed) {
            Left::Wreck
        } else {
            Left::Nothing
        };
        let (left, how) = match why {
            Why::UnderWay(what) | Why::Unfinished(what) => (left, what.to_owned()),
            Why::Failed(cause) => (left, format!("failed: {cause}")),
            Why::Unresolved(cause) => (left, format!("has properties that cannot be computed: {cause}")),
            Why::Held { exclusive, by } => (left, format!("waits for `{exclusive}`, which `{by}` holds")),
            Why::Left(cause) => (left, format!("still exists in part, which could not be deleted: {cause}")),
            Why::Expired => (left, "was not started before the deadline".to_owned()),
            Why::Drifted => (Left::Nothing, "is gone".to_owned()),
            Why::Turn => return None,
        };
        Some(Found { name, left, how })
    }

    /// Observes everything that exists before carrying out a wish: a new desired state corrects what has drifted by
    /// then. Waits for others' actions on existing things in the meantime. Returns false if stopped before.
    pub(super) async fn look_first(
        &mut self,
        end: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<bool, DeployError> {
        let recently = now().as_millis().saturating_sub(u64::try_from(SOON.as_millis()).unwrap_or(u64::MAX));
        let is_seen = |engine: &Self| engine.seen_all.as_millis() >= recently && !engine.is_touched();
        while !is_seen(self) && self.state.rows().next().is_some() {
            let pause = if self.blind > 0 || self.is_touched() { SOON } else { Duration::ZERO };
            tokio::select! {
                () = &mut *end => return Ok(false),
                () = tokio::time::sleep(pause) => {}
            }
            if self.look.is_none() {
                self.look(true);
            }
            let looked = tokio::select! {
                () = &mut *end => return Ok(false),
                looked = looked(&mut self.look) => looked,
            };
            self.take_in(looked).await?;
        }
        Ok(true)
    }

    /// Whether the results of others' actions on existing things are still unknown.
    pub(super) fn is_touched(&self) -> bool {
        self.touched.is_some_and(|since| since.elapsed() < OTHERS)
    }

    pub(super) fn look_if_due(&mut self) {
        let is_all = self.looked_at_all.elapsed() >= SELDOM || self.blind > 0;
        if self.look.is_none() && (is_all || self.looked.elapsed() >= self.pace) {
            self.look(is_all);
        }
    }

    /// Begins an observation: of everything, or of the types of awaited things.
    pub(super) fn look(&mut self, is_all: bool) {
        let kinds = if is_all { self.tools.cloud.kinds() } else { self.state.watched() };
        self.looked = Instant::now();
        if is_all {
            self.looked_at_all = self.looked;
        }
        if kinds.is_empty() {
            return;
        }
        let mut rows = Rows::default();
        for row in self.state.rows().filter(|row| kinds.contains(&row.kind)) {
            if let Some(thing) = &row.thing {
                rows.by_phys.insert((row.kind.clone(), thing.phys.clone()), row.id);
            }
            if is_all && let Some(properties) = self.state.properties(row.id) {
                let noted = row.thing.as_ref().map(|thing| thing.attributes.clone()).unwrap_or_default();
                rows.expected.insert(row.id, Expected { name: row.name.clone(), properties, noted });
            }
        }
        let (cloud, at, began) = (Arc::clone(&self.tools.cloud), now(), self.looked);
        self.look = Some(tokio::spawn(async move {
            let seen = cloud.list(&kinds, &rows).await;
            Looked { at, took: began.elapsed(), kinds, is_all, seen }
        }));
    }

    /// Passes an observation to the rules, including the rows for which nothing was found.
    pub(super) async fn take_in(&mut self, looked: Looked) -> Result<(), DeployError> {
        let Looked { at, took, kinds, is_all, seen } = looked;
        self.pace = (self.pace * 3 / 2).min(SOON);
        let seen = match seen {
            Ok(seen) => seen,
            Err(Blindness { why, is_final }) => {
                self.blind += 1;
                self.pace = SOON;
                if is_final || self.blind > MOST_BLIND {
                    return Err(DeployError::Blind { stack: self.tools.stack.clone(), why });
                }
                self.report(News::Blind(why));
                return Ok(());
            }
        };
        self.blind = 0;
        if is_all {
            self.seen_all = at;
            let is_touched = |seen: &Seen| matches!(seen.sight, Sight::Busy(_)) && self.is_at_rest(seen.row);
            let touched = seen.iter().any(is_touched);
            self.touched = touched.then(|| self.touched.unwrap_or_else(Instant::now));
        }
        let there: BTreeSet<Id> = seen.iter().map(|seen| seen.row).collect();
        let is_missing = |row: &&Row| kinds.contains(&row.kind) && !there.contains(&row.id) && row.stage != Stage::Gone;
        let absent: Vec<(Id, Name)> =
            self.state.rows().filter(is_missing).map(|row| (row.id, row.kind.clone())).collect();
        let mut all = Step::default();
        let sights = seen.into_iter().map(|seen| (seen.row, seen.kind, seen.sight));
        for (mark, kind, sight) in sights.chain(absent.into_iter().map(|(id, kind)| (id, kind, Sight::Absent))) {
            let before = self.words(mark);
            join(&mut all, self.state.step(Event::Seen { mark, kind, at, sight }, now()));
            let after = self.words(mark);
            if let (Some(before), after) = (before, after)
                && Some(&before) != after.as_ref()
            {
                self.report(News::Seen { name: before.0, was: before.1, is: after.map(|after| after.1) });
            }
        }
        self.carry(all).await?;
        // Poll a slow cloud less often.
        self.pace = self.pace.max(took * BUSY).min(SOON);
        // The result of a late request shows only once nothing is in progress.
        self.is_swept |= is_all && self.state.is_quiet() && at > self.changed && !self.is_touched();
        Ok(())
    }

    /// Whether no action on an existing thing is in progress, here or begun by the former leader.
    fn is_at_rest(&self, id: Id) -> bool {
        self.state.row(id).is_some_and(|row| row.is_idle() && row.stage == Stage::Sound && row.free.is_some())
    }

    /// Describes a row: its name, whether an action on it is in progress, its state, and its difference.
    pub(super) fn words(&self, id: Id) -> Option<(Name, Look)> {
        let row = self.state.row(id)?;
        Some((row.name.clone(), look_of(row)))
    }
}

/// Waits for the end of an observation; forever if none is in progress.
pub(super) async fn looked(look: &mut Option<JoinHandle<Looked>>) -> Looked {
    match look {
        None => std::future::pending().await,
        Some(running) => {
            let looked = running.await;
            *look = None;
            looked.expect("INVARIANT: a look does not panic, and nobody ends it")
        }
    }
}
