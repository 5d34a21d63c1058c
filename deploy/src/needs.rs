//! The dependencies of each thing: its unresolved references, `depends_on`, and Heat's implicit ordering by class. A
//! nested stack stands for everything in it, and a value or a text for its references.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wattle_heat::desired::Resource;
use wattle_model::IndexMap;

use crate::role::Role;

/// Resources by their full names, each with its role.
pub(crate) type Roles<'r> = IndexMap<&'r str, (&'r Resource, Role)>;

/// The names of the rows that each row depends on, by the row's name.
pub(crate) fn needs<'r>(
    roles: &Roles<'r>,
    implied: &'r BTreeMap<String, BTreeSet<String>>,
) -> IndexMap<&'r str, BTreeSet<&'r str>> {
    let mut finder = Finder { roles, implied, within: within(roles), reached: HashMap::new() };
    let rows = roles.iter().filter(|(_, (_, role))| *role == Role::Row);
    rows.map(|(name, _)| {
        let mut found = BTreeSet::new();
        for target in finder.targets(name) {
            found.extend(finder.reached(target).iter().copied());
        }
        found.remove(name);
        (*name, found)
    })
    .collect()
}

/// The nested stacks that contain a resource, innermost first.
pub(crate) fn around(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(name.rsplit_once('/'), |(stack, _)| stack.rsplit_once('/')).map(|(stack, _)| stack)
}

/// For each nested stack, everything in it and in the stacks nested in it, without these stacks themselves.
fn within<'r>(roles: &Roles<'r>) -> HashMap<&'r str, Vec<&'r str>> {
    let mut within: HashMap<&str, Vec<&str>> = HashMap::new();
    for name in roles.iter().filter(|(_, (_, role))| *role != Role::Stack).map(|(name, _)| *name) {
        for stack in around(name) {
            within.entry(stack).or_default().push(name);
        }
    }
    within
}

struct Finder<'f, 'r> {
    roles: &'f Roles<'r>,
    implied: &'r BTreeMap<String, BTreeSet<String>>,
    within: HashMap<&'r str, Vec<&'r str>>,
    /// The rows that each name stands for. The entry is empty while it is being computed.
    reached: HashMap<&'r str, BTreeSet<&'r str>>,
}

impl<'r> Finder<'_, 'r> {
    /// The names that a resource refers to and depends on, which may be those of stacks or values.
    fn targets(&self, name: &'r str) -> BTreeSet<&'r str> {
        let mut found = BTreeSet::new();
        if let Some((resource, role)) = self.roles.get(name) {
            if *role != Role::Nothing {
                for (_, value) in resource.all_given() {
                    value.references(&mut |target, _| found.extend(self.name(target)));
                }
            }
            self.ordered(name, resource, &mut found);
        }
        for stack in around(name) {
            if let Some((resource, _)) = self.roles.get(stack) {
                self.ordered(stack, resource, &mut found);
            }
        }
        found
    }

    /// The resources ordered before this one whatever its properties are.
    fn ordered(&self, name: &str, resource: &'r Resource, found: &mut BTreeSet<&'r str>) {
        let prefix = name.rsplit_once('/').map_or(String::new(), |(stack, _)| format!("{stack}/"));
        found.extend(resource.depends_on.iter().filter_map(|own| self.name(&format!("{prefix}{own}"))));
        let implied = self.implied.get(name);
        found.extend(
            implied.into_iter().flatten().filter(|before| **before != *name).filter_map(|before| self.name(before)),
        );
    }

    /// The name as it is stored, if there is such a resource.
    fn name(&self, name: &str) -> Option<&'r str> {
        self.roles.get_key_value(name).map(|(name, _)| *name)
    }

    /// The rows that `name` stands for.
    fn reached(&mut self, name: &'r str) -> BTreeSet<&'r str> {
        if let Some(known) = self.reached.get(name) {
            return known.clone();
        }
        self.reached.insert(name, BTreeSet::new());
        let through: BTreeSet<&str> = match self.roles.get(name) {
            Some((_, Role::Row)) | None => BTreeSet::from([name]),
            Some((_, Role::Stack)) => {
                let inside = self.within.get(name).cloned().unwrap_or_default();
                inside.into_iter().flat_map(|inside| self.reached(inside)).collect()
            }
            Some((_, Role::Value | Role::Config(_) | Role::Nothing)) => {
                self.targets(name).into_iter().flat_map(|target| self.reached(target)).collect()
            }
        };
        self.reached.insert(name, through.clone());
        through
    }
}
