//! The writing itself, in an order that can be broken off anywhere and repeated.

use std::sync::Arc;

use crate::seed::present::{AT_ONCE, Deployed, Present};
use crate::seed::wanted::Wanted;
use crate::seed::{SeedError, imports, rights};
use crate::space::{Goal, Layout, ROOT, to_json};
use crate::store::{Access, Op, Store, StoreError, Version};

use super::Writing;

impl Writing {
    /// Writes it all: `goal` is what the servers are to be told.
    pub(in crate::seed) async fn carry_out(
        self,
        store: &Arc<dyn Store>,
        layout: &Layout,
        present: &Present,
        wanted: &Wanted,
        goal: &Deployed,
    ) -> Result<(), SeedError> {
        let stack = layout.stack();
        let announced = announce(store, layout, present, goal, wanted).await.map_err(|error| busy(layout, error))?;
        let mut turn = Turn { store, layout, version: announced };
        turn.apply(self.before).await?;
        turn.protect(self.granted).await?;
        turn.is_ours().await?;
        let all = imports::joined(store, stack, &wanted.foreign).await?;
        imports::register(store, stack, &all, !present.whole).await?;
        turn.apply(self.plans).await?;
        let cleaning = !self.gone.is_empty() || !self.withdrawn.is_empty() || all != wanted.foreign;
        let mut goal = goal.clone();
        goal.goal.applying = cleaning.then_some(goal.goal.revision);
        turn.say(&goal).await?;
        if cleaning {
            turn.clean(wanted, (self.withdrawn, self.gone), goal, false).await?;
        }
        Ok(())
    }

    /// Does what is left of a seed that was written but for the end.
    pub(in crate::seed) async fn finish(
        self,
        store: &Arc<dyn Store>,
        layout: &Layout,
        wanted: &Wanted,
        goal: (Deployed, Version),
    ) -> Result<(), SeedError> {
        let (goal, version) = goal;
        Turn { store, layout, version }.clean(wanted, (self.granted, self.gone), goal, true).await
    }
}

/// The turn of one `seed apply` to write: it is over once somebody else has written the goal.
struct Turn<'a> {
    store: &'a Arc<dyn Store>,
    layout: &'a Layout,
    /// The goal's.
    version: Version,
}

impl Turn<'_> {
    /// Carries out `ops`, none of them after the turn is over.
    async fn apply(&self, mut ops: Vec<Op>) -> Result<(), SeedError> {
        ops.insert(0, Op::Check { path: self.layout.revision(), expected: self.version });
        let applied = self.store.apply(ops).await;
        applied.map_err(|error| busy(self.layout, error))
    }

    /// Gives nodes other rights, as many at once as are under way anyway: no store can do that on a condition, so it is looked
    /// at before.
    async fn protect(&self, accesses: Vec<(String, Access)>) -> Result<(), SeedError> {
        for some in accesses.chunks(AT_ONCE) {
            self.is_ours().await?;
            imports::protect_all(self.store, some.to_vec()).await?;
        }
        Ok(())
    }

    /// Fails if the turn is over.
    async fn is_ours(&self) -> Result<(), SeedError> {
        let path = self.layout.revision();
        let version = self.store.get(&path).await?.map(|node| node.version);
        if version == Some(self.version) { Ok(()) } else { Err(busy(self.layout, StoreError::Conflict { path })) }
    }

    /// Writes the goal.
    async fn say(&mut self, goal: &Deployed) -> Result<(), SeedError> {
        let written = self.store.set(&self.layout.revision(), &to_json(goal), Some(self.version)).await;
        self.version = written.map_err(|error| busy(self.layout, error))?;
        Ok(())
    }

    /// Takes away what nobody needs any more, and says that the seed is written.
    async fn clean(
        mut self,
        wanted: &Wanted,
        (withdrawn, gone): (Vec<(String, Access)>, Vec<Op>),
        mut goal: Deployed,
        broken: bool,
    ) -> Result<(), SeedError> {
        self.protect(withdrawn).await?;
        self.is_ours().await?;
        imports::register(self.store, self.layout.stack(), &wanted.foreign, broken).await?;
        self.apply(gone).await?;
        goal.goal.applying = None;
        self.say(&goal).await
    }
}

/// What it means that something of `layout`'s stack is not as it was read.
fn busy(layout: &Layout, error: StoreError) -> SeedError {
    match error {
        StoreError::Conflict { .. } | StoreError::Exists { .. } => SeedError::Busy { stack: layout.stack().to_owned() },
        error => error.into(),
    }
}

/// Says that a seed is being written: from here on, it is known to be incomplete until it is complete.
async fn announce(
    store: &Arc<dyn Store>,
    layout: &Layout,
    present: &Present,
    goal: &Deployed,
    wanted: &Wanted,
) -> Result<Version, StoreError> {
    let path = layout.revision();
    if let Some((before, version)) = &present.deployed {
        let mut before = before.clone();
        before.goal.applying = Some(goal.goal.revision);
        return store.set(&path, &to_json(&before), Some(*version)).await;
    }
    for above in [ROOT.to_owned(), layout.root()] {
        if store.get(&above).await?.is_none() {
            let create = Op::Create { path: above, data: Vec::new(), access: Access::new() };
            match store.apply(vec![create]).await {
                Ok(()) | Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    let nothing = Deployed {
        goal: Goal {
            revision: 0,
            space: goal.goal.space.clone(),
            digest: String::new(),
            applying: Some(goal.goal.revision),
            operator: goal.goal.operator.clone(),
        },
        given: String::new(),
    };
    let data = to_json(&nothing);
    let access = rights::members(&wanted.member);
    store.apply(vec![Op::Create { path: path.clone(), data: data.clone(), access }]).await?;
    match store.get(&path).await? {
        Some(node) if node.data == data => Ok(node.version),
        // Somebody else has begun since.
        _ => Err(StoreError::Conflict { path }),
    }
}
