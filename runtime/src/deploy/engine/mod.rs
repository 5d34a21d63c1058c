//! The leader: receives wishes, stores facts, has jobs carried out, and observes what exists.

mod sight;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use wattle::model::{Name, Resource};
use wattle_converge::{
    Act, Adopted, Desire, DesiredState, Event, Good, Id, Job, Limits, Notice, Outcome, Row, State, Step, Stored,
    Target, Time, Wait,
};

use crate::clock;
use crate::store::{Hold, Store, Turn, Version};

use super::cloud::Cloud;
use super::facts::{self, Asked, Report, Want, Wish};
use super::keeper::{Facts, Keeper, is_deposed};
use super::shelf::{Maker, Shelf};
use super::{Count, DeployError, News, things};
use crate::space::OperatorKey;
use sight::{Looked, looked};

/// How often to poll the cloud's progress while something changes.
const SOONEST: Duration = Duration::from_millis(500);

/// How often to poll it after a while without changes.
const SOON: Duration = Duration::from_secs(2);

/// How often to observe everything.
const SELDOM: Duration = Duration::from_mins(1);

/// How long jobs may take to end when the engine is stopped.
const LAST: Duration = Duration::from_secs(10);

/// How an engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Another process leads.
    Deposed,
    /// The awaited state is reached, or cannot be reached.
    Settled,
    /// It was requested to stop.
    Stopped,
}

fn is_server(row: &Row) -> bool {
    &*row.kind == Resource::SERVER
}

/// The dependencies of an engine.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    pub(super) store: Arc<dyn Store>,
    pub(super) stack: String,
    pub(super) key: OperatorKey,
    pub(super) cloud: Arc<dyn Cloud>,
    pub(super) maker: Arc<dyn Maker>,
    pub(super) limits: Limits,
}

/// The leader of a stack's deployment.
pub(super) struct Engine {
    tools: Tools,
    keeper: Keeper,
    shelf: Shelf,
    state: State,
    jobs: JoinSet<(Id, Id, Outcome)>,
    look: Option<JoinHandle<Looked>>,
    looked: Instant,
    looked_at_all: Instant,
    /// The interval between observations, while the cloud is busy.
    pace: Duration,
    /// The time of the last complete observation.
    seen_all: Time,
    /// Since when others act on existing things: they delete one, or restart it.
    touched: Option<Instant>,
    /// How many observations in a row have failed.
    blind: u32,
    /// When something was last stored.
    changed: Time,
    /// Whether everything was observed since the last action began.
    is_swept: bool,
    settled: Option<(u64, Vec<Wait>)>,
    /// The differences from the desired state that was abandoned for an earlier one.
    before: Vec<String>,
    news: mpsc::UnboundedSender<News>,
}

fn now() -> Time {
    Time::from_millis(clock::millis())
}

impl Engine {
    /// Continues from the stored facts.
    pub(super) async fn begin(
        tools: Tools,
        hold: &Hold,
        news: mpsc::UnboundedSender<News>,
    ) -> Result<(Self, Option<(Wish, Version)>), DeployError> {
        let mut keeper = Keeper::begin(&tools.store, &tools.stack, hold).await?;
        let mut shelf = Shelf::new(&tools.store, &tools.stack, &tools.key, &tools.maker);
        let Facts { desired, good, rows, wish } = keeper.load().await?;
        let mut stored = Stored { desired: None, good: Vec::new(), rows };
        for kept in good {
            let desired = restored(&mut shelf, &kept.desired).await?;
            stored.good.push(Good { desired, upto: kept.upto, leftovers: kept.leftovers });
        }
        if let Some(kept) = &desired {
            stored.desired = Some(restored(&mut shelf, kept).await?);
        }
        // Begin nothing before knowing the present wish, and nothing at all as a mere watcher.
        let (state, step) = State::load(stored, keeper.term(), Limits { at_once: 0, ..tools.limits }, now())?;
        let mut engine = Self {
            tools,
            keeper,
            shelf,
            state,
            jobs: JoinSet::new(),
            look: None,
            looked: Instant::now(),
            looked_at_all: Instant::now(),
            pace: SOONEST,
            seen_all: Time::default(),
            touched: None,
            blind: 0,
            changed: Time::default(),
            is_swept: false,
            settled: None,
            before: Vec::new(),
            news,
        };
        engine.carry(step).await?;
        // The former leader may have rebuilt it without recording that. An agent that still acts will soon be known
        // again.
        let unsure = engine.state.rows().filter(|row| is_server(row) && matches!(row.act(), Some(Act::Update { .. })));
        let unsure: Vec<Name> = unsure.map(|row| row.name.clone()).collect();
        things::forget_agents(&engine.tools.store, &engine.tools.stack, &unsure).await?;
        // The deployed state may have changed unnoticed.
        if engine.state.rows().next().is_some() {
            engine.look(true);
        }
        let wish = wish.filter(|(wish, _)| wish.number > engine.keeper.wish);
        Ok((engine, wish))
    }

    /// Continues until the wish with the number `until` is settled; without one, until stopped by `end`, or until
    /// another process leads.
    pub(super) async fn run(
        mut self,
        mut heard: Option<(Wish, Version)>,
        mut hold: Hold,
        until: Option<u64>,
        end: impl Future<Output = ()>,
    ) -> Result<End, DeployError> {
        let mut seen = None;
        let ended = async {
            if heard.is_none() {
                // The wish is unchanged.
                self.state.begin_at_once(self.tools.limits.at_once);
                self.step(Event::Tick).await?;
            }
            tokio::pin!(end);
            loop {
                if let Some((wish, version)) = heard.take() {
                    seen = Some(version);
                    if wish.number > self.keeper.wish {
                        if !self.look_first(&mut end).await? {
                            return Ok(End::Stopped);
                        }
                        self.hear(wish).await?;
                    }
                }
                if self.is_over(until).await? {
                    return Ok(End::Settled);
                }
                let wakes = self.wakes();
                let event = tokio::select! {
                    () = &mut end => return Ok(End::Stopped),
                    turn = hold.next() => match turn {
                        Turn::Lost => return Ok(End::Deposed),
                        Turn::Again => continue,
                    },
                    wish = self.keeper.wish(seen) => {
                        heard = wish?;
                        continue;
                    }
                    Some(done) = self.jobs.join_next() => Next::Done(done),
                    looked = looked(&mut self.look) => Next::Looked(looked),
                    () = tokio::time::sleep_until(wakes.into()) => Next::Time,
                };
                self.happen(event).await?;
            }
        }
        .await;
        let ended = match ended {
            // A process whose observations fail does not continue either, and actions in progress are recorded.
            ended @ (Ok(End::Stopped | End::Settled) | Err(DeployError::Blind { .. })) => {
                let finished = self.finish().await;
                hold.release().await;
                finished.and(ended)
            }
            Ok(End::Deposed) => Ok(End::Deposed),
            Err(error) => {
                hold.release().await;
                Err(error)
            }
        };
        match ended {
            Err(error) if is_deposed(&error, &self.tools.stack) => Ok(End::Deposed),
            other => other,
        }
    }

    /// Adopts these things without beginning anything else, and ends.
    pub(super) async fn adopt(
        mut self,
        hold: Hold,
        target: Arc<dyn Target>,
        things: Vec<Adopted>,
    ) -> Result<(), DeployError> {
        let adopted = self.step(Event::Adopt { target, things }).await;
        let finished = self.finish().await;
        hold.release().await;
        adopted.and(finished)
    }

    /// Stores the results of running jobs, as far as they are available soon.
    async fn finish(&mut self) -> Result<(), DeployError> {
        self.state.begin_at_once(0);
        let deadline = tokio::time::Instant::now() + LAST;
        while let Ok(Some(done)) = tokio::time::timeout_at(deadline, self.jobs.join_next()).await {
            let Ok((job, row, outcome)) = done else { continue };
            let rebuilt: Vec<Name> = self.rebuilt(row, &outcome).into_iter().collect();
            things::forget_agents(&self.tools.store, &self.tools.stack, &rebuilt).await?;
            let step = self.state.step(Event::Done { job, row, outcome }, now());
            self.store(&step).await?;
        }
        let step = self.state.leave();
        self.store(&step).await
    }

    /// Begins to carry out a wish.
    async fn hear(&mut self, wish: Wish) -> Result<(), DeployError> {
        self.settled = None;
        self.before.clear();
        self.is_swept = false;
        let event = match wish.want {
            Want::Rollback { to } => Event::Rollback { to },
            Want::Deploy(asked) => Event::Desire(desire(&mut self.shelf, &asked).await?),
        };
        self.keeper.wish = wish.number;
        self.state.begin_at_once(self.tools.limits.at_once);
        self.step(event).await?;
        self.keeper.forget_targets().await
    }

    async fn step(&mut self, event: Event) -> Result<(), DeployError> {
        let step = self.state.step(event, now());
        self.carry(step).await
    }

    /// Stores the facts of a step.
    async fn store(&mut self, step: &Step) -> Result<(), DeployError> {
        let known = &self.shelf;
        self.keeper.write(&step.writes, |desire| kept(known, desire)).await
    }

    /// Stores the facts of a step, and only then begins its jobs.
    async fn carry(&mut self, step: Step) -> Result<(), DeployError> {
        self.store(&step).await?;
        if !step.writes.is_empty() {
            self.is_swept = false;
            self.changed = now();
            self.pace = SOONEST;
        }
        for job in step.jobs {
            self.report(News::Begins { name: job.name.clone(), kind: job.kind.clone(), what: job.what.clone() });
            let cloud = Arc::clone(&self.tools.cloud);
            self.jobs.spawn(async move {
                let outcome = cloud.carry_out(&job).await;
                let Job { id, row, .. } = job;
                (id, row, outcome)
            });
        }
        for notice in step.notices {
            match notice {
                Notice::Refused(refusal) => return Err(refusal.into()),
                Notice::Settled { generation, roots } if self.generation() == generation => {
                    self.settled = Some((generation, roots));
                }
                // It rolls back to what was reached before.
                Notice::Settled { roots, .. } => self.before = in_words(&roots),
                Notice::Stalled(waits) => self.report(News::Stalled(waits)),
                // It will be observed with all others.
                Notice::Look(_) => {
                    self.looked_at_all = self.looked_at_all.checked_sub(SELDOM).unwrap_or(self.looked_at_all);
                }
            }
        }
        self.report(News::Count(Count::of(self.state.rows())));
        Ok(())
    }

    async fn happen(&mut self, next: Next) -> Result<(), DeployError> {
        match next {
            Next::Time => {
                self.step(Event::Tick).await?;
                self.look_if_due();
                Ok(())
            }
            Next::Done(first) => {
                let mut all = Step::default();
                let mut next = Some(first);
                let mut rebuilt = Vec::new();
                // Store everything that is available in one request.
                while let Some(done) = next {
                    if let Ok((job, row, outcome)) = done {
                        self.report_outcome(row, &outcome);
                        rebuilt.extend(self.rebuilt(row, &outcome));
                        join(&mut all, self.state.step(Event::Done { job, row, outcome }, now()));
                    }
                    next = self.jobs.try_join_next();
                }
                things::forget_agents(&self.tools.store, &self.tools.stack, &rebuilt).await?;
                self.carry(all).await
            }
            Next::Looked(looked) => self.take_in(looked).await,
        }
    }

    /// The number of the present desired state.
    fn generation(&self) -> u64 {
        self.state.desired().map_or(0, |desired| desired.generation)
    }

    fn report_outcome(&self, row: Id, outcome: &Outcome) {
        let Some(row) = self.state.row(row) else { return };
        self.report(News::Outcome { name: row.name.clone(), act: row.act().cloned(), outcome: outcome.clone() });
    }

    /// The server of a row, if this outcome means that it gets a new disk. A rebuild is a request of its own; any other
    /// change of a server is done when the response arrives.
    fn rebuilt(&self, row: Id, outcome: &Outcome) -> Option<Name> {
        let row = self.state.row(row).filter(|row| is_server(row))?;
        let is_rebuild = matches!((row.act(), outcome), (Some(Act::Update { .. }), Outcome::Accepted(_)));
        is_rebuild.then(|| row.name.clone())
    }

    fn report(&self, news: News) {
        // There may be no watcher.
        let _ = self.news.send(news);
    }

    /// The time of the next action, if nothing happens before.
    fn wakes(&self) -> Instant {
        let now = clock::millis();
        let in_time = self.state.wakes().map(|at| Duration::from_millis(at.as_millis().saturating_sub(now)));
        let look = if self.look.is_some() {
            SELDOM
        } else if self.state.is_quiet() && self.jobs.is_empty() && self.blind == 0 && !self.is_touched() {
            SELDOM.saturating_sub(self.looked_at_all.elapsed())
        } else {
            self.pace.saturating_sub(self.looked.elapsed())
        };
        Instant::now() + in_time.map_or(look, |time| time.min(look))
    }

    /// Whether the awaited wish is settled. Before that, all things of the stack are observed once more.
    async fn is_over(&mut self, until: Option<u64>) -> Result<bool, DeployError> {
        let Some((generation, roots)) = self.settled.clone() else { return Ok(false) };
        // After its deadline, unfinished actions of the cloud are left to the next desired state.
        let is_left = self.state.is_over_time() && !self.state.is_quiet();
        if !(self.state.is_quiet() || is_left) || !self.jobs.is_empty() {
            return Ok(false);
        }
        if !self.is_swept && !is_left {
            // After a failed observation, the next one waits.
            let is_clear = self.blind == 0 && !self.is_touched();
            if self.look.is_none() && (is_clear || self.looked.elapsed() >= SOON) {
                // An observation in the same millisecond as the last change does not count as later, and would be
                // repeated.
                if now() <= self.changed {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                self.look(true);
            }
            return Ok(false);
        }
        let wish = self.keeper.wish;
        let is_nothing =
            self.state.desired().is_some_and(|desired| self.shelf.name_of(&desired.desire.target).is_none());
        let before = std::mem::take(&mut self.before);
        let report = Report { wish, generation, roots: in_words(&roots), before, is_nothing };
        self.keeper.report(&report).await?;
        self.report(News::Settled { generation, roots });
        self.settled = None;
        Ok(until.is_some_and(|until| until <= wish))
    }
}

/// The next event.
enum Next {
    Time,
    Done(Result<(Id, Id, Outcome), tokio::task::JoinError>),
    Looked(Looked),
}

fn in_words(roots: &[Wait]) -> Vec<String> {
    roots.iter().map(ToString::to_string).collect()
}

/// Merges the requests of two consecutive steps.
fn join(all: &mut Step, step: Step) {
    all.writes.extend(step.writes);
    all.jobs.extend(step.jobs);
    all.notices.extend(step.notices);
}

/// Restores a desired state from its stored form.
async fn restored(shelf: &mut Shelf, kept: &facts::DesiredState) -> Result<DesiredState, DeployError> {
    Ok(DesiredState { generation: kept.generation, desire: desire(shelf, &kept.asked).await? })
}

async fn desire(shelf: &mut Shelf, asked: &Asked) -> Result<Desire, DeployError> {
    let desire = match &asked.target {
        Some(name) => Desire::new(shelf.take(name).await?),
        None => Desire::nothing(),
    };
    let Asked { deadline, on_failure, cleanup, corrects, .. } = *asked;
    Ok(Desire { deadline, on_failure, cleanup, corrects, leaves: asked.leaves.clone(), ..desire })
}

/// Converts a desire to its stored form.
fn kept(shelf: &Shelf, desire: &Desire) -> Asked {
    let Desire { target, deadline, on_failure, cleanup, corrects, leaves } = desire.clone();
    let name = shelf.name_of(&target);
    assert!(name.is_some() || target.resources().is_empty(), "INVARIANT: what is asked for was taken from the shelf");
    Asked { target: name, deadline, on_failure, cleanup, corrects, leaves }
}
