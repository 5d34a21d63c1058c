//! A partial placement: the hosts of servers, the loads of hosts, and the effect of a change.

use super::instance::{Instance, OVERFLOW};

/// On no host.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The weight of a server without a host.
const UNPLACED: i64 = 100 * OVERFLOW;

/// The weight of each server that violates a policy.
const BROKEN: i64 = 2 * OVERFLOW;

/// The measure of a placement: its violations and its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Worth {
    /// How far it is from a valid placement; 0 if it is one.
    pub(super) wrong: i64,
    /// Its cost.
    pub(super) cost: i64,
}

impl std::ops::Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wrong: self.wrong + other.wrong, cost: self.cost + other.cost }
    }
}

/// A partial placement.
#[derive(Clone)]
pub(super) struct State<'i> {
    pub(super) of: &'i Instance,
    /// The host of each server.
    pub(super) on: Vec<u32>,
    load: Vec<i64>,
    /// How many of each group are in each place of its level.
    counts: Vec<Vec<u32>>,
    pub(super) worth: Worth,
}

impl<'i> State<'i> {
    /// A state in which no server is placed.
    pub(super) fn new(of: &'i Instance) -> Self {
        let servers = i64::try_from(of.servers).unwrap_or(i64::MAX);
        let mut worth = Worth { wrong: servers * UNPLACED, cost: 0 };
        // A group may be in one place, so its first place is not one too many.
        for group in of.groups.iter().filter(|group| !group.is_apart) {
            match group.weight {
                None => worth.wrong -= BROKEN,
                Some(weight) => worth.cost -= weight,
            }
        }
        Self {
            of,
            on: vec![NOWHERE; of.servers],
            load: vec![0; of.hosts * of.resources],
            counts: of.groups.iter().map(|group| vec![0; of.within[group.level].len()]).collect(),
            worth,
        }
    }

    /// By how much a host's overflow changes if a server is added (`sign` 1) or removed (-1).
    fn overflow(&self, host: u32, server: usize, sign: i64) -> i64 {
        let of = self.of;
        let first = host as usize * of.resources;
        let mut sum = 0;
        for (resource, asks) in of.asks(server).iter().enumerate() {
            let load = self.load[first + resource];
            let free = of.free[first + resource];
            let (before, after) = ((load - free).max(0), (load + sign * asks - free).max(0));
            sum = of.scale[resource].saturating_mul(after - before).saturating_add(sum);
        }
        sum
    }

    /// Whether a host has room for a server.
    pub(super) fn has_room(&self, host: u32, server: usize) -> bool {
        let (of, first) = (self.of, host as usize * self.of.resources);
        of.asks(server).iter().enumerate().all(|(one, asks)| self.load[first + one] + asks <= of.free[first + one])
    }

    /// How much of a host would be left, weighted over all resources: the smaller, the better the fit.
    pub(super) fn slack(&self, host: u32, server: usize) -> i64 {
        let (of, first) = (self.of, host as usize * self.of.resources);
        let left = of.asks(server).iter().enumerate().map(|(one, asks)| {
            let left = of.free[first + one] - self.load[first + one] - asks;
            left.clamp(-(1 << 40), 1 << 40) * of.scale[one]
        });
        left.fold(0, i64::saturating_add)
    }

    /// Whether the demand on a host exceeds its capacity.
    pub(super) fn is_overfull(&self, host: u32) -> bool {
        let first = host as usize * self.of.resources;
        (0..self.of.resources).any(|one| self.load[first + one] > self.of.free[first + one])
    }

    /// Whether a server is on no host, or violates a required group.
    pub(super) fn is_breaking(&self, server: usize) -> bool {
        let (of, host) = (self.of, self.on[server]);
        host == NOWHERE
            || of.groups_of[server].iter().any(|group| {
                let about = &of.groups[*group as usize];
                let place = of.at[about.level][host as usize] as usize;
                let here = self.counts[*group as usize][place] as usize;
                about.weight.is_none()
                    && if about.is_apart { here > about.most as usize } else { here < about.members.len() }
            })
    }

    /// How the worth would change if a server moved to a host.
    pub(super) fn change(&self, server: usize, to: u32) -> Worth {
        let (of, from) = (self.of, self.on[server]);
        let mut all = Worth::default();
        if from == to {
            return all;
        }
        if from == NOWHERE {
            all.wrong -= UNPLACED;
        } else {
            all.wrong += self.overflow(from, server, -1);
        }
        if to == NOWHERE {
            all.wrong += UNPLACED;
        } else {
            all.wrong += self.overflow(to, server, 1);
        }
        for group in &of.groups_of[server] {
            let (about, counts) = (&of.groups[*group as usize], &self.counts[*group as usize]);
            let places = &of.at[about.level];
            let (from, to) = (places.get(from as usize), places.get(to as usize));
            if from == to {
                continue;
            }
            let mut broken = 0;
            let is_apart = about.is_apart;
            if let Some(from) = from {
                let here = counts[*from as usize];
                broken -= i64::from(if is_apart { here > about.most } else { here == 1 });
            }
            if let Some(to) = to {
                let there = counts[*to as usize];
                broken += i64::from(if is_apart { there >= about.most } else { there == 0 });
            }
            match about.weight {
                None => all.wrong += broken * BROKEN,
                Some(weight) => all.cost += broken * weight,
            }
        }
        for (mask, weight) in &of.wishes[server] {
            let misses = |host: u32| host != NOWHERE && !of.masks[*mask][host as usize];
            all.cost += weight * (i64::from(misses(to)) - i64::from(misses(from)));
        }
        for (other, bandwidth) in &of.wires[server] {
            let there = self.on[*other as usize];
            let distance = |host: u32| if host == NOWHERE || there == NOWHERE { 0 } else { of.distance(host, there) };
            all.cost += bandwidth * (distance(to) - distance(from));
        }
        all
    }

    /// Moves a server.
    pub(super) fn shift(&mut self, server: usize, to: u32) {
        let change = self.change(server, to);
        self.worth = self.worth + change;
        let (of, from) = (self.of, self.on[server]);
        for (host, sign) in [(from, -1), (to, 1)] {
            if host == NOWHERE {
                continue;
            }
            let first = host as usize * of.resources;
            for (resource, asks) in of.asks(server).iter().enumerate() {
                self.load[first + resource] += sign * asks;
            }
            for group in &of.groups_of[server] {
                let place = of.at[of.groups[*group as usize].level][host as usize] as usize;
                let count = &mut self.counts[*group as usize][place];
                *count = count.wrapping_add_signed(if sign > 0 { 1 } else { -1 });
            }
        }
        self.on[server] = to;
    }
}
