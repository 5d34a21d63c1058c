//! The writing itself, in an order that can be broken off anywhere and repeated.

use std::sync::Arc;

use crate::seed::present::{Deployed, Present};
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
        let busy = |error: StoreError| match error {
            StoreError::Conflict { .. } | StoreError::Exists { .. } => SeedError::Busy { stack: stack.to_owned() },
            error => error.into(),
        };
        let mut version = announce(store, layout, present, goal, wanted).await.map_err(busy)?;
        store.apply(self.before).await?;
        imports::protect_all(store, self.granted).await?;
        let all = imports::joined(store, stack, &wanted.foreign).await?;
        imports::register(store, stack, &all, !present.whole).await?;
        store.apply(self.plans).await?;
        let cleaning = !self.gone.is_empty() || !self.withdrawn.is_empty() || all != wanted.foreign;
        let mut goal = goal.clone();
        goal.goal.applying = cleaning.then_some(goal.goal.revision);
        version = store.set(&layout.revision(), &to_json(&goal), Some(version)).await.map_err(busy)?;
        if cleaning {
            clean(store, layout, wanted, (self.withdrawn, self.gone), (goal, version), false).await?;
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
        clean(store, layout, wanted, (self.granted, self.gone), goal, true).await
    }
}

/// Takes away what nobody needs any more, and says that the seed is written.
async fn clean(
    store: &Arc<dyn Store>,
    layout: &Layout,
    wanted: &Wanted,
    (withdrawn, gone): (Vec<(String, Access)>, Vec<Op>),
    (mut goal, version): (Deployed, Version),
    broken: bool,
) -> Result<(), SeedError> {
    imports::protect_all(store, withdrawn).await?;
    imports::register(store, layout.stack(), &wanted.foreign, broken).await?;
    store.apply(gone).await?;
    goal.goal.applying = None;
    store.set(&layout.revision(), &to_json(&goal), Some(version)).await.map_err(|error| match error {
        StoreError::Conflict { .. } => SeedError::Busy { stack: layout.stack().to_owned() },
        error => error.into(),
    })?;
    Ok(())
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
            digest: String::new(),
            applying: Some(goal.goal.revision),
            operator: goal.goal.operator.clone(),
        },
        given: String::new(),
    };
    store
        .apply(vec![Op::Create {
            path: path.clone(),
            data: to_json(&nothing),
            access: rights::members(&wanted.member),
        }])
        .await?;
    let node = store.get(&path).await?.ok_or(StoreError::Missing { path })?;
    Ok(node.version)
}
