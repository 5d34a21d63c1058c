//! The turn of a `seed apply` or `seed delete` to write to a stack. A writer stops as soon as another one has begun.
//!
//! A writer begins by writing the desired revision, so the desired revision's version identifies the turn. ZooKeeper
//! compares only how many times a node was set, and starts again when a stack is removed and applied again. Therefore a
//! node below the desired revision has the name of the data space, which no other data space has.

use std::sync::Arc;

use crate::space::{Layout, ROOT, SpaceError, to_json};
use crate::store::{Access, Op, Store, StoreError, Version};

use super::present::{self, Deployed};
use super::{SeedError, naming};

/// The versions to compare, from before the rest of a stack was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    desired: Option<Version>,
    mark: Option<Version>,
    importers: Option<Version>,
}

impl Seen {
    /// Reads the versions for the desired revision that was read.
    pub(super) async fn read(
        store: &Arc<dyn Store>,
        layout: &Layout,
        desired: Option<&(Deployed, Version)>,
    ) -> Result<Self, SeedError> {
        let Some((there, version)) = desired else { return Ok(Self::default()) };
        let mark = store.get(&layout.mark(there.desired.space.as_ref())).await?;
        let importers = store.get(&layout.importers()).await?;
        let [mark, importers] = [mark, importers].map(|node| node.map(|node| node.version));
        Ok(Self { desired: Some(*version), mark, importers })
    }

    /// Checks that no other writer has begun since. Otherwise the nodes read may be of two revisions, and their
    /// differences are meaningless.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if one has.
    pub(super) async fn confirm(&self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        let there = store.get(&layout.revision()).await?.map(|node| node.version);
        if self.desired.is_none() || self.desired == there { Ok(()) } else { Err(over(layout)) }
    }

    /// Whether there was a desired revision.
    pub(super) fn is_of_desired(&self) -> bool {
        self.desired.is_some()
    }

    /// Whether the data space of a turn existed.
    pub(super) fn is_of_turn(&self) -> bool {
        self.mark.is_some()
    }

    /// Creates it for a desired revision that is not trusted: only its version is known.
    pub(super) async fn of_unknown(
        store: &Arc<dyn Store>,
        layout: &Layout,
        desired: Version,
    ) -> Result<Self, SeedError> {
        let importers = store.get(&layout.importers()).await?.map(|node| node.version);
        Ok(Self { desired: Some(desired), mark: None, importers })
    }
}

/// A turn to write to a stack. It is over once another writer has written the desired revision.
pub(super) struct Turn<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) layout: &'a Layout,
    desired: Version,
    /// The name of the turn in the desired revision.
    name: Option<String>,
    /// The data space's own node. `None` if an earlier version created it.
    mark: Option<Op>,
    /// The readers of this stack's values get rights as well, so no other stack may have begun to read any.
    importers: Option<Op>,
}

impl<'a> Turn<'a> {
    /// Takes the turn: replaces the desired revision that was `seen` by `desired`, or creates one after what is created
    /// `before`.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if another writer has begun since.
    pub(super) async fn take(
        store: &'a Arc<dyn Store>,
        layout: &'a Layout,
        seen: &Seen,
        desired: &Deployed,
        before: Vec<Op>,
        access: Access,
    ) -> Result<Turn<'a>, SeedError> {
        let desired = Deployed { turn: Some(naming::chance()), ..desired.clone() };
        let (path, data) = (layout.revision(), to_json(&desired));
        let mark = layout.mark(desired.desired.space.as_ref());
        let mut ops = before;
        ops.push(match seen.desired {
            Some(_) => Op::Set { path, data: data.clone(), expected: seen.desired },
            None => Op::Create { path, data: data.clone(), access },
        });
        match seen.mark {
            Some(expected) => ops.insert(0, Op::Check { path: mark.clone(), expected }),
            None => ops.push(Op::Create { path: mark.clone(), data: Vec::new(), access: Access::new() }),
        }
        store.apply(ops).await.map_err(|error| busy(layout, error))?;
        let (version, mark_there) = (ours(store, layout, &data, seen.desired).await?, store.get(&mark).await?);
        let (Some(version), Some(mark_there)) = (version, mark_there) else { return Err(over(layout)) };
        let seen = Seen { desired: Some(version), mark: Some(mark_there.version), ..*seen };
        Ok(Self { name: desired.turn, ..Self::at(store, layout, version, &seen, &mark) })
    }

    /// Takes the turn with the desired revision of a data space at its `beginning`. It replaces the desired revision
    /// that was `seen`. Otherwise it is created below the stack's own node, which must not exist yet unless it
    /// `is_there`.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if another writer has begun since.
    pub(super) async fn begin(
        store: &'a Arc<dyn Store>,
        layout: &'a Layout,
        seen: &Seen,
        beginning: &Deployed,
        is_there: bool,
        access: Access,
    ) -> Result<Turn<'a>, SeedError> {
        let root = (!is_there).then(|| Op::Create { path: layout.root(), data: Vec::new(), access: Access::new() });
        loop {
            let kept = naming::keep(store, beginning.desired.space.as_ref()).await?;
            let before = kept.into_iter().chain(root.clone()).collect();
            match Self::take(store, layout, seen, beginning, before, access.clone()).await {
                // Another data space has been given a name since.
                Err(SeedError::Space(SpaceError::Store(error))) if naming::is_late(&error) => {}
                taken => return taken,
            }
        }
    }

    /// The turn of an interrupted writer, whose desired revision was `seen`.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if there is no desired revision.
    pub(super) fn resume(
        store: &'a Arc<dyn Store>,
        layout: &'a Layout,
        seen: &Seen,
        desired: &Deployed,
    ) -> Result<Turn<'a>, SeedError> {
        let version = seen.desired.ok_or_else(|| over(layout))?;
        let turn = Self::at(store, layout, version, seen, &layout.mark(desired.desired.space.as_ref()));
        Ok(Self { name: desired.turn.clone(), ..turn })
    }

    fn at(store: &'a Arc<dyn Store>, layout: &'a Layout, desired: Version, seen: &Seen, mark: &str) -> Turn<'a> {
        let check = |path: String, expected: Option<Version>| expected.map(|expected| Op::Check { path, expected });
        let (mark, importers) = (check(mark.to_owned(), seen.mark), check(layout.importers(), seen.importers));
        Self { store, layout, desired, name: None, mark, importers }
    }

    /// The `desired` with which this turn was taken.
    pub(super) fn said(&self, desired: Deployed) -> (Deployed, Version) {
        (Deployed { turn: self.name.clone(), ..desired }, self.desired)
    }

    /// The conditions that hold as long as this turn lasts.
    pub(super) fn checks(&self) -> Vec<Op> {
        let desired = Op::Check { path: self.layout.revision(), expected: self.desired };
        std::iter::once(desired).chain(self.mark.clone()).collect()
    }

    /// Carries out `ops`.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if the turn is over.
    pub(super) async fn apply(&self, ops: Vec<Op>) -> Result<(), SeedError> {
        let applied = self.store.apply([self.checks(), ops].concat()).await;
        applied.map_err(|error| busy(self.layout, error))
    }

    /// Gives nodes other rights.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if the turn is over, or another stack has begun to read values of this one.
    pub(super) async fn protect(&self, accesses: &[(String, Access)]) -> Result<(), SeedError> {
        let checks: Vec<Op> = self.checks().into_iter().chain(self.importers.clone()).collect();
        match self.store.protect(accesses, &checks).await {
            Err(StoreError::Replaced { .. }) => {
                disturbed(self.store, self.layout).await?;
                Err(over(self.layout))
            }
            protected => protected.map_err(|error| busy(self.layout, error)),
        }
    }

    /// Writes the desired revision.
    ///
    /// # Errors
    /// [`SeedError::Busy`] if the turn is over.
    pub(super) async fn say(&mut self, desired: &Deployed) -> Result<(), SeedError> {
        let is_over = desired.desired.applying.is_none();
        let turn = self.name.clone().filter(|_| !is_over);
        let admitting = if is_over { Default::default() } else { desired.admitting.clone() };
        let [renewing, rotates] = [desired.renewing, desired.rotates].map(|is_so| is_so && !is_over);
        let desired = Deployed { turn, rotates, admitting, renewing, ..desired.clone() };
        let (path, data) = (self.layout.revision(), to_json(&desired));
        let set = Op::Set { path, data: data.clone(), expected: Some(self.desired) };
        let said = self.store.apply(self.mark.iter().cloned().chain([set]).collect()).await;
        said.map_err(|error| busy(self.layout, error))?;
        // If another writer has begun since, the checks with the former version fail.
        self.desired = ours(self.store, self.layout, &data, Some(self.desired)).await?.unwrap_or(self.desired);
        Ok(())
    }
}

/// The version of the desired revision if it was set to `data` after the version `before`, and not since.
async fn ours(
    store: &Arc<dyn Store>,
    layout: &Layout,
    data: &[u8],
    before: Option<Version>,
) -> Result<Option<Version>, SeedError> {
    let count = before.map_or(0, |before| before.count.wrapping_add(1));
    let there = store.get(&layout.revision()).await?;
    Ok(there.filter(|node| node.data == data && node.version.count == count).map(|node| node.version))
}

/// Ends any turn of another writer, so that it cannot change anything that the caller reads from now on. Returns the
/// present desired revision.
///
/// # Errors
/// [`SeedError::Busy`] if yet another writer has begun in the meantime.
pub(super) async fn end_another(
    store: &Arc<dyn Store>,
    layout: &Layout,
    there: (Deployed, Version),
) -> Result<(Deployed, Version), SeedError> {
    let seen = Seen::read(store, layout, Some(&there)).await?;
    let turn = Turn::take(store, layout, &seen, &there.0, Vec::new(), Access::new()).await?;
    Ok(turn.said(there.0))
}

/// Marks a stack whose rights may not be those of its plans, because a writer whose turn was over has changed them. The
/// next `seed apply` then grants all of them again.
pub(super) async fn disturbed(store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
    while let Some(there) = present::deployed(store, layout).await? {
        let seen = Seen::read(store, layout, Some(&there)).await?;
        let mut desired = there.0;
        if desired.desired.applying.is_some() {
            break;
        }
        desired.desired.applying = Some(desired.desired.revision);
        match Turn::take(store, layout, &seen, &desired, Vec::new(), Access::new()).await {
            Err(SeedError::Busy { .. }) => {}
            taken => return taken.map(drop),
        }
    }
    Ok(())
}

/// The error that the turn is over.
pub(super) fn over(layout: &Layout) -> SeedError {
    SeedError::Busy { stack: layout.stack().to_owned() }
}

/// The error to report if something in `layout`'s stack has changed after it was read.
pub(super) fn busy(layout: &Layout, error: StoreError) -> SeedError {
    let is_checked = |path: &str| path.starts_with(&layout.revision());
    match error {
        StoreError::Conflict { ref path } | StoreError::Exists { ref path } if path != ROOT => over(layout),
        StoreError::Missing { path } if is_checked(&path) => over(layout),
        error => error.into(),
    }
}
