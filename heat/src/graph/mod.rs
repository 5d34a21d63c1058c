//! Heat's own dependency graph: the order in which it creates resources.
//!
//! What lives here: [`Graph`], and the substitutes for missing values (`filled`). What must not: the dependencies of a
//! class (`classes`); judging the graph: a reference to a missing target is not an edge here, and `check` reports it.

mod filled;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::Loaded;
use crate::resource::Subject;
use crate::stack::{Stack, World};

/// The order in which Heat creates resources, in the stack and in the stacks nested in it.
///
/// Members of a scaling group have numbers as names here, because Heat gives them random names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// The requirements of each resource. Resources that a condition excludes are not listed.
    pub graph: BTreeMap<String, BTreeSet<String>>,
    /// The type of each resource, as written in the template. If the type is a template, its path.
    pub types: BTreeMap<String, String>,
    /// The stack nested as each resource.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub nested: BTreeMap<String, Graph>,
    /// The number of members of each group that is too large: of these, only the first [`MEMBERS`] are in the graph.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cut: BTreeMap<String, i128>,
}

/// The most members of one group in a graph.
pub const MEMBERS: usize = crate::classes::MEMBERS;

impl Graph {
    /// Every group with more members than are listed, with its size. Groups in nested stacks are named `NESTED/NAME`.
    pub fn all_cut(&self) -> Vec<(String, i128)> {
        let mut found: Vec<_> = self.cut.iter().map(|(name, size)| (name.clone(), *size)).collect();
        for (name, nested) in &self.nested {
            found.extend(nested.all_cut().into_iter().map(|(own, size)| (format!("{name}/{own}"), size)));
        }
        found
    }

    /// The graph of a template. A parameter without a value is assumed to have one. If it is text, it differs from every
    /// text in the template.
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

/// The implicit dependencies of each resource, by full name (`NAME`, or `NESTED/NAME`): the resources that Heat creates
/// first although the template does not require it. Both ends can be nested stacks.
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

/// The resources that Heat creates before a resource. If its class cannot read a property, that yields no dependency,
/// because Heat reports it elsewhere.
pub(crate) fn requires(subject: Subject<'_>) -> BTreeSet<&str> {
    let mut requires = subject.requires();
    requires.extend((subject.resource.class().depends)(subject).unwrap_or_default());
    requires
}
