//! Records wishes, which the leader carries out.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc;
use wattle::plan::Found;
use wattle_converge::{Cleanup, OnFailure};

use crate::store::{Access, Hold, Store, StoreError, Version};

use super::difference::seen_by_others;
use super::engine::{End, Engine, Tools};
use super::facts::{Asked, Report, Want, Wish};
use super::keeper::{after, get, json, prepare};
use super::onlooker::Onlooker;
use super::place::Place;
use super::shelf::Shelf;
use super::{DeployError, Deployment, Ended, News, Wanted};

impl Deployment {
    /// Has the leader carry out `wanted`, and returns once that is done or has failed; `None` if requested to `end`
    /// before. The next call continues with the rest.
    ///
    /// # Errors
    /// The obstacle.
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
            // Destroying the stack removes all of this at the end.
            Err(DeployError::Store(StoreError::Missing { .. })) if self.wished().await?.is_none() => {
                Err(DeployError::Destroyed { stack: self.stack.clone() })
            }
            attended => attended,
        }
    }

    /// Continues with the last wish, and maintains the wanted state until requested to `end`.
    ///
    /// # Errors
    /// As for [`Self::bring`].
    pub async fn keep(
        &self,
        news: &mpsc::UnboundedSender<News>,
        end: impl Future<Output = ()>,
    ) -> Result<(), DeployError> {
        prepare(&self.own(), &self.stack).await?;
        tokio::pin!(end);
        self.attend(None, news, end).await.map(drop)
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
                    if engine.run(heard, hold, until, &mut end).await? == End::Stopped {
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

    /// Leads with the stored state. On failure, releases the lead at once, instead of waiting for the store to notice.
    pub(super) async fn lead(
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

    /// How this wish, or a later one, has ended.
    pub(super) async fn ended(&self, store: &Arc<dyn Store>, wish: u64) -> Result<Option<Ended>, DeployError> {
        let report: Option<(Report, _)> = get(store, &self.stack, &Place::new(&self.stack).report()).await?;
        let report = report.map(|(report, _)| report).filter(|report| report.wish >= wish);
        let ended =
            |Report { generation, roots, before, is_nothing, .. }| Ended { generation, roots, before, is_nothing };
        Ok(report.map(ended))
    }

    /// Records a wish, and returns its number.
    async fn wish(&self, wanted: &Wanted) -> Result<u64, DeployError> {
        let store = &self.own();
        prepare(store, &self.stack).await?;
        let mut whole = None;
        let want = match wanted {
            Wanted::AsDeployed { leaves } => {
                let desired = self.desired_state().await?.filter(|desired| desired.asked.target.is_some());
                let nothing = || DeployError::Nothing { stack: self.stack.clone() };
                let asked = desired.ok_or_else(nothing)?.asked;
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
                // Another process has recorded a wish at the same time, which comes first.
                Err(StoreError::Conflict { .. } | StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The last wish.
    pub(super) async fn wished(&self) -> Result<Option<(Wish, Version)>, DeployError> {
        get(&self.own(), &self.stack, &Place::new(&self.stack).wish()).await
    }

    /// Observes everything that exists, and returns the differences from the desired state. If another process leads,
    /// returns its observations.
    ///
    /// # Errors
    /// As for [`Self::bring`].
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
}
