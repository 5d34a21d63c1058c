//! The test's part: everything that a run of its blueprint needs.

use std::rc::Rc;

use crate::lower::Lowered;
use crate::model::{IndexMap, IndexSet, Model, Name, Value};

use super::fake::Fake;

/// The inputs of a run, provided by a test.
pub(super) struct Setting {
    pub(super) model: Model,
    pub(super) lowered: Rc<Lowered>,
    pub(super) parameters: IndexMap<Name, Value>,
    pub(super) attributes: IndexMap<(Name, Name), Value>,
    pub(super) imports: IndexMap<(Name, Name), Value>,
    pub(super) fakes: IndexMap<Name, Fake>,
    /// Fakes for one component each, with the component type that they are for, if it is known.
    pub(super) own_fakes: IndexMap<Name, (Option<&'static str>, Fake)>,
    pub(super) made_up: bool,
    pub(super) absent: IndexSet<Name>,
    pub(super) deaths: IndexSet<Name>,
}

impl Setting {
    /// A setting with only a model.
    pub(super) fn new(model: Model, lowered: Rc<Lowered>) -> Self {
        Self {
            model,
            lowered,
            parameters: IndexMap::default(),
            attributes: IndexMap::default(),
            imports: IndexMap::default(),
            fakes: IndexMap::default(),
            own_fakes: IndexMap::default(),
            made_up: false,
            absent: IndexSet::default(),
            deaths: IndexSet::default(),
        }
    }
}
