//! The desired states of a history: small targets, each derived from the previous one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle_converge::{Effect, Known, Target, Wanted};
use wattle_model::{Name, Value};

use super::chance::Chance;

/// How a resource uses a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is only ordered after it.
    After,
    /// The dependency's name in the cloud is a property that cannot be changed in place.
    Fixed,
    /// The dependency's name in the cloud is a property that can be changed.
    Free,
    /// The dependency's attribute is a property that can be changed.
    Attribute,
    /// The dependency's attribute appears in this one's.
    Shown,
}

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resource {
    pub(crate) fixed: u64,
    pub(crate) free: u64,
    /// A value, and the effect of a different one in this desired state.
    pub(crate) varies: (u64, Effect),
    pub(crate) uses: BTreeMap<usize, Use>,
    pub(crate) exclusive: BTreeSet<usize>,
    /// Whether it takes turns with others at its creation.
    pub(crate) takes_turns: bool,
    pub(crate) drains: bool,
}

/// A desired state: resources by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wish(pub(crate) BTreeMap<usize, Resource>);

const NAMES: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];
const EXCLUSIVE: [&str; 3] = ["x", "y", "z"];

pub(crate) fn name(place: usize) -> Name {
    NAMES[place].into()
}

/// Whether a desired state may request that a different varying value is only recorded. Then the thing itself does not
/// show whether it is in its wanted state.
pub(crate) fn may_be_noted(name: &str) -> bool {
    matches!(name, "A" | "D")
}

impl Wish {
    /// A new desired state that keeps much of this one. `shows` is whether attributes may show those of others.
    pub(crate) fn next(&self, chance: &mut Chance, size: usize, shows: bool) -> Self {
        if chance.once_in(16) {
            return Self::default();
        }
        // Dependencies go from later to earlier in an order that sometimes changes, so that they are reversed.
        let mut order: Vec<usize> = (0..size).collect();
        if chance.once_in(3) {
            for place in (1..size).rev() {
                order.swap(place, chance.index(place + 1));
            }
        }
        let mut wish = BTreeMap::new();
        for (at, place) in order.iter().copied().enumerate() {
            if chance.once_in(6) {
                continue;
            }
            let former = self.0.get(&place).cloned();
            let mut next = former.filter(|_| !chance.once_in(8)).unwrap_or_else(|| Resource {
                fixed: chance.below(2),
                free: chance.below(2),
                varies: (0, Effect::InPlace),
                uses: BTreeMap::new(),
                exclusive: BTreeSet::new(),
                takes_turns: chance.once_in(3),
                drains: chance.once_in(8),
            });
            if chance.once_in(4) {
                next.fixed = chance.below(3);
            }
            if chance.once_in(3) {
                next.free = chance.below(4);
            }
            if chance.once_in(4) {
                let kinds = [Effect::Replace, Effect::InPlace, Effect::Noted];
                next.varies = (chance.below(2), kinds[chance.index(if may_be_noted(&name(place)) { 3 } else { 2 })]);
            }
            let earlier: BTreeSet<usize> =
                order[..at].iter().copied().filter(|place| wish.contains_key(place)).collect();
            next.uses.retain(|place, _| earlier.contains(place));
            for place in earlier {
                if chance.once_in(4) {
                    let uses = [Use::After, Use::Fixed, Use::Free, Use::Attribute, Use::Shown];
                    next.uses.insert(place, uses[chance.index(if shows { 5 } else { 4 })]);
                }
            }
            next.exclusive.clear();
            wish.insert(place, next);
        }
        // What is held exclusively mostly stays where it was.
        for exclusive in 0..EXCLUSIVE.len() {
            let had =
                self.0.iter().find(|(_, resource)| resource.exclusive.contains(&exclusive)).map(|(place, _)| *place);
            let has = if chance.once_in(3) { Some(chance.index(size)) } else { had };
            if let Some(resource) = has.and_then(|place| wish.get_mut(&place)) {
                resource.exclusive.insert(exclusive);
            }
        }
        Self(wish)
    }

    /// The same desired state, but two resources need the same exclusively, so that it cannot be reached.
    pub(crate) fn clashing(&self) -> Self {
        let mut wish = self.clone();
        let held = wish.0.values().find_map(|resource| resource.exclusive.first().copied());
        if let Some(held) = held {
            for resource in wish.0.values_mut() {
                resource.exclusive.insert(held);
            }
        }
        wish
    }

    /// The wanted state of a resource, given the things that stand for its dependencies.
    pub(crate) fn wanted<'a>(
        &self,
        place: usize,
        thing: impl Fn(usize) -> Option<(&'a str, u64)>,
    ) -> Result<Wanted, String> {
        let resource = &self.0[&place];
        let (mut fixed, mut free) = (resource.fixed.to_string(), resource.free.to_string());
        let (mut refs, mut visible, mut shows) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (dependency, uses) in &resource.uses {
            let (phys, attribute) = thing(*dependency).ok_or_else(|| format!("nothing stands for {dependency}"))?;
            match uses {
                Use::After => continue,
                Use::Fixed => fixed += &format!(" {dependency}={phys}"),
                Use::Free => free += &format!(" {dependency}={phys}"),
                Use::Attribute => free += &format!(" {dependency}.a={attribute}"),
                Use::Shown => {
                    free += &format!(" {dependency}~{phys}");
                    shows.insert(name(*dependency));
                    visible.push(phys.to_owned());
                }
            }
            if *uses != Use::Attribute {
                refs.push(phys.to_owned());
            }
        }
        let exclusive: BTreeSet<Name> = resource.exclusive.iter().map(|place| EXCLUSIVE[*place].into()).collect();
        let properties = [
            ("fixed", Value::from(fixed.as_str())),
            ("free", Value::from(free.as_str())),
            ("a", Value::from(resource.free)),
            ("v", Value::from(resource.varies.0.to_string().as_str())),
            ("varies", Value::from(format!("{:?}", resource.varies.1).as_str())),
            ("refs", Value::from(refs)),
            ("shown", Value::from(visible)),
            ("holds", Value::List(exclusive.iter().cloned().map(Value::Str).collect())),
        ];
        Ok(Wanted {
            kind: "thing".into(),
            fixed: fixed.into(),
            free: free.into(),
            varying: BTreeMap::from([("v".into(), (resource.varies.0.to_string().into(), resource.varies.1))]),
            shows,
            exclusive,
            turns: resource.takes_turns.then(|| "a turn".into()).into_iter().collect(),
            drains: resource.drains,
            corrects: false,
            patience: None,
            properties: Value::Map(properties.into_iter().map(|(key, value)| (key.into(), value)).collect()),
        })
    }

    pub(crate) fn target(&self) -> Arc<dyn Target> {
        Arc::new(self.clone())
    }
}

impl Target for Wish {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let requires = |resource: &Resource| resource.uses.keys().map(|place| name(*place)).collect();
        self.0.iter().map(|(place, resource)| (name(*place), requires(resource))).collect()
    }

    fn resolve(&self, wanted: &str, known: &Known<'_>) -> Result<Wanted, String> {
        let place = NAMES.iter().position(|name| *name == wanted).ok_or("nobody knows it")?;
        self.wanted(place, |place| {
            let thing = known.thing(NAMES[place])?;
            let Some(Value::Integer(attribute)) = thing.attributes.get("a") else { return None };
            Some((&*thing.phys, u64::try_from(*attribute).ok()?))
        })
    }
}
