//! The changes that a seed makes in a data space. `wattle::plan` describes how agents and Heat respond to them.

use std::fmt;

use serde::Serialize;
use wattle::model::{IndexMap, IndexSet, Name};
use wattle::names::list;
use wattle::plan::recipe_differences;

use crate::space::{Layout, PlannedComponent, ServerPlan};

use super::error::{SeedError, Tampered};
use super::present::Present;
use super::wanted::Wanted;
use super::work::has_key_of;

/// The changes that a seed makes to a data space. Displays as text, with one line for each server and component that
/// changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The stack.
    pub stack: String,
    /// The present revision. `None` before the first.
    pub from: Option<u64>,
    /// The next revision. Equal to the present one if there is nothing to do.
    pub to: u64,
    /// The change of each server.
    pub servers: IndexMap<Name, ServerChanges>,
    /// Entries that are added and removed, as `SERVER/COMPONENT/OUTPUT`.
    pub entries: Delta,
    /// Entries whose readers change.
    pub rights: Vec<String>,
    /// Recipe files that are added and removed, by path.
    pub recipes: Delta,
    /// Exports that are added and removed.
    pub exports: Delta,
    /// Exports that stay, with another value or type.
    pub exports_changed: Vec<String>,
    /// Servers that get a new credential.
    pub credentials: Vec<String>,
    /// Servers whose own keys replace their former credentials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub admitted: Vec<String>,
    /// Servers that keep their key, with a password for another authority.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passwords: Vec<String>,
    /// Servers that have left the model and lose their last rights, because everything on them has been torn down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<String>,
    /// Servers that left the model with an earlier revision, and have not reported that everything on them has been
    /// torn down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lingering: Vec<String>,
    /// Nodes that differ from what the operator has written, and are restored.
    pub tampered: Vec<Tampered>,
    /// Warnings for the operator.
    pub warnings: Vec<String>,
}

/// Names that are added and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Delta {
    /// The added names.
    pub added: Vec<String>,
    /// The removed names.
    pub gone: Vec<String>,
}

/// The change of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerChanges {
    /// The server as a whole.
    pub change: Change,
    /// Each of its components.
    pub components: IndexMap<Name, ComponentChange>,
}

/// The change of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComponentChange {
    /// The component as a whole.
    pub change: Change,
    /// The parts that change: `recipe`, ``input `port` ``. Values are not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what: Vec<String>,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is added.
    Added,
    /// It stays, with changes.
    Changed,
    /// It is removed.
    Gone,
    /// It stays as it is.
    Unchanged,
}

impl Changes {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.from == Some(self.to)
    }

    /// Checks that nothing prevents these changes from being applied.
    ///
    /// # Errors
    /// [`SeedError::Tampered`] for nodes that differ from what the operator has written, unless they are `restored`.
    pub fn untampered(&self, restored: bool) -> Result<(), SeedError> {
        if restored || self.tampered.is_empty() {
            return Ok(());
        }
        Err(SeedError::Tampered { stack: self.stack.clone(), nodes: self.tampered.clone() })
    }

    pub(super) fn between(layout: &Layout, present: &Present, wanted: &Wanted, to: u64) -> Self {
        let mut changes = Self {
            stack: layout.stack().to_owned(),
            from: present
                .deployed
                .as_ref()
                .map(|(deployed, _)| deployed.desired.revision)
                .filter(|revision| *revision > 0),
            to,
            ..Self::default()
        };
        for (name, plan) in &wanted.plans {
            let before = present.plans.get(name).filter(|before| !before.retired);
            changes.servers.insert(name.clone(), server(before, Some(plan)));
        }
        let gone = wanted.retired.keys().filter_map(|name| Some((name, present.plans.get(name)?)));
        for (name, before) in gone.filter(|(_, before)| !before.retired) {
            changes.servers.insert(name.clone(), server(Some(before), None));
        }
        let left = wanted.retired.iter().filter(|(name, _)| present.plans.get(*name).is_some_and(|plan| plan.retired));
        for (name, plan) in left.filter(|(name, _)| !present.has_forgotten(name)) {
            let names = if plan.forgotten { &mut changes.forgotten } else { &mut changes.lingering };
            names.push(name.to_string());
        }
        changes.entries = entries(layout, present, wanted);
        changes.recipes = recipes(present, wanted);
        changes.exports = delta(present.exports.keys(), wanted.exports.keys());
        let others = wanted
            .exports
            .iter()
            .filter(|(name, export)| present.exports.get(*name).is_some_and(|before| before != *export));
        changes.exports_changed = others.map(|(name, _)| name.to_string()).collect();
        let other =
            |server: &&Name| present.principals.get(*server).is_some_and(|p| Some(p) != wanted.principals.get(*server));
        let other: Vec<&Name> = wanted.plans.keys().filter(other).collect();
        let (same, other): (Vec<&Name>, Vec<&Name>) =
            other.into_iter().partition(|server| has_key_of(&wanted.roster, present, server));
        let (admitted, other): (Vec<&Name>, Vec<&Name>) =
            other.into_iter().partition(|server| wanted.roster.admitted.contains(server));
        [changes.admitted, changes.passwords, changes.credentials] =
            [admitted, same, other].map(|servers| servers.into_iter().map(ToString::to_string).collect());
        changes
    }
}

fn server(before: Option<&ServerPlan>, after: Option<&ServerPlan>) -> ServerChanges {
    let components =
        |plan: Option<&'_ ServerPlan>| plan.map(|plan| plan.components.keys().cloned().collect::<Vec<_>>());
    let names: IndexSet<Name> = components(after).into_iter().chain(components(before)).flatten().collect();
    let mut changed = false;
    let components = names.into_iter().map(|name| {
        let [before, after] = [before, after].map(|plan| plan.and_then(|plan| plan.components.get(&name)));
        let change = match (before, after) {
            (None, _) => ComponentChange { change: Change::Added, what: Vec::new() },
            (_, None) => ComponentChange { change: Change::Gone, what: Vec::new() },
            (Some(before), Some(after)) => {
                let what = differences(before, after);
                let change = if what.is_empty() { Change::Unchanged } else { Change::Changed };
                ComponentChange { change, what }
            }
        };
        changed |= change.change != Change::Unchanged;
        (name, change)
    });
    let components = components.collect();
    let change = match (before, after) {
        (None, _) => Change::Added,
        (_, None) => Change::Gone,
        (Some(before), Some(after)) => {
            if changed || before.order != after.order || before.publishes != after.publishes {
                Change::Changed
            } else {
                Change::Unchanged
            }
        }
    };
    ServerChanges { change, components }
}

/// The parts of a component that change. The recipients of a secret are not included, because they are a matter of
/// rights.
fn differences(before: &PlannedComponent, after: &PlannedComponent) -> Vec<String> {
    let mut what = recipe_differences(&before.recipe, &after.recipe);
    let mut note = |differs: bool, name: &str| {
        if differs {
            what.push(name.to_owned());
        }
    };
    note(before.recipe.teardown != after.recipe.teardown, "teardown");
    note(before.recipe.deadline != after.recipe.deadline, "deadline");
    note(before.recipe.wait != after.recipe.wait, "wait");
    note(before.after != after.after, "order");
    let inputs: IndexSet<_> = after.inputs.keys().chain(before.inputs.keys()).collect();
    for name in inputs {
        note(before.inputs.get(name) != after.inputs.get(name), &format!("input `{name}`"));
    }
    let outputs: IndexSet<_> = after.outputs.keys().chain(before.outputs.keys()).collect();
    for name in outputs {
        let of = |component: &PlannedComponent| {
            component
                .outputs
                .get(name)
                .map(|output| (output.declared.ty.clone(), output.declared.path.clone(), output.declared.early))
        };
        note(of(before) != of(after), &format!("output `{name}`"));
    }
    let requirements: IndexSet<_> = after.requires.keys().chain(before.requires.keys()).collect();
    for name in requirements {
        // The location of a requirement does not matter.
        let of = |component: &PlannedComponent| {
            component.requires.get(name).map(|required| (required.predicate.clone(), required.because.clone()))
        };
        note(of(before) != of(after), &format!("requirement `{name}`"));
    }
    what
}

fn delta<T: fmt::Display + std::hash::Hash + Eq>(
    before: impl Iterator<Item = T>,
    after: impl Iterator<Item = T>,
) -> Delta {
    let (before, after): (IndexSet<T>, IndexSet<T>) = (before.collect(), after.collect());
    Delta {
        added: after.difference(&before).map(ToString::to_string).collect(),
        gone: before.difference(&after).map(ToString::to_string).collect(),
    }
}

fn entries(layout: &Layout, present: &Present, wanted: &Wanted) -> Delta {
    let top = format!("{}/", layout.entries());
    // The levels above are `SERVER` and `SERVER/COMPONENT`.
    let is_entry = |name: &&str| name.split('/').count() == 3;
    let mut before: Vec<&str> =
        present.paths.iter().filter_map(|path| path.strip_prefix(&top)).filter(is_entry).collect();
    before.sort_unstable();
    delta(before.into_iter(), wanted.entries.keys().map(|name| &**name))
}

/// Compares recipes by path. A file with new contents counts as added under the same path.
fn recipes(present: &Present, wanted: &Wanted) -> Delta {
    fn files<'p>(plans: impl Iterator<Item = &'p ServerPlan>) -> IndexMap<&'p str, &'p str> {
        let components = plans.flat_map(|plan| plan.components.values());
        components
            .flat_map(|component| &component.recipe.files)
            .map(|(path, digest)| (digest.as_str(), &**path))
            .collect()
    }
    let (before, after) = (files(present.plans.values()), files(wanted.plans.values()));
    let added = after.iter().filter(|(digest, _)| !before.contains_key(*digest));
    let gone = before.iter().filter(|(digest, _)| !after.contains_key(*digest));
    Delta {
        added: added.map(|(_, path)| (*path).to_owned()).collect(),
        gone: gone.map(|(_, path)| (*path).to_owned()).collect(),
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "+",
            Self::Changed => "~",
            Self::Gone => "-",
            Self::Unchanged => "=",
        })
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            Some(from) if from == self.to => writeln!(f, "stack `{}`: revision {from}, unchanged", self.stack)?,
            Some(from) => writeln!(f, "stack `{}`: revision {from} -> {}", self.stack, self.to)?,
            None => writeln!(f, "stack `{}`: new, revision {}", self.stack, self.to)?,
        }
        let mut unchanged = 0;
        for (name, server) in &self.servers {
            if server.change == Change::Unchanged {
                unchanged += server.components.len();
                continue;
            }
            writeln!(f, "{} {name}", server.change)?;
            for (name, component) in &server.components {
                match (component.change, component.what.as_slice()) {
                    (Change::Unchanged, _) => unchanged += 1,
                    (change, []) => writeln!(f, "  {change} {name}")?,
                    (change, what) => writeln!(f, "  {change} {name}: {}", what.join(", "))?,
                }
            }
        }
        if unchanged > 0 {
            writeln!(f, "= {unchanged} component{} unchanged", if unchanged == 1 { "" } else { "s" })?;
        }
        let mut delta = |what: &str, delta: &Delta| {
            let (added, gone) = (delta.added.len(), delta.gone.len());
            if added + gone > 0 { writeln!(f, "{what}: {added} new, {gone} gone") } else { Ok(()) }
        };
        delta("entries", &self.entries)?;
        delta("files of recipes", &self.recipes)?;
        delta("exports", &self.exports)?;
        let mut names = |what: &str, names: &[String]| {
            if names.is_empty() {
                Ok(())
            } else {
                writeln!(f, "{what}: {}", list(names.iter().map(String::as_str), "and"))
            }
        };
        names("changed values of exports", &self.exports_changed)?;
        names("changed rights", &self.rights)?;
        names("new credentials", &self.credentials)?;
        names("admitted with keys of their own", &self.admitted)?;
        names("passwords for another authority", &self.passwords)?;
        names("torn down, and without rights", &self.forgotten)?;
        for tampered in &self.tampered {
            writeln!(f, "not as the operator wrote it: {tampered}")?;
        }
        if !self.tampered.is_empty() {
            writeln!(f, "`wattle seed apply DIR --restore` rewrites everything")?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}
