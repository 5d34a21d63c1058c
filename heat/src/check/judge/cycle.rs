//! Resources that wait for each other.

use wattle_model::shortest_cycles;

use crate::graph::requires;
use crate::resource::{How, Reference};

use super::super::dependency_cycle;
use super::Judge;
use super::reference::is_component;

impl Judge<'_, '_> {
    pub(super) fn cycles(&mut self) {
        let stack = self.stack;
        let (mut ends, mut references): (_, Vec<Option<&Reference>>) = (Vec::new(), Vec::new());
        let index = |name: &str| stack.resources.get_index_of(name);
        for (at, (name, resource)) in stack.resources.iter().enumerate().filter(|(_, (_, resource))| !resource.external)
        {
            let mut explicit = Vec::new();
            for reference in &resource.references {
                let Some(target) = index(&reference.name) else { continue };
                explicit.push(&*reference.name);
                let of_component = match &reference.how {
                    How::Attribute(path) => path
                        .first()
                        .and_then(|(name, _)| name.as_text())
                        .is_some_and(|name| is_component(&stack.loaded.template, &reference.name, name)),
                    _ => false,
                };
                if !of_component {
                    ends.push((at, target));
                    references.push(Some(reference));
                }
            }
            // In a nested stack, Heat does not look for implicit dependencies.
            let implicit = if self.strict { requires(stack.subject(name, resource)) } else { Default::default() };
            for target in implicit.into_iter().filter(|name| !explicit.contains(name)).filter_map(index) {
                ends.push((at, target));
                references.push(None);
            }
        }
        let subject = |at: usize| {
            let (name, resource) = stack.resources.get_index(at).expect("INVARIANT: an end of an edge");
            stack.subject(name, resource)
        };
        for cycle in shortest_cycles(stack.resources.len(), &ends) {
            let hops: Vec<_> = cycle
                .iter()
                .map(|edge| {
                    let ((from, to), reference) = (ends[*edge], references[*edge]);
                    let (from, to) = (subject(from), subject(to));
                    let at = self.at(reference.map(|reference| reference.span), from);
                    (from.name.to_owned(), to.name.to_owned(), reference.map(|reference| reference.how.clone()), at)
                })
                .collect();
            self.found.push(dependency_cycle::diagnostic(&hops));
        }
    }
}
