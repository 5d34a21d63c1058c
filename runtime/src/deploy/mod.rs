//! Bringing a stack's infrastructure up without Heat: the rules of `wattle-converge`, carried out.
//!
//! What lives here: the facts of a stack's infrastructure in the data space, who leads, and the loop that stores what the rules ask to
//! store, has jobs carried out and looks at what is there. What must not: what a resource is, and how a cloud is asked; that is
//! behind [`Maker`] and [`Cloud`].
//!
//! Somebody who wants something writes a *wish*. Who leads hears of it; where nobody leads, whoever has the wish does. So two
//! who want something at once have two goals, one after the other, and whoever is killed leaves nothing that nobody goes on with.

mod adopt;
mod alone;
mod cloud;
mod engine;
mod error;
mod facts;
mod follow;
mod heat;
mod identity;
mod keeper;
mod onlooker;
mod pass_on;
mod place;
mod shelf;
mod whereabouts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::mpsc;
use wattle::model::Name;
use wattle::plan::{Found, Left};
use wattle_converge::{Act, Cleanup, Limits, OnFailure, Outcome, Row, Stage, Time, Wait, What};

use crate::space::{OperatorKey, Signed};
use crate::store::{Access, Hold, Store, StoreError, Version};

pub use adopt::standing;
pub use alone::Alone;
pub use cloud::{Blindness, Cloud, Expected, Rows, Seen};
pub use error::DeployError;
pub use heat::Through;
pub use identity::Identity;
pub use onlooker::{Known, Onlooker};
pub use pass_on::{believe, pass_on};
pub use shelf::{Maker, Planned};
pub use whereabouts::Whereabouts;

use engine::{End, Engine, Tools};
use facts::{Asked, Report, Want, Wish};
use keeper::{after, get, json, prepare};
use place::Place;
use shelf::Shelf;

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

/// `store` for the one who has `key`: what they write of infrastructure is signed, and reading what somebody else has written there
/// fails, since nobody could go on by it.
fn own(store: &Arc<dyn Store>, key: &OperatorKey) -> Arc<dyn Store> {
    Signed::insisting(store, key, None)
}

/// How many resources there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// That are there.
    pub there: usize,
    /// To which something is being done.
    pub busy: usize,
    /// With which something went wrong.
    pub failed: usize,
}

impl Count {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut count = Self::default();
        for row in rows {
            count.busy += usize::from(!row.is_idle());
            count.there += usize::from(row.is_idle() && row.stage == Stage::Sound);
            count.failed += usize::from(row.failed.is_some());
        }
        count
    }
}

/// How a row is: whether nothing is done to it, how its thing is, and how it differs from what was deployed.
pub type Look = (bool, Stage, Option<Name>);

fn look_of(row: &Row) -> Look {
    (row.is_idle(), row.stage, row.drift.clone())
}

/// What goes on, for whoever looks on.
#[derive(Clone, Debug)]
pub enum News {
    /// Somebody else leads, and this process looks on.
    Elsewhere,
    /// Something is begun.
    Begins {
        /// Of which resource.
        name: Name,
        /// Its type.
        kind: Name,
        /// What.
        what: What,
    },
    /// A job came to an end.
    Outcome {
        /// Of which resource.
        name: Name,
        /// What was being done.
        act: Option<Act>,
        /// How it went.
        outcome: Outcome,
    },
    /// Something was seen that was not known: whether nothing is done to a resource, how it is, and how it differs.
    Seen {
        /// Which resource.
        name: Name,
        /// How it was.
        was: Look,
        /// How it is; nothing if it is gone.
        is: Option<Look>,
    },
    /// It could not be seen what is there: why.
    Blind(String),
    /// Nothing has changed for a long time: what is waited for.
    Stalled(Vec<Wait>),
    /// How many resources there are.
    Count(Count),
    /// Nothing is under way any more.
    Settled {
        /// The goal's number.
        generation: u64,
        /// What is not as it asks for.
        roots: Vec<Wait>,
    },
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
    /// It asks for nothing: that is what somebody wanted last.
    pub is_nothing: bool,
}

/// How a row's thing is not as it was deployed, if it is not: what went wrong with one that stands counts only if that was now.
fn found(row: &Row, has_failed: bool) -> Option<Found> {
    if row.adopted && row.stage == Stage::Sound {
        let how = row.drift.as_ref().map_or_else(String::new, |how| format!(", and differs: {how}"));
        return Some(Found { name: row.name.clone(), left: Left::Adopted, how: format!("was taken over{how}") });
    }
    let (left, how) = match (row.stage, &row.drift, &row.failed) {
        (Stage::Failed, Some(why), _) => (Left::Wreck, format!("is broken: {why}")),
        (Stage::Failed, None, Some(failure)) => (Left::Wreck, format!("failed: {}", failure.cause)),
        (Stage::Failed, None, None) => (Left::Wreck, "is broken".to_owned()),
        (_, Some(how), _) => (Left::Itself, format!("differs: {how}")),
        (Stage::New | Stage::Gone, None, Some(failure)) if has_failed => {
            (Left::Nothing, format!("failed: {}", failure.cause))
        }
        (Stage::Sound, None, Some(failure)) if has_failed => (Left::Itself, format!("failed: {}", failure.cause)),
        _ => return None,
    };
    Some(Found { name: row.name.clone(), left, how })
}

/// Adds what a goal asks for that was begun and not reached, unless something else is said of it.
fn to_come<'a>(names: impl Iterator<Item = &'a Name>, rows: impl Iterator<Item = &'a Row>, all: &mut Vec<Found>) {
    let said: BTreeSet<Name> = all.iter().map(|found| found.name.clone()).collect();
    let there: BTreeSet<&Name> = rows.filter(|row| row.stage == Stage::Sound).map(|row| &row.name).collect();
    all.extend(names.filter(|name| !said.contains(*name)).map(|name| {
        let (left, how) =
            if there.contains(name) { (Left::Itself, "is not done yet") } else { (Left::Nothing, "is not there yet") };
        Found { name: name.clone(), left, how: how.to_owned() }
    }));
}

/// The same of what others have seen.
fn seen_by_others(known: &Known) -> Vec<Found> {
    let has_failed = |row: &Row| row.failed.as_ref().is_some_and(|failure| failure.generation == known.number);
    let mut all: Vec<Found> = known.rows.iter().filter_map(|row| found(row, has_failed(row))).collect();
    if !known.is_reached {
        let is_done = |row: &&Row| row.stage == Stage::Sound && row.is_idle();
        let done: BTreeSet<&Name> = known.rows.iter().filter(is_done).map(|row| &row.name).collect();
        let planned = known.planned.iter().flatten().map(|planned| &planned.name);
        to_come(planned.filter(|name| !done.contains(name)), known.rows.iter(), &mut all);
    }
    all
}

impl Deployment {
    /// Has `wanted` done, whoever leads, and returns once it is, or cannot be; nothing if it was told to `end` before. What is not
    /// done then is gone on with by the next call.
    ///
    /// # Errors
    /// What keeps it from going on.
    pub async fn bring(
        &self,
        wanted: &Wanted,
        news: &mpsc::UnboundedSender<News>,
        end: impl Future<Output = ()>,
    ) -> Result<Option<Ended>, DeployError> {
        tokio::pin!(end);
        let number = tokio::select! {
            number = self.wish(wanted) => number?,
            () = &mut end => return Ok(None),
        };
        match self.attend(Some(number), news, end).await {
            // Whoever destroys it takes all of this away at last.
            Err(DeployError::Store(StoreError::Missing { .. })) if self.wished().await?.is_none() => {
                Err(DeployError::Destroyed { stack: self.stack.clone() })
            }
            attended => attended,
        }
    }

    /// Goes on with what was wanted before, and keeps things as they should be until told to `end`.
    ///
    /// # Errors
    /// As [`Self::bring`].
    pub async fn keep(
        &self,
        news: &mpsc::UnboundedSender<News>,
        end: impl Future<Output = ()>,
    ) -> Result<(), DeployError> {
        prepare(&self.own(), &self.stack).await?;
        tokio::pin!(end);
        self.attend(None, news, end).await.map(drop)
    }

    /// The data space for all that is known of infrastructure.
    fn own(&self) -> Arc<dyn Store> {
        own(&self.store, &self.key)
    }

    async fn attend(
        &self,
        until: Option<u64>,
        news: &mpsc::UnboundedSender<News>,
        mut end: std::pin::Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Option<Ended>, DeployError> {
        loop {
            if let Some(until) = until
                && let Some(ended) = self.ended(&self.own(), until).await?
            {
                return Ok(Some(ended));
            }
            let place = Place::new(&self.stack);
            match self.store.hold(&place.leader(), &[], &Access::new(), None).await {
                Ok(hold) => {
                    let (engine, heard, hold) = self.lead(hold, news).await?;
                    if engine.run(heard, hold, until, &mut end).await? == End::Told {
                        return Ok(None);
                    }
                }
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {
                    let _ = news.send(News::Elsewhere);
                    tokio::select! {
                        () = &mut end => return Ok(None),
                        followed = self.follow(until, news) => followed?,
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Leads with what is stored. Whoever cannot lets others lead at once, and not only when the store misses this process.
    async fn lead(
        &self,
        hold: Hold,
        news: &mpsc::UnboundedSender<News>,
    ) -> Result<(Engine, Option<(Wish, Version)>, Hold), DeployError> {
        match Engine::begin(self.tools(), &hold, news.clone()).await {
            Ok((engine, heard)) => Ok((engine, heard, hold)),
            Err(error) => {
                hold.release().await;
                Err(error)
            }
        }
    }

    fn tools(&self) -> Tools {
        let Self { stack, key, cloud, maker, limits, .. } = self.clone();
        let store = self.own();
        Tools { store, stack, key, cloud, maker, limits }
    }

    /// How a wish has ended, or one that came after it.
    async fn ended(&self, store: &Arc<dyn Store>, wish: u64) -> Result<Option<Ended>, DeployError> {
        let report: Option<(Report, _)> = get(store, &self.stack, &Place::new(&self.stack).report()).await?;
        let report = report.map(|(report, _)| report).filter(|report| report.wish >= wish);
        let ended =
            |Report { generation, roots, before, is_nothing, .. }| Ended { generation, roots, before, is_nothing };
        Ok(report.map(ended))
    }

    /// Writes down what is wanted; its number.
    async fn wish(&self, wanted: &Wanted) -> Result<u64, DeployError> {
        let store = &self.own();
        prepare(store, &self.stack).await?;
        let mut whole = None;
        let want = match wanted {
            Wanted::AsDeployed { leaves } => {
                let goal = self.goal().await?.filter(|goal| goal.asked.target.is_some());
                let nothing = || DeployError::Nothing { stack: self.stack.clone() };
                let asked = goal.ok_or_else(nothing)?.asked;
                let corrects = asked.corrects && leaves.is_empty();
                Want::Deploy(Asked { deadline: None, corrects, leaves: leaves.clone(), ..asked })
            }
            Wanted::Rollback { to } => Want::Rollback { to: *to },
            Wanted::Nothing => Want::Deploy(Asked {
                target: None,
                deadline: None,
                on_failure: OnFailure::Stop,
                cleanup: Cleanup::Last,
                corrects: false,
                leaves: BTreeSet::new(),
            }),
            Wanted::Deploy { source, on_failure, cleanup, corrects, deadline } => {
                let (target, op) = Shelf::new(store, &self.stack, &self.key, &self.maker).put(source).await?;
                whole = Some(op);
                Want::Deploy(Asked {
                    target: Some(target),
                    deadline: *deadline,
                    on_failure: *on_failure,
                    cleanup: *cleanup,
                    corrects: *corrects,
                    leaves: BTreeSet::new(),
                })
            }
        };
        let path = Place::new(&self.stack).wish();
        loop {
            let there = self.wished().await?;
            let number = there.as_ref().map_or(0, |(wish, _)| wish.number) + 1;
            let data = json(&Wish { number, want: want.clone() });
            let wish = after(path.clone(), data, there.map(|(_, version)| version));
            match store.apply(whole.clone().into_iter().chain([wish]).collect()).await {
                Ok(()) => return Ok(number),
                // Somebody else wants something at the same time. It comes before this.
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What somebody wanted last.
    async fn wished(&self) -> Result<Option<(Wish, Version)>, DeployError> {
        get(&self.own(), &self.stack, &Place::new(&self.stack).wish()).await
    }

    /// Looks once at all that is there: what is not as the goal asks for. Where somebody else leads, it is what they have seen.
    ///
    /// # Errors
    /// As [`Self::bring`].
    pub async fn look(&self, news: &mpsc::UnboundedSender<News>) -> Result<Vec<Found>, DeployError> {
        prepare(&self.own(), &self.stack).await?;
        match self.store.hold(&Place::new(&self.stack).leader(), &[], &Access::new(), None).await {
            Ok(hold) => {
                let (engine, _, hold) = self.lead(hold, news).await?;
                engine.look_once(hold).await
            }
            Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {
                let _ = news.send(News::Elsewhere);
                let opens = Some((self.key.clone(), Arc::clone(&self.maker)));
                let known = Onlooker::new(&self.store, &self.stack, opens).look().await?;
                Ok(known.as_deref().map(seen_by_others).unwrap_or_default())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn goal(&self) -> Result<Option<facts::Goal>, DeployError> {
        Ok(get(&self.own(), &self.stack, &Place::new(&self.stack).goal()).await?.map(|(goal, _)| goal))
    }

    /// What the present goal's target is made of, and the goal's number; nothing if there is none, or it asks for nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn present_source(&self) -> Result<Option<(u64, String)>, DeployError> {
        if let Some(given) = self.heats_present().await? {
            return Ok(Some(given));
        }
        match self.goal().await? {
            Some(goal) => self.source_of(&goal).await,
            None => Ok(None),
        }
    }

    /// The goal that a rollback goes back to, and what its target is made of.
    ///
    /// # Errors
    /// When it cannot be read, or there is none of the number `to`.
    pub async fn former_source(&self, to: Option<u64>) -> Result<Option<(u64, String)>, DeployError> {
        if Self::through(&self.store, &self.stack, &self.key).await? == Some(Through::Heat) {
            return self.heats_former(to).await;
        }
        let good: Option<(Vec<facts::Good>, _)> =
            get(&self.own(), &self.stack, &Place::new(&self.stack).good()).await?;
        let good: Vec<facts::Goal> =
            good.map(|(good, _)| good).unwrap_or_default().into_iter().map(|good| good.goal).collect();
        if let Some(to) = to {
            let unkept = || self.unkept(to, good.iter().map(|goal| goal.generation));
            let goal = good.iter().find(|goal| goal.generation == to).ok_or_else(unkept)?;
            return self.source_of(goal).await;
        }
        let Some(present) = self.goal().await? else { return Ok(None) };
        let (reached, former): (Vec<_>, Vec<_>) =
            good.into_iter().partition(|goal| goal.generation == present.generation);
        // What was asked for once more, or put right, is no other deployment.
        let own = if reached.is_empty() { None } else { self.source_of(&present).await?.map(|(_, text)| text) };
        for goal in former {
            let found = self.source_of(&goal).await?;
            if own.is_none() || found.as_ref().map(|(_, text)| text) != own.as_ref() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn unkept(&self, number: u64, kept: impl Iterator<Item = u64>) -> DeployError {
        let mut kept: Vec<u64> = kept.collect();
        kept.sort_unstable();
        DeployError::Unkept { stack: self.stack.clone(), number, kept }
    }

    async fn source_of(&self, goal: &facts::Goal) -> Result<Option<(u64, String)>, DeployError> {
        let Some(name) = &goal.asked.target else { return Ok(None) };
        let kept = Shelf::new(&self.own(), &self.stack, &self.key, &self.maker);
        Ok(Some((goal.generation, kept.source(name).await?.to_string())))
    }

    /// The resources of a type that are there and of which it was not [noted](Self::note_known) that they are known: each with
    /// its thing's name in the cloud.
    ///
    /// # Errors
    /// When that cannot be read.
    pub async fn strangers(&self, kind: &str) -> Result<BTreeMap<Name, Name>, DeployError> {
        let known = self.known().await?.map(|(known, _)| known).unwrap_or_default();
        let there = self.things_that_are(kind, |stage| stage == Stage::Sound).await?;
        Ok(there.into_iter().filter(|(name, phys)| known.get(name) != Some(phys)).collect())
    }

    /// All resources of a type that are there, also those that are not as they should be: each with its thing's name in the cloud.
    ///
    /// # Errors
    /// When that cannot be read.
    pub async fn things(&self, kind: &str) -> Result<BTreeMap<Name, Name>, DeployError> {
        self.things_that_are(kind, |_| true).await
    }

    /// The names of all resources of which something is there that is as it should be.
    ///
    /// # Errors
    /// When that cannot be read.
    pub async fn sound(&self) -> Result<BTreeSet<Name>, DeployError> {
        let rows = Self::rows(&self.store, &self.stack, &self.key).await?;
        Ok(rows.into_iter().filter(|row| row.stage == Stage::Sound).map(|row| row.name).collect())
    }

    async fn things_that_are(
        &self,
        kind: &str,
        is_so: impl Fn(Stage) -> bool,
    ) -> Result<BTreeMap<Name, Name>, DeployError> {
        let rows = Self::rows(&self.store, &self.stack, &self.key).await?;
        let there = rows.into_iter().filter(|row| &*row.kind == kind && is_so(row.stage));
        // Of several for a name, the youngest stands for it.
        let mut there: BTreeMap<Name, Name> = there.filter_map(|row| Some((row.name, row.thing?.phys))).collect();
        if kind == wattle::model::Resource::SERVER {
            there.extend(self.heats_servers().await?);
        }
        Ok(there)
    }

    /// Notes that whoever acts for these resources is known by a key of its own: until another thing stands for a resource.
    ///
    /// # Errors
    /// When that cannot be written.
    pub async fn note_known(&self, things: &BTreeMap<Name, Name>) -> Result<(), DeployError> {
        let path = Place::new(&self.stack).known();
        loop {
            let (mut known, version) = self.known().await?.map(|(known, at)| (known, Some(at))).unwrap_or_default();
            known.extend(things.iter().map(|(name, phys)| (name.clone(), phys.clone())));
            match self.own().apply(vec![after(path.clone(), json(&known), version)]).await {
                Ok(()) => return Ok(()),
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn known(&self) -> Result<Option<(BTreeMap<Name, Name>, Version)>, DeployError> {
        get(&self.own(), &self.stack, &Place::new(&self.stack).known()).await
    }

    /// The rows as they are stored, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn rows(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey) -> Result<Vec<Row>, DeployError> {
        let store = &own(store, key);
        let place = Place::new(stack);
        let mut rows = Vec::new();
        for name in store.children(&place.rows()).await? {
            if let Some((row, _)) = get::<Row>(store, stack, &format!("{}/{name}", place.rows())).await? {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }
}
