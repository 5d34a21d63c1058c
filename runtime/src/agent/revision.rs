//! One revision: its components side by side, each told when those before it have ended.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{join, join_all};
use tokio::sync::watch;
use wattle::model::{IndexMap, Name, Order};
use wattle_agent_core::record::RevisionId;

use crate::clock;
use crate::space::{Content, Failure, Goal, Kind, Plan, SERVER};

use super::component::Component;
use super::shared::Shared;
use super::{attributes, entries};

/// How a component ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It is done.
    Done,
    /// It failed, or what it depends on did.
    Failed(Failure),
    /// It was not begun, because there is a newer revision.
    Abandoned,
}

/// What this server is to do in one revision.
#[derive(Debug)]
pub(super) struct Revision {
    pub(super) id: RevisionId,
    pub(super) plan: Plan,
    ended: IndexMap<Name, watch::Sender<Option<Outcome>>>,
    superseded: watch::Sender<bool>,
}

impl Revision {
    pub(super) fn new(goal: &Goal, plan: Plan) -> Arc<Self> {
        let id = RevisionId { number: goal.revision, digest: goal.digest.clone() };
        let ended = plan.components.keys().map(|name| (name.clone(), watch::Sender::new(None))).collect();
        Arc::new(Self { id, plan, ended, superseded: watch::Sender::new(false) })
    }

    /// There is a newer one: nothing is begun any more.
    pub(super) fn supersede(&self) {
        self.superseded.send_replace(true);
    }

    /// Waits until there is a newer one.
    pub(super) async fn superseded(&self) {
        let mut superseded = self.superseded.subscribe();
        superseded.wait_for(|superseded| *superseded).await.expect("INVARIANT: the sender lives as long as this");
    }

    /// Waits until the component of this server has ended.
    pub(super) async fn ended(&self, component: &str) -> Outcome {
        let Some(sender) = self.ended.get(component) else {
            return Outcome::Failed(Failure {
                component: component.into(),
                kind: Kind::Input,
                message: "there is no such component on this server".to_owned(),
                log: Vec::new(),
                at: clock::now(),
                through: Vec::new(),
            });
        };
        let mut ended = sender.subscribe();
        let outcome = ended.wait_for(Option::is_some).await.expect("INVARIANT: the sender lives as long as this");
        outcome.clone().unwrap_or(Outcome::Abandoned)
    }

    /// The component that must have ended before this one by the order in which they were declared.
    pub(super) fn before(&self, component: &str) -> Option<&Name> {
        let at = self.plan.components.get_index_of(component)?;
        match self.plan.order {
            Order::Declared => self.plan.components.get_index(at.checked_sub(1)?).map(|(name, _)| name),
            Order::Dataflow => None,
        }
    }

    /// Runs through the components until each has ended.
    pub(super) async fn run(self: &Arc<Self>, shared: &Arc<Shared>) {
        let one = |(name, ended): (_, &watch::Sender<_>)| {
            let component = Component::new(shared, self, name).run();
            let ended = ended.clone();
            async move {
                let outcome = component.await;
                ended.send_replace(Some(outcome));
            }
            .boxed()
        };
        join(join_all(self.ended.iter().map(one)), self.publish_attributes(shared)).await;
    }

    /// Publishes the server's own attributes; whatever cannot be found is the failure of its entry.
    async fn publish_attributes(&self, shared: &Arc<Shared>) {
        let all = self.plan.publishes.iter().map(|(key, attribute)| async move {
            let entry: Name = format!("{}/{SERVER}/{key}", shared.server).into();
            let there = entries::peek(shared, &self.id, &entry).await;
            if there.is_some() {
                return;
            }
            let content = match shared.attributes.get(attribute).await {
                Ok(value) => Content::Value(value),
                Err(why) => {
                    tracing::error!("the attribute `{key}` of this server cannot be had: {why}");
                    Content::Failure(attributes::failure(&shared.full(SERVER), key, &why))
                }
            };
            entries::publish(shared, &self.id, &entry, &content, None).await;
        });
        tokio::select! {
            biased;
            () = self.superseded() => {}
            _ = join_all(all) => {}
        }
    }
}
