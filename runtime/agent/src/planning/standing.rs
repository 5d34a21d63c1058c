//! Which plans stand: the number of a plan is that of the revision in which it was last another.
//!
//! A plan that stands is not written again, and its agent does nothing. So none may stand that could be given another
//! input: not one that reads from a plan that does not stand, and not one that reads from another stack, whose values may
//! have changed since. What reads from nothing that changes stands, whatever becomes of those who read from it.

use std::collections::{HashMap, HashSet};

use wattle_model::{IndexMap, Name};

use crate::plan::{Plan, PlannedComponent, PlannedRequirement, Writer};

/// Puts plans that stand in the place of those that say the same. `plans` are all that a revision asks for, with its number;
/// `before` are those that are there, each as it was written last, by whatever `seed apply`, to its end or not. `is_another`
/// says whose plan does not stand whatever it says.
pub fn keep_standing(
    plans: &mut IndexMap<Name, Plan>,
    before: &IndexMap<Name, Plan>,
    is_another: impl Fn(&Name) -> bool,
) {
    let mut readers: HashMap<&Name, Vec<&Name>> = HashMap::new();
    for (server, plan) in &*plans {
        plan.writers.keys().for_each(|writer| readers.entry(writer).or_default().push(server));
    }
    let stands = |(server, plan): &(&Name, &Plan)| {
        let there = before.get(*server).filter(|there| !is_another(server) && says_the_same(there, plan));
        // What was broken off may have written one of two plans.
        let expected = |there: &Plan| {
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

/// Whether a plan that is there may stand for one of a later revision. Data spaces of former versions have no name, and
/// nothing else tells their revisions apart from those of the next one.
fn says_the_same(there: &Plan, plan: &Plan) -> bool {
    // Whoever adds a field says here whether it is a part.
    let Plan { revision, space, writers: _, key, foreign: _, order, retired, forgotten, publishes, components } = plan;
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

/// Where a requirement stands is no part of it: a line that moves changes nothing.
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
