//! Which plans stay the same. The number of a plan is that of the revision in which it last changed.
//!
//! An unchanged plan is not written again, and its agent does nothing. So a plan must not stay the same if its server
//! could receive different input: it reads from a plan that changes, or from another stack, whose values may have
//! changed since. A plan that reads from nothing that changes stays the same, whatever happens to its readers.

use std::collections::{HashMap, HashSet};

use wattle_model::{IndexMap, Name};

use crate::server_plan::{PlannedComponent, PlannedRequirement, ServerPlan, Writer};

/// Replaces new plans by equivalent existing ones. `plans` are all plans of a revision, with its number. `before` are
/// the existing plans, each as last written by some `seed apply`, whether or not that run was completed. `is_another`
/// names the servers whose plans change whatever their contents.
pub fn keep_standing(
    plans: &mut IndexMap<Name, ServerPlan>,
    before: &IndexMap<Name, ServerPlan>,
    is_another: impl Fn(&Name) -> bool,
) {
    let mut readers: HashMap<&Name, Vec<&Name>> = HashMap::new();
    for (server, plan) in &*plans {
        plan.writers.keys().for_each(|writer| readers.entry(writer).or_default().push(server));
    }
    let stands = |(server, plan): &(&Name, &ServerPlan)| {
        let there = before.get(*server).filter(|there| !is_another(server) && says_the_same(there, plan));
        // A `seed apply` that was interrupted may have written only one of two plans.
        let expected = |there: &ServerPlan| {
            let is_there = |writer: &Name| before.get(writer).is_some_and(|plan| plan.of() == there.expects(writer));
            plan.writers.keys().all(is_there)
        };
        there.is_some_and(|there| expected(there) && there.reads_abroad().is_empty())
    };
    let mut next: Vec<&Name> = plans.iter().filter(|plan| !stands(plan)).map(|(server, _)| server).collect();
    let mut moved: HashSet<Name> = next.iter().map(|server| (*server).clone()).collect();
    while let Some(server) = next.pop() {
        let readers = readers.get(server).into_iter().flatten();
        next.extend(readers.copied().filter(|reader| moved.insert((*reader).clone())));
    }
    let number = |server: &Name| before.get(server).filter(|_| !moved.contains(server)).map(|there| there.revision);
    for (server, plan) in plans {
        if moved.contains(server) {
            for (writer, Writer { revision, .. }) in &mut plan.writers {
                *revision = number(writer).unwrap_or(*revision);
            }
        } else if let Some(there) = before.get(server) {
            plan.clone_from(there);
        }
    }
}

/// Whether an existing plan may stay in place of one of a later revision. Data spaces of earlier versions have no name,
/// so nothing else distinguishes their revisions from those of the next data space.
fn says_the_same(there: &ServerPlan, plan: &ServerPlan) -> bool {
    // If you add a field, decide here whether a change of it matters.
    let ServerPlan { revision, space, writers: _, key, foreign: _, order, retired, forgotten, publishes, components } =
        plan;
    let is_same = |((a_name, a), (b_name, b)): ((&Name, &PlannedComponent), (&Name, &PlannedComponent))| {
        a_name == b_name && does_the_same(a, b)
    };
    space.is_some()
        && there.space == *space
        && there.revision < *revision
        && (&there.key, &there.order, &there.publishes) == (key, order, publishes)
        && (there.retired, there.forgotten) == (*retired, *forgotten)
        && there.components.len() == components.len()
        && there.components.iter().zip(components).all(is_same)
}

/// Compares two components. The location of a requirement does not matter: a moved line changes nothing.
fn does_the_same(there: &PlannedComponent, component: &PlannedComponent) -> bool {
    let PlannedComponent { recipe, after, inputs, outputs, requires } = component;
    let is_same = |(name, required): (&Name, &PlannedRequirement)| {
        let PlannedRequirement { predicate, because, at: _ } = required;
        there.requires.get(name).is_some_and(|there| (&there.predicate, &there.because) == (predicate, because))
    };
    (&there.recipe, &there.after, &there.inputs, &there.outputs) == (recipe, after, inputs, outputs)
        && there.requires.len() == requires.len()
        && requires.iter().all(is_same)
}

#[cfg(test)]
mod tests;
