//! Heat's own dependency graph: what it makes before what.
//!
//! What lives here: [`Graph`], and what stands for values that are not given (`filled`). What must not: what a class
//! depends on (`classes`); judging it: a reference to nothing is no edge here, and `check` reports it.

mod filled;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::Loaded;
use crate::resource::Subject;
use crate::stack::{Stack, World};

/// What Heat makes before what: the stack's, and those of the stacks nested in it.
///
/// Members of a scaling group have numbers for names, as Heat names them by chance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// By resource what it requires. Resources that a condition takes out are not there.
    pub graph: BTreeMap<String, BTreeSet<String>>,
    /// The resources' types, as the template has them; of one that is a template its path.
    pub types: BTreeMap<String, String>,
    /// By resource the stack that is nested as it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub nested: BTreeMap<String, Graph>,
    /// By group how many members it is to have, where that are too many: only the first [`MEMBERS`] are there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cut: BTreeMap<String, i128>,
}

/// Members of one group that are in a graph at most.
pub const MEMBERS: usize = crate::classes::MEMBERS;

impl Graph {
    /// Every group that has more members than are here, with how many, those in nested stacks as `NESTED/NAME`.
    pub fn all_cut(&self) -> Vec<(String, i128)> {
        let mut found: Vec<_> = self.cut.iter().map(|(name, size)| (name.clone(), *size)).collect();
        for (name, nested) in &self.nested {
            found.extend(nested.all_cut().into_iter().map(|(own, size)| (format!("{name}/{own}"), size)));
        }
        found
    }

    /// The graph of a template. A parameter without a value is taken to have one, and a text to be none that is written
    /// anywhere.
    pub fn of(loaded: &Loaded) -> Self {
        let world = World::default();
        let filled = filled::filled(loaded);
        Self::of_stack(&world, &Stack::root(&world, &filled))
    }

    fn of_stack(world: &World, stack: &Stack<'_>) -> Self {
        let mut graph = Self::default();
        for (name, resource) in &stack.resources {
            let requires = requires(stack.subject(name, resource));
            graph.graph.insert(name.clone(), requires.into_iter().map(ToOwned::to_owned).collect());
            graph.types.insert(name.clone(), resource.ty.clone());
            graph.cut.extend(crate::classes::too_many(resource).map(|size| (name.clone(), size)));
            if let Some(nested) = stack.nested(name, resource, false) {
                graph.nested.insert(name.clone(), Self::of_stack(world, &nested.stack(world, stack)));
            }
        }
        graph
    }
}

/// By full name (`NAME`, or `NESTED/NAME`) what Heat makes before a resource though the template does not say so. Both may be
/// nested stacks.
pub fn implied(loaded: &Loaded) -> BTreeMap<String, BTreeSet<String>> {
    let world = World::default();
    let filled = filled::filled(loaded);
    let mut found = BTreeMap::new();
    implied_in(&world, &Stack::root(&world, &filled), "", &mut found);
    found
}

fn implied_in(world: &World, stack: &Stack<'_>, prefix: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    let full = |name: &str| format!("{prefix}{name}");
    for (name, resource) in &stack.resources {
        let subject = stack.subject(name, resource);
        let before = (resource.class().depends)(subject).unwrap_or_default();
        if !before.is_empty() {
            found.insert(full(name), before.into_iter().map(full).collect());
        }
        if let Some(nested) = stack.nested(name, resource, false) {
            implied_in(world, &nested.stack(world, stack), &format!("{}/", full(name)), found);
        }
    }
}

/// What Heat makes before a resource. What its class cannot read makes no dependency: Heat reports it elsewhere.
pub(crate) fn requires(subject: Subject<'_>) -> BTreeSet<&str> {
    let mut requires = subject.requires();
    requires.extend((subject.resource.class().depends)(subject).unwrap_or_default());
    requires
}
