//! The writing itself, in an order that can be broken off anywhere and repeated.

use std::collections::HashSet;
use std::mem;
use std::sync::Arc;

use wattle_agent_core::applying::Step;

use crate::seed::present::{Deployed, Present};
use crate::seed::turn::Turn;
use crate::seed::wanted::Wanted;
use crate::seed::{SeedError, imports};
use crate::space::Layout;
use crate::store::{Op, Store, StoreError};

use super::Writing;

impl Writing {
    /// Writes it all: `goal` is what the servers are to be told. Says whether what servers make is bounded then.
    pub(in crate::seed) async fn carry_out(
        self,
        store: &Arc<dyn Store>,
        layout: &Layout,
        present: &Present,
        wanted: &Wanted,
        goal: &Deployed,
    ) -> Result<bool, SeedError> {
        let turn = &mut announce(store, layout, present, goal, wanted).await?;
        let (writing, goal, whole) = (self, goal.clone(), present.whole);
        let steps = Steps { turn, wanted, writing, goal, whole, cleans: false };
        steps.go(Step::Announce.next(false)).await.map(|goal| goal.bounded)
    }

    /// Does what is left of a seed that was written but for the end.
    pub(in crate::seed) async fn finish(
        self,
        turn: &mut Turn<'_>,
        wanted: &Wanted,
        goal: Deployed,
    ) -> Result<(), SeedError> {
        // All that it would grant is to be as it is wanted.
        let then: HashSet<String> = self.withdrawn.iter().map(|(path, _)| path.clone()).collect();
        let granted = self.granted.into_iter().filter(|(path, _)| !then.contains(path));
        let withdrawn = granted.chain(self.withdrawn).collect();
        let writing = Self { withdrawn, granted: Vec::new(), ..self };
        Steps { turn, wanted, writing, goal, whole: false, cleans: true }.go(Some(Step::END)).await.map(drop)
    }
}

/// What is done in a turn, one step after the other.
struct Steps<'a, 't> {
    turn: &'a mut Turn<'t>,
    wanted: &'a Wanted,
    writing: Writing,
    goal: Deployed,
    /// Whether all that other stacks know is as it was said last.
    whole: bool,
    /// Whether something is to be taken away.
    cleans: bool,
}

impl Steps<'_, '_> {
    async fn go(mut self, first: Option<Step>) -> Result<Deployed, SeedError> {
        let mut next = first;
        while let Some(step) = next {
            self.take(step).await?;
            next = step.next(self.cleans);
        }
        Ok(self.goal)
    }

    async fn take(&mut self, step: Step) -> Result<(), SeedError> {
        let Self { turn, wanted: Wanted { foreign, .. }, writing, goal, .. } = self;
        let stack = turn.layout.stack();
        match step {
            // Whoever has its turn has announced.
            Step::Announce => Ok(()),
            Step::Prepare => {
                turn.apply(mem::take(&mut writing.before)).await?;
                if !writing.places.is_empty() {
                    goal.bounded = turn.store.bound(&mem::take(&mut writing.places)).await?;
                }
                Ok(())
            }
            Step::Grant => turn.protect(&mem::take(&mut writing.granted)).await,
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
                goal.goal.applying = self.cleans.then_some(goal.goal.revision);
                turn.say(goal).await
            }
            Step::Withdraw => turn.protect(&mem::take(&mut writing.withdrawn)).await,
            Step::Deregister => imports::register(turn.store, stack, foreign, !self.whole, &turn.checks()).await,
            Step::Clean => {
                for path in mem::take(&mut writing.places_lost) {
                    match turn.store.apply(vec![Op::Delete { path }]).await {
                        Ok(()) | Err(StoreError::Missing { .. }) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                turn.apply(mem::take(&mut writing.gone)).await
            }
            Step::Finish => {
                goal.goal.applying = None;
                turn.say(goal).await
            }
        }
    }
}

/// Says that a seed is being written: from here on, it is known to be incomplete until it is complete.
async fn announce<'a>(
    store: &'a Arc<dyn Store>,
    layout: &'a Layout,
    present: &Present,
    goal: &Deployed,
    wanted: &Wanted,
) -> Result<Turn<'a>, SeedError> {
    let access = wanted.sharing.access();
    if let Some((before, _)) = &present.deployed {
        let mut before = before.clone();
        before.goal.applying = Some(goal.goal.revision);
        before.admitting.clone_from(&goal.admitting);
        before.renewing = goal.renewing;
        return Turn::take(store, layout, &present.seen, &before, Vec::new(), access).await;
    }
    let (space, operator) = (goal.goal.space.clone(), goal.goal.operator.clone());
    let beginning = Deployed::beginning(space, operator, goal.goal.revision);
    // Where nothing was, nobody else may have made anything since.
    let is_there = present.seen.is_of_goal();
    Turn::begin(store, layout, &present.seen, &beginning, is_there, access).await
}
