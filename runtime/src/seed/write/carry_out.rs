//! Carries out the operations, in an order that can be interrupted anywhere and repeated.

use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle_agent_core::applying::Step;

use crate::seed::present::{AT_ONCE, Deployed, Present};
use crate::seed::turn::Turn;
use crate::seed::wanted::Wanted;
use crate::seed::{SeedError, imports};
use crate::space::Layout;
use crate::store::Store;

use super::Writing;

impl Writing {
    /// Writes everything. `desired` is what the servers receive. Returns whether servers have quotas afterwards.
    pub(in crate::seed) async fn carry_out(
        self,
        store: &Arc<dyn Store>,
        layout: &Layout,
        present: &Present,
        wanted: &Wanted,
        desired: &Deployed,
    ) -> Result<bool, SeedError> {
        let turn = &mut announce(store, layout, present, desired, wanted).await?;
        let desired = Deployed { moved: present.has_moved(), ..desired.clone() };
        let (writing, whole) = (self, present.whole);
        let steps = Steps { turn, wanted, writing, desired, whole, cleans: false };
        steps.go(Step::Announce.next(false)).await.map(|desired| desired.bounded)
    }

    /// Completes a seed for which only the last steps are missing.
    pub(in crate::seed) async fn finish(
        self,
        turn: &mut Turn<'_>,
        wanted: &Wanted,
        desired: Deployed,
    ) -> Result<(), SeedError> {
        // Nodes whose rights would be granted first get their final ones at once.
        let then: HashSet<String> = self.withdrawn.iter().map(|(path, _)| path.clone()).collect();
        let granted = self.granted.into_iter().filter(|(path, _)| !then.contains(path));
        let withdrawn = granted.chain(self.withdrawn).collect();
        let writing = Self { withdrawn, granted: Vec::new(), ..self };
        Steps { turn, wanted, writing, desired, whole: false, cleans: true }.go(Some(Step::END)).await.map(drop)
    }
}

/// The steps of a turn, one after the other.
struct Steps<'a, 't> {
    turn: &'a mut Turn<'t>,
    wanted: &'a Wanted,
    writing: Writing,
    desired: Deployed,
    /// Whether all registrations with other stacks are unchanged since they were last written.
    whole: bool,
    /// Whether there is anything to remove.
    cleans: bool,
}

impl Steps<'_, '_> {
    async fn go(mut self, first: Option<Step>) -> Result<Deployed, SeedError> {
        let mut next = first;
        while let Some(step) = next {
            self.take(step).await?;
            next = step.next(self.cleans);
        }
        Ok(self.desired)
    }

    async fn take(&mut self, step: Step) -> Result<(), SeedError> {
        let Self { turn, wanted: Wanted { foreign, .. }, writing, desired, .. } = self;
        let stack = turn.layout.stack();
        match step {
            // The turn is taken, so this is announced already.
            Step::Announce => Ok(()),
            Step::Prepare => {
                turn.apply(mem::take(&mut writing.before)).await?;
                if !writing.places.is_empty() {
                    desired.bounded = turn.store.bound(&mem::take(&mut writing.places)).await?;
                }
                Ok(())
            }
            Step::Grant => {
                turn.protect(&mem::take(&mut writing.granted)).await?;
                let turn = &**turn;
                let cleared = mem::take(&mut writing.inherited).into_iter().map(|place| place.clear(turn, true));
                let mut cleared = stream::iter(cleared).buffered(AT_ONCE);
                while let Some(cleared) = cleared.try_next().await? {
                    cleared.note(desired);
                }
                Ok(())
            }
            Step::Register => {
                let all = imports::joined(turn.store, stack, foreign).await?;
                imports::register(turn.store, stack, &all, !self.whole, &turn.checks()).await?;
                self.whole = true;
                let is_kept = writing.gone.is_empty() && writing.withdrawn.is_empty() && writing.places_lost.is_empty();
                self.cleans = !is_kept || all != *foreign;
                Ok(())
            }
            Step::Plan => {
                turn.apply(mem::take(&mut writing.plans)).await?;
                turn.apply(mem::take(&mut writing.records)).await
            }
            Step::Tell => {
                desired.desired.applying = self.cleans.then_some(desired.desired.revision);
                turn.say(desired).await
            }
            Step::Withdraw => turn.protect(&mem::take(&mut writing.withdrawn)).await,
            Step::Deregister => imports::register(turn.store, stack, foreign, !self.whole, &turn.checks()).await,
            Step::Clean => {
                for place in mem::take(&mut writing.places_lost) {
                    place.take(turn).await?.note(desired);
                }
                turn.apply(mem::take(&mut writing.gone)).await
            }
            Step::Finish => {
                desired.desired.applying = None;
                turn.say(desired).await
            }
        }
    }
}

/// Announces that a seed is being written. From here on, it is known to be incomplete.
async fn announce<'a>(
    store: &'a Arc<dyn Store>,
    layout: &'a Layout,
    present: &Present,
    desired: &Deployed,
    wanted: &Wanted,
) -> Result<Turn<'a>, SeedError> {
    let access = wanted.sharing.access();
    if let Some((before, _)) = &present.deployed {
        let mut before = before.clone();
        before.desired.applying = Some(desired.desired.revision);
        before.admitting.clone_from(&desired.admitting);
        before.renewing = desired.renewing;
        return Turn::take(store, layout, &present.seen, &before, Vec::new(), access).await;
    }
    let (space, operator) = (desired.desired.space.clone(), desired.desired.operator.clone());
    let beginning = Deployed::beginning(space, operator, desired.desired.revision);
    // Where nothing existed, no other client may have created anything since.
    let is_there = present.seen.is_of_desired();
    Turn::begin(store, layout, &present.seen, &beginning, is_there, access).await
}
