//! What the expressions of a model refer to: which things are used, and which do not exist.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{Model, Name, Reference, Referred, Source};

use super::place::{self, Place};

/// The parts of a model that are used, and the targets of references that do not exist in it.
#[derive(Default)]
pub(super) struct Uses<'m> {
    /// Whether each parameter is used.
    pub(super) parameters: Vec<bool>,
    /// Whether each forward reference is used.
    pub(super) forward_references: Vec<bool>,
    /// Imports that are read: stack and export.
    pub(super) imports: HashSet<(&'m str, &'m str)>,
    /// Whether each output of each declaration is read, from any component.
    pub(super) outputs: Vec<Vec<bool>>,
    /// References to targets that do not exist.
    pub(super) unknown: Vec<Use<'m>>,
    /// References to handles of another topology.
    pub(super) foreign: Vec<Use<'m>>,
    /// References to attributes of resources.
    pub(super) attributes: Vec<Use<'m>>,
    /// References in properties to values that exist only once software runs.
    pub(super) late: Vec<Use<'m>>,
    /// The index in [`Model::declarations`] of each component's declaration.
    pub(super) kinds: Vec<Option<usize>>,
    /// The index in [`Model::resources`] of the resource that each component runs on.
    pub(super) hosts: Vec<Option<usize>>,
}

/// One reference.
#[derive(Clone, Copy)]
pub(super) struct Use<'m> {
    pub(super) place: Place<'m>,
    pub(super) at: &'m Source,
    pub(super) reference: Referred<'m>,
}

impl<'m> Uses<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut uses = Self {
            parameters: vec![false; model.parameters.len()],
            forward_references: vec![false; model.forward_references.len()],
            outputs: model.declarations.values().map(|kind| vec![false; kind.outputs.len()]).collect(),
            kinds: places(model.components.values().map(|one| &one.declaration), |name| {
                model.declarations.get_index_of(name)
            }),
            hosts: places(model.components.values().map(|one| &one.server), |name| model.resources.get_index_of(name)),
            ..Self::default()
        };
        let mut imports = None;
        place::each(model, |place, at, value| {
            let is_property = !matches!(
                place,
                Place::Input { .. } | Place::ForwardReference(_) | Place::Export(_) | Place::Requirement(_)
            );
            for reference in value.references() {
                match reference {
                    Reference::Attribute { .. } => uses.attributes.push(Use { place, at, reference }),
                    Reference::Output { .. } | Reference::ForwardReference(_) | Reference::Import { .. }
                        if is_property =>
                    {
                        uses.late.push(Use { place, at, reference });
                    }
                    _ => {}
                }
                let known = match reference {
                    Reference::Parameter(name) => mark(&mut uses.parameters, model.parameters.get_index_of(name)),
                    Reference::ForwardReference(name) => {
                        mark(&mut uses.forward_references, model.forward_references.get_index_of(name))
                    }
                    Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
                        model.resources.contains_key(name)
                    }
                    Reference::Output { component, output } => uses.output(model, component, output),
                    Reference::Import { stack, export } => {
                        uses.imports.insert((&**stack, &**export));
                        imports.get_or_insert_with(|| imported(model)).contains(&(&**stack, &**export))
                    }
                    Reference::Foreign { .. } => {
                        uses.foreign.push(Use { place, at, reference });
                        true
                    }
                };
                if !known {
                    uses.unknown.push(Use { place, at, reference });
                }
            }
        });
        uses
    }

    fn output(&mut self, model: &Model, component: &Name, output: &Name) -> bool {
        let Some(index) = model.components.get_index_of(component) else { return false };
        // A component whose declaration is unknown may have any output; the missing declaration is reported instead.
        let Some(kind) = self.kinds[index] else { return true };
        let output = model.declarations.get_index(kind).and_then(|(_, kind)| kind.outputs.get_index_of(output));
        mark(&mut self.outputs[kind], output)
    }
}

fn mark(used: &mut [bool], index: Option<usize>) -> bool {
    index.and_then(|index| used.get_mut(index)).map(|used| *used = true).is_some()
}

fn imported(model: &Model) -> HashSet<(&str, &str)> {
    model.imports.iter().map(|import| (&*import.stack, &*import.export)).collect()
}

/// The index of each name. Consecutive names are mostly one shared copy, which is looked up once.
fn places<'m>(names: impl Iterator<Item = &'m Name>, find: impl Fn(&'m Name) -> Option<usize>) -> Vec<Option<usize>> {
    let mut last: Option<(&Name, Option<usize>)> = None;
    let place = |name| match last {
        Some((known, place)) if Arc::ptr_eq(known, name) => place,
        _ => {
            let place = find(name);
            last = Some((name, place));
            place
        }
    };
    names.map(place).collect()
}
