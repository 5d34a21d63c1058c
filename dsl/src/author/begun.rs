//! Components and resources that are begun and never added.
//!
//! `new()` begins a component or a resource, and adding it makes it part of a topology. Anything dropped before that is
//! noted for the topology that is under construction on this thread (the newest one, if there are several), so that
//! `check` can report it. A place from which something was added is not noted: code that runs there repeatedly may
//! leave out what it does not need.

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::Location;

use crate::model::{ElementKind, Unused};

type Place = &'static Location<'static>;

/// Something that was dropped.
struct Dropped {
    kind: ElementKind,
    ty: String,
    at: Place,
}

thread_local! {
    /// The topologies under construction, each with what was dropped in the meantime.
    static OPEN: RefCell<Vec<(u32, Vec<Dropped>)>> = const { RefCell::new(Vec::new()) };
}

/// A component or a resource that is not added yet.
pub(super) struct Begun(Option<Dropped>);

impl Begun {
    /// Begins something of the type `ty`, at the caller's place.
    #[track_caller]
    pub(super) fn new(kind: ElementKind, ty: impl Into<String>) -> Self {
        Self(Some(Dropped { kind, ty: ty.into(), at: Location::caller() }))
    }

    /// Notes that it was added. Returns the place where it was begun.
    pub(super) fn added(&mut self) -> Option<Place> {
        self.0.take().map(|begun| begun.at)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let Some(begun) = self.0.take() else { return };
        // No topology is under construction while the thread exits.
        let _ = OPEN.try_with(|open| {
            if let Some((_, dropped)) = open.borrow_mut().last_mut() {
                dropped.push(begun);
            }
        });
    }
}

/// Records what is begun and dropped while a topology is under construction.
pub(super) struct Watch {
    topology: u32,
    added: HashSet<Place>,
}

impl Watch {
    pub(super) fn new(topology: u32) -> Self {
        OPEN.with_borrow_mut(|open| open.push((topology, Vec::new())));
        Self { topology, added: HashSet::new() }
    }

    pub(super) fn added(&mut self, mut begun: Begun) {
        self.added.extend(begun.added());
    }

    /// Returns what was begun in the meantime and never added, once for each place.
    pub(super) fn unused(&mut self) -> Vec<Unused> {
        let mut seen = std::mem::take(&mut self.added);
        let mut unused = self.close();
        unused.retain(|dropped| seen.insert(dropped.at));
        unused.into_iter().map(|Dropped { kind, ty, at }| Unused { kind, ty: ty.into(), at: at.into() }).collect()
    }

    fn close(&self) -> Vec<Dropped> {
        OPEN.try_with(|open| {
            let mut open = open.borrow_mut();
            let own = open.iter().position(|(topology, _)| *topology == self.topology);
            own.map(|own| open.remove(own).1).unwrap_or_default()
        })
        .unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.close();
    }
}
