//! Watches another leading process: derives events from what the leader stores.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use wattle::model::Value;
use wattle_converge::{Act, Id, Outcome, Row, Stage, Wait, What, Why};

use super::news::look_of;
use super::place::Place;
use super::{Count, DeployError, Deployment, News, Onlooker};

/// How often to poll.
const PAUSE: Duration = Duration::from_secs(1);

impl Deployment {
    /// Returns once no process leads any longer, or the wish has ended.
    pub(super) async fn follow(
        &self,
        until: Option<u64>,
        news: &mpsc::UnboundedSender<News>,
    ) -> Result<(), DeployError> {
        let place = Place::new(&self.stack);
        let (leader, report) = (place.leader(), place.report());
        let store = &self.own();
        let mut leads = store.get(&leader).await?.map(|node| node.version);
        let mut said = None;
        let opens = Some((self.key.clone(), Arc::clone(&self.maker)));
        let onlooker = Onlooker::new(&self.store, &self.stack, opens);
        let mut watch =
            Watch { onlooker, rows: BTreeMap::new(), changed: Instant::now(), stall: self.limits.stall, news };
        while leads.is_some() {
            watch.look().await?;
            tokio::select! {
                node = store.changed(&leader, leads) => leads = node?.map(|node| node.version),
                node = store.changed(&report, said) => {
                    said = node?.map(|node| node.version);
                    if let Some(until) = until
                        && self.ended(store, until).await?.is_some()
                    {
                        break;
                    }
                }
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        watch.look().await
    }
}

/// The observed state of the leader's work.
struct Watch<'n> {
    onlooker: Onlooker,
    rows: BTreeMap<Id, Row>,
    changed: Instant,
    stall: Duration,
    news: &'n mpsc::UnboundedSender<News>,
}

impl Watch<'_> {
    /// Reports events since the last poll.
    async fn look(&mut self) -> Result<(), DeployError> {
        let Some(known) = self.onlooker.look().await? else { return Ok(()) };
        let now: BTreeMap<Id, Row> = known.rows.iter().map(|row| (row.id, row.clone())).collect();
        if now != self.rows {
            self.changed = Instant::now();
            between(&self.rows, &now).into_iter().for_each(|event| self.report(event));
            self.report(News::Count(Count::of(now.values())));
            self.rows = now;
        } else if self.changed.elapsed() >= self.stall {
            self.changed = Instant::now();
            self.report(News::Stalled(waits(&self.rows)));
        }
        Ok(())
    }

    fn report(&self, event: News) {
        // There may be no listener.
        let _ = self.news.send(event);
    }
}

/// The events between two readings of the rows.
fn between(before: &BTreeMap<Id, Row>, now: &BTreeMap<Id, Row>) -> Vec<News> {
    let ids: BTreeSet<&Id> = before.keys().chain(now.keys()).collect();
    let mut all = Vec::new();
    for id in ids {
        let (was, is) = (before.get(id), now.get(id));
        let (did, does) = (was.and_then(Row::act), is.and_then(Row::act));
        let Some(row) = is.or(was) else { continue };
        let is_same = did.map(std::mem::discriminant) == does.map(std::mem::discriminant);
        if let Some(act) = did.filter(|_| !is_same) {
            let failed = is.and_then(|row| row.failed.as_ref()).filter(|_| does.is_none());
            let outcome = failed.map_or(Outcome::Done(None), |failure| Outcome::Refused(failure.cause.clone()));
            all.push(News::Outcome { name: row.name.clone(), act: Some(act.clone()), outcome });
        }
        if let Some(act) = does.filter(|_| !is_same) {
            all.push(News::Begins { name: row.name.clone(), kind: row.kind.clone(), what: what(act) });
        }
        if let (None, None, Some(was), Some(is)) = (did, does, was, is)
            && look_of(was) != look_of(is)
        {
            all.push(News::Seen { name: row.name.clone(), was: look_of(was), is: Some(look_of(is)) });
        }
    }
    all
}

/// The action in progress, without the properties.
fn what(act: &Act) -> What {
    match act {
        Act::Create => What::Create { properties: Value::Null },
        Act::Look => What::Look,
        Act::Read { .. } => What::Read,
        Act::Update { .. } => What::Update { properties: Value::Null },
        Act::Release { exclusive } => What::Release { exclusive: exclusive.clone() },
        Act::Delete => What::Delete,
    }
}

/// Describes the actions in progress and the failures.
fn waits(rows: &BTreeMap<Id, Row>) -> Vec<Wait> {
    let why = |row: &Row| match (row.act(), &row.failed) {
        (Some(act), _) => Some(Why::UnderWay(act.words())),
        (None, Some(failure)) if row.stage != Stage::Sound => Some(Why::Failed(failure.cause.clone())),
        (None, _) => None,
    };
    rows.values().filter_map(|row| Some(Wait { name: row.name.clone(), why: why(row)? })).collect()
}
