//! The destination of each resource: where it is deployed, otherwise the part of the server that it belongs to, or the
//! parent.
//!
//! Templates can only be created one after the other, so no chain of requirements may lead from a part through other parts
//! or the parent back to itself. If nothing is deployed, none does. But deployed resources may require each other since a
//! later change. In that case, new resources go where this is still possible; otherwise, as few as possible move to the
//! parent.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::shortest_cycles;

use super::super::RESERVED;
use super::super::dependence::dependents_first;
use super::super::hot::Template;
use super::super::places::{Place, Places};
use super::fill::{Load, Loads, Unit, digest};

/// Which servers need a resource, directly or not.
#[derive(Clone, Copy, PartialEq)]
enum Needed {
    Nobody,
    By(usize),
    BySeveral,
}

impl Needed {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, needed) | (needed, Self::Nobody) => needed,
            (Self::By(a), Self::By(b)) if a == b => self,
            _ => Self::BySeveral,
        }
    }
}

/// The server that a resource belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Home {
    /// Several servers or none. `late` if it needs something from a server.
    Parent { late: bool },
    /// This server alone. A server that no other one needs belongs to itself.
    With(usize),
}

/// The parts in which the resource itself, or what it requires directly or not, is deployed.
#[derive(Clone, Copy, PartialEq)]
enum Beneath {
    Nothing,
    One(u32),
    /// Several parts, or one part and the parent above it. Whatever requires this resource waits for parts.
    Several,
}

impl Beneath {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, beneath) | (beneath, Self::Nothing) => beneath,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Several,
        }
    }
}

/// What is known about a template's resources, each by its index there.
pub(super) struct Homes<'a> {
    whole: &'a Template,
    requires: &'a [Vec<usize>],
    /// An order in which each resource comes before those that it requires.
    order: Vec<usize>,
    needed: Vec<Needed>,
    home_of: Vec<Home>,
    /// Our own resources, which are in the parent.
    pinned: Vec<bool>,
    deployed: Vec<Option<Place>>,
    beneath: Vec<Beneath>,
    /// The number of resources of each stack that still exist.
    counts: BTreeMap<Place, usize>,
    /// Servers that must leave the stack in which they are deployed.
    evicted: Vec<bool>,
}

impl<'a> Homes<'a> {
    pub(super) fn of(whole: &'a Template, requires: &'a [Vec<usize>], deployed: &Places) -> Self {
        let order = dependents_first(requires);
        let (needed, home_of) = homes(whole, requires, &order);
        let pinned = whole.resources.keys().map(|name| name.starts_with(RESERVED)).collect();
        let deployed: Vec<_> = whole.resources.keys().map(|name| deployed.get(name)).collect();
        let mut counts = BTreeMap::new();
        deployed.iter().flatten().for_each(|place| *counts.entry(*place).or_default() += 1);
        let evicted = vec![false; requires.len()];
        let mut homes =
            Self { whole, requires, order, needed, home_of, pinned, deployed, beneath: Vec::new(), counts, evicted };
        homes.beneath = homes.beneath();
        homes
    }

    fn beneath(&self) -> Vec<Beneath> {
        let mut beneath = vec![Beneath::Nothing; self.requires.len()];
        for &index in self.order.iter().rev() {
            let below = self.requires[index].iter().fold(Beneath::Nothing, |all, &one| all.and(beneath[one]));
            beneath[index] = match (self.deployed[index], below) {
                (Some(Place::Nested(number)), below) => below.and(Beneath::One(number)),
                (Some(Place::Stack), Beneath::One(_)) => Beneath::Several,
                (_, below) => below,
            };
        }
        beneath
    }

    /// The servers that no other one needs.
    fn servers(&self) -> impl Iterator<Item = usize> {
        self.home_of.iter().enumerate().filter(|(index, home)| **home == Home::With(*index)).map(|(index, _)| index)
    }

    /// The destination of such a server. `None` if it depends on the available room.
    fn place(&self, server: usize) -> Option<Place> {
        if self.pinned[server] {
            return Some(Place::Stack);
        }
        if self.evicted[server] {
            return None;
        }
        self.deployed[server].or(match self.beneath[server] {
            Beneath::Nothing => None,
            Beneath::One(number) => Some(Place::Nested(number)),
            Beneath::Several => Some(Place::Stack),
        })
    }

    /// The servers that go where there is room, each with the new resources that go with it.
    pub(super) fn units(&self, sizes: &[usize]) -> Vec<Unit> {
        let unit = |server| {
            let (name, _) = self.whole.resources.get_index(server).expect("INVARIANT: a place in the template");
            (server, Unit { server, digest: digest(name), load: Load::default() })
        };
        let mut units: BTreeMap<usize, Unit> =
            self.servers().filter(|server| self.place(*server).is_none()).map(unit).collect();
        for (index, home) in self.home_of.iter().enumerate() {
            if let (Home::With(server), None) = (home, self.deployed[index])
                && let Some(unit) = units.get_mut(server)
            {
                unit.load.add(Load { resources: 1, bytes: sizes[index] });
            }
        }
        units.into_values().collect()
    }

    /// The size of each part without these servers.
    pub(super) fn loads(&self, sizes: &[usize]) -> Loads {
        let mut loads = Loads::new();
        for (index, home) in self.home_of.iter().enumerate() {
            let with = match home {
                Home::With(server) => self.place(*server),
                Home::Parent { .. } => None,
            };
            if let Some(place) = self.deployed[index].or(with) {
                loads.entry(place).or_default().add(Load { resources: 1, bytes: sizes[index] });
            }
        }
        loads
    }

    /// The destination of each resource, if these servers go to these parts.
    pub(super) fn places(&self, parts: &BTreeMap<usize, u32>) -> Vec<Place> {
        let mut places = vec![Place::Stack; self.requires.len()];
        for server in self.servers() {
            let part = || parts.get(&server).map_or(Place::Stack, |number| Place::Nested(*number));
            places[server] = self.place(server).unwrap_or_else(part);
        }
        for &index in self.order.iter().rev().filter(|index| self.home_of[**index] != Home::With(**index)) {
            places[index] = self.deployed[index].unwrap_or_else(|| self.undeployed(index, &places));
        }
        self.untangle(&mut places);
        places
    }

    /// The destination of a resource that is neither deployed nor one of the placed servers. Everything that it requires
    /// must have been placed.
    fn undeployed(&self, index: usize, places: &[Place]) -> Place {
        match (self.home_of[index], self.beneath[index]) {
            _ if self.pinned[index] => Place::Stack,
            (Home::With(server), _) => {
                // A resource that no server needs can wait for other parts in the parent, so that its own part does not
                // have to wait.
                let waits = |required: &usize| places[*required] != Place::Stack && places[*required] != places[server];
                let is_free = self.needed[index] == Needed::Nobody;
                if is_free && self.requires[index].iter().any(waits) { Place::Stack } else { places[server] }
            }
            (Home::Parent { .. }, Beneath::One(number)) if self.needed[index] != Needed::Nobody => {
                Place::Nested(number)
            }
            (Home::Parent { .. }, _) => Place::Stack,
        }
    }

    /// Moves resources out of parts until no chain of requirements leads from a part back to itself.
    fn untangle(&self, places: &mut [Place]) {
        let parts: BTreeSet<Place> = places.iter().copied().filter(|place| *place != Place::Stack).collect();
        let parts: HashMap<Place, usize> = parts.into_iter().zip(places.len()..).collect();
        let mut joined = vec![false; places.len()];
        loop {
            let node = |index: usize| parts.get(&places[index]).copied().unwrap_or(index);
            let all = self.requires.iter().enumerate();
            let all = all.flat_map(|(index, required)| required.iter().map(move |&required| (index, required)));
            let edges: Vec<(usize, usize)> = all.filter(|&(index, required)| node(index) != node(required)).collect();
            let nodes: Vec<(usize, usize)> =
                edges.iter().map(|&(index, required)| (node(index), node(required))).collect();
            let cycles = shortest_cycles(places.len() + parts.len(), &nodes);
            if cycles.is_empty() {
                return;
            }
            for cycle in cycles {
                if self.join(&cycle.iter().map(|edge| edges[*edge].1).collect::<Vec<_>>(), places, &mut joined) {
                    continue;
                }
                let required = cycle.iter().map(|edge| edges[*edge].1).filter(|one| places[*one] != Place::Stack);
                // Moving a resource that is not deployed loses nothing. A server takes others with it.
                let leaves = required.min_by_key(|&index| {
                    (self.deployed[index].is_some(), self.home_of[index] == Home::With(index), index)
                });
                match leaves {
                    Some(index) => places[index] = Place::Stack,
                    // A cycle within the whole template, which Heat refuses.
                    None => return,
                }
            }
        }
    }

    /// Moves the resources through which a chain leads from a part back to itself into that part, each at most once.
    /// Returns whether any moved. Resources deployed in the parent stay there.
    fn join(&self, cycle: &[usize], places: &mut [Place], joined: &mut [bool]) -> bool {
        let (over, within): (Vec<usize>, Vec<usize>) = cycle.iter().partition(|&&index| places[index] == Place::Stack);
        let Some(part) = within.first().map(|&index| places[index]) else { return false };
        let is_free = |&index: &usize| self.deployed[index].is_none() && !self.pinned[index] && !joined[index];
        let can = within.iter().all(|&index| places[index] == part) && over.iter().all(is_free);
        for &index in over.iter().filter(|_| can) {
            (places[index], joined[index]) = (part, true);
        }
        can && !over.is_empty()
    }

    /// Evicts servers from a stack that has more than `utmost` and more than it had before. Returns whether any must leave.
    pub(super) fn evict(&mut self, places: &[Place], loads: &Loads, utmost: Load, sizes: &[usize]) -> bool {
        let mut evicts = false;
        for (&place, &load) in loads {
            let was = self.counts.get(&place).copied().unwrap_or_default();
            let utmost = Load { resources: utmost.resources.max(was), ..utmost };
            if load.fits(utmost) {
                continue;
            }
            let mut along: BTreeMap<usize, Load> = BTreeMap::new();
            for (index, home) in self.home_of.iter().enumerate() {
                if let (Home::With(server), true) = (home, places[index] == place) {
                    along.entry(*server).or_default().add(Load { resources: 1, bytes: sizes[index] });
                }
            }
            let is_kept = |server: usize| self.place(server) == Some(place) && !self.pinned[server];
            let name = |server| self.whole.resources.get_index(server).map_or("", |(name, _)| &**name);
            let mut servers: Vec<usize> = along.keys().copied().filter(|server| is_kept(*server)).collect();
            servers.sort_by_cached_key(|server| digest(name(*server)));
            let mut load = load;
            while let Some(server) = servers.pop().filter(|_| !load.fits(utmost)) {
                load.remove(along[&server]);
                self.evicted[server] = true;
                evicts = true;
            }
        }
        for (index, home) in self.home_of.iter().enumerate() {
            if matches!(home, Home::With(server) if self.evicted[*server]) {
                self.deployed[index] = None;
            }
        }
        if evicts {
            self.beneath = self.beneath();
        }
        evicts
    }
}

/// The servers that need each resource, and the server that it belongs to.
fn homes(whole: &Template, requires: &[Vec<usize>], order: &[usize]) -> (Vec<Needed>, Vec<Home>) {
    let mut needed = vec![Needed::Nobody; requires.len()];
    for &index in order {
        if whole.resources[index].is_server() {
            needed[index] = if needed[index] == Needed::Nobody { Needed::By(index) } else { Needed::BySeveral };
        }
        for &required in &requires[index] {
            needed[required] = needed[required].and(needed[index]);
        }
    }
    let mut homes = vec![Home::Parent { late: false }; requires.len()];
    for &index in order.iter().rev() {
        homes[index] = match needed[index] {
            Needed::By(server) => Home::With(server),
            Needed::BySeveral => Home::Parent { late: false },
            Needed::Nobody => requires[index].iter().fold(Home::Parent { late: false }, |home, &required| {
                match (home, homes[required]) {
                    (home, Home::Parent { late: false }) => home,
                    (Home::Parent { late: false }, with) => with,
                    (Home::With(a), Home::With(b)) if a == b => home,
                    _ => Home::Parent { late: true },
                }
            }),
        };
    }
    (needed, homes)
}
