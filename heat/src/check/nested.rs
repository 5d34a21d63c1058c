//! The templates nested in a template, as Heat encounters them.

use std::collections::{HashMap, HashSet};

use crate::Loaded;
use crate::stack::{Nested, Stack, World};

/// The maximum number of stacks of one template that are checked, each with different values.
const EACH: usize = 8;

/// Calls `judge` with each nested stack that is a template of its own, once per set of values.
pub fn each(loaded: &Loaded, judge: &mut dyn FnMut(&Loaded)) {
    if loaded.library.templates.is_empty() {
        return;
    }
    let world = World::default();
    let mut seen = Seen::default();
    within(&world, &Stack::root(&world, loaded), &mut seen, judge);
}

/// The templates seen so far, each with the values of its parameters.
#[derive(Default)]
struct Seen(HashMap<String, HashSet<String>>);

impl Seen {
    fn is_new(&mut self, loaded: &Loaded) -> bool {
        let values: Vec<_> = loaded.parameters.values.values().map(|valued| valued.value.python()).collect();
        let seen = self.0.entry(loaded.template.file.to_string()).or_default();
        seen.len() < EACH && seen.insert(values.join("\n"))
    }
}

fn within(world: &World, stack: &Stack<'_>, seen: &mut Seen, judge: &mut dyn FnMut(&Loaded)) {
    for (name, resource) in &stack.resources {
        let Some(nested) = stack.nested(name, resource, true) else { continue };
        if let Nested::Template(loaded) = &nested {
            if !seen.is_new(loaded) {
                continue;
            }
            judge(loaded);
        }
        within(world, &nested.stack(world, stack), seen, judge);
    }
}
