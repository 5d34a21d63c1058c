//! Compares the values that inputs are wired to: whether they certainly change.

use std::borrow::Cow;

use wattle_heat::evaluate::apply;

use crate::lower::Seed;
use crate::lower::seed::{Origin, SeedComponent, SeedDeclaration, Wire};
use crate::model::{IndexMap, Name, Value};

use super::state::State;

/// The result of comparing both sides of a value.
pub(super) enum Compared {
    /// The same.
    Same,
    /// Changed.
    Other,
    /// Perhaps changed.
    Perhaps,
}

/// One side: a seed with its parameters.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) seed: &'a Seed,
    pub(super) parameters: &'a IndexMap<Name, Value>,
    /// Whether functions of known values are computed.
    pub(super) computes: bool,
}

impl<'a> Side<'a> {
    pub(super) fn of(state: &'a State) -> Option<Self> {
        Some(Self { seed: state.seed.as_ref()?, parameters: &state.parameters, computes: true })
    }

    pub(super) fn component(&self, server: &str, name: &str) -> Option<(&'a SeedComponent, &'a SeedDeclaration)> {
        let component = self.seed.servers.get(server)?.components.get(name)?;
        Some((component, self.seed.declarations.get(&component.declaration)?))
    }

    /// The same side without computing functions: secrets are digests, from which functions cannot compute.
    pub(super) fn uncomputed(&self) -> Self {
        Self { computes: false, ..*self }
    }

    fn has_secret(&self, wire: &Wire) -> bool {
        let is_secret = |name| self.seed.parameters.get(name).is_some_and(|parameter| parameter.ty.is_secret());
        wire.leaves().filter_map(Origin::parameter).any(is_secret)
    }

    fn parameter(&self, name: &str) -> Option<&'a Value> {
        self.parameters.get(name).or_else(|| self.seed.parameters.get(name)?.default.as_ref())
    }
}

/// A wire with the known values of its parameters; those that are known on only one side stay. Lists and maps are in
/// canonical form; text keeps its parts, since a changed value in one of them certainly changes the text.
pub(super) fn resolved(wire: &Wire, own: &Side<'_>, other: &Side<'_>) -> Wire {
    wire.replace(&mut |part| match part {
        Wire::Leaf(Origin::Parameter(name)) => {
            let is_known = !other.seed.parameters.contains_key(name) || other.parameter(name).is_some();
            own.parameter(name).filter(|_| is_known).cloned().map(Wire::Constant)
        }
        Wire::List(parts) => Some(Wire::list(parts.iter().map(|part| resolved(part, own, other)))),
        Wire::Map(parts) => {
            Some(Wire::map(parts.iter().map(|(name, part)| (name.clone(), resolved(part, own, other)))))
        }
        Wire::Function { name, argument } => {
            let computes = own.computes && !own.has_secret(argument);
            let argument = resolved(argument, own, other);
            let known = argument.constant().filter(|_| computes).and_then(|argument| apply(name, argument).ok());
            Some(known.map_or_else(|| Wire::Function { name: name.clone(), argument: Box::new(argument) }, Wire::from))
        }
        Wire::Constant(_) | Wire::Leaf(_) | Wire::Text(_) => None,
    })
}

/// The value, if no part of it is known only at run time.
fn closed(wire: &Wire) -> Option<Value> {
    wire.evaluate(&mut |_| Err(()), &mut |_, _| Err(())).ok()
}

/// The number of constants that differ between wires that are otherwise alike; `None` if they are not.
fn constants(before: &Wire, after: &Wire) -> Option<usize> {
    let all = |before: &[Wire], after: &[Wire]| {
        if before.len() != after.len() {
            return None;
        }
        before.iter().zip(after).map(|(before, after)| constants(before, after)).sum()
    };
    match (before, after) {
        (Wire::Constant(before), Wire::Constant(after)) => Some(usize::from(before != after)),
        (Wire::Text(before), Wire::Text(after)) | (Wire::List(before), Wire::List(after)) => all(before, after),
        (Wire::Map(before), Wire::Map(after)) if before.len() == after.len() => {
            before.iter().map(|(name, part)| constants(part, after.get(name)?)).sum()
        }
        (before, after) => (before == after).then_some(0),
    }
}

pub(super) fn compare(before: &Wire, after: &Wire) -> Compared {
    if before == after {
        return Compared::Same;
    }
    if let Some((before, after)) = closed(before).zip(closed(after)) {
        return if before == after { Compared::Same } else { Compared::Other };
    }
    match (&*parts(before), &*parts(after)) {
        (Wire::List(before), Wire::List(after)) if before.len() == after.len() => {
            all(before.iter().zip(after).map(|(before, after)| compare(before, after)))
        }
        (Wire::Map(before), Wire::Map(after))
            if before.len() == after.len() && before.keys().all(|name| after.contains_key(name)) =>
        {
            all(before.iter().map(|(name, part)| compare(part, &after[name])))
        }
        // Different lengths, or different names.
        (Wire::List(_), Wire::List(_)) | (Wire::Map(_), Wire::Map(_)) => Compared::Other,
        (before, after) => match constants(before, after) {
            Some(0) => Compared::Same,
            Some(1) => Compared::Other,
            _ => Compared::Perhaps,
        },
    }
}

/// The parts of a list or a map that is known as a whole.
fn parts(wire: &Wire) -> Cow<'_, Wire> {
    match wire {
        Wire::Constant(Value::List(items)) => {
            Cow::Owned(Wire::List(items.iter().cloned().map(Wire::Constant).collect()))
        }
        Wire::Constant(Value::Map(items)) => {
            let items = items.iter().map(|(name, item)| (name.clone(), Wire::Constant(item.clone())));
            Cow::Owned(Wire::Map(items.collect()))
        }
        other => Cow::Borrowed(other),
    }
}

fn all(parts: impl Iterator<Item = Compared>) -> Compared {
    let mut found = Compared::Same;
    for part in parts {
        match part {
            Compared::Other => return Compared::Other,
            Compared::Perhaps => found = Compared::Perhaps,
            Compared::Same => {}
        }
    }
    found
}
