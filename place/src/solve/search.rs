//! Many small changes. Better ones are always accepted, worse ones only early on (simulated annealing).
//!
//! Intermediate placements may be invalid, at a price. The price rises while they are invalid and falls while they are
//! not. The best valid placement is kept.

use super::chance::Chance;
use super::instance::{Instance, OVERFLOW};
use super::state::{NOWHERE, State, Worth};

/// The weight of a cost of 1, large enough for prices of invalid placements to be whole numbers.
const COST: i64 = 1024;

/// The number of steps after which the price is adjusted.
const ROUND: u64 = 512;

pub(super) struct Search<'i> {
    of: &'i Instance,
    state: State<'i>,
    best: State<'i>,
    chance: Chance,
    /// The price of a server that overflows its host, in costs, times [`COST`].
    price: i64,
    /// By how much prices are larger than for small costs: an invalid placement must not be cheaper than a heavy wire.
    scale: i64,
    /// How much worse a change may be, times [`COST`].
    heat: i64,
    /// The groups that must or should be in one place.
    near: Vec<usize>,
    /// Logarithms of random numbers: `-ln` of a number between 0 and 1, times 1024.
    logarithms: Vec<i64>,
}

impl<'i> Search<'i> {
    pub(super) fn new(start: State<'i>, seed: u64) -> Self {
        let of = start.of;
        let near = (0..of.groups.len()).filter(|group| !of.groups[*group].is_apart).collect();
        #[expect(clippy::cast_possible_truncation, reason = "at most 8 times 1024")]
        let logarithms =
            (0..1024).map(|one| (-((f64::from(one) + 0.5) / 1024.0).ln() * 1024.0).round() as i64).collect();
        let (best, chance) = (start.clone(), Chance::new(seed));
        let scale = (of.costs().max().unwrap_or(0) / 16).max(1);
        Self { of, state: start, best, chance, price: 8 * COST * scale, scale, heat: 0, near, logarithms }
    }

    /// Takes this many steps and returns the best placement. Ends early if it is valid and without cost.
    pub(super) fn run(mut self, steps: u64, is_enough: &dyn Fn(Worth) -> bool) -> State<'i> {
        if self.of.servers == 0 || self.of.hosts == 0 {
            return self.best;
        }
        let hottest = self.hottest();
        for step in 0..steps {
            if step % ROUND == 0 {
                if is_enough(self.best.worth) {
                    break;
                }
                // The heat falls quadratically to zero.
                let left = i64::try_from(1024 - step * 1024 / steps).unwrap_or(0);
                self.heat = (hottest * left / 1024) * left / 1024;
                self.price = if self.state.worth.wrong > 0 { self.price * 5 / 4 } else { self.price * 4 / 5 };
                self.price = self.price.clamp(COST / 2, 4096 * COST * self.scale);
                if left < 512 && step % (ROUND * 64) == 0 && self.state.worth > self.best.worth {
                    self.state = self.best.clone();
                }
            }
            match self.chance.below(16) {
                0 if !self.near.is_empty() => self.gather(),
                0..8 => self.relocate(),
                _ => self.swap(),
            }
            if self.state.worth < self.best.worth {
                self.best = self.state.clone();
            }
        }
        self.best
    }

    /// Roughly the cost of a wire or a preference.
    fn hottest(&self) -> i64 {
        let wires: i64 = self.of.pairs.iter().map(|(_, _, bandwidth)| *bandwidth).sum();
        let count = i64::try_from(self.of.pairs.len().max(1)).unwrap_or(1);
        (wires * COST * 2 / count).max(COST * 4)
    }

    fn weigh(&self, change: Worth) -> i64 {
        let wrong = i128::from(change.wrong) * i128::from(self.price) / i128::from(OVERFLOW);
        let wrong = i64::try_from(wrong).unwrap_or(if wrong < 0 { i64::MIN / 4 } else { i64::MAX / 4 });
        wrong.saturating_add(change.cost.saturating_mul(COST))
    }

    fn is_taken(&mut self, change: Worth) -> bool {
        let weight = self.weigh(change);
        weight <= 0 || {
            let luck = *self.chance.of(&self.logarithms).unwrap_or(&0);
            weight < self.heat.saturating_mul(luck) / 1024
        }
    }

    /// A server: any, or one that is in the way.
    fn server(&mut self) -> usize {
        let any = self.chance.below(self.of.servers);
        if self.state.worth.wrong == 0 {
            return any;
        }
        // If something is wrong, briefly look for a server that is part of it.
        let mut found = any;
        for _ in 0..4 {
            let host = self.state.on[found];
            if host == NOWHERE || self.state.is_overfull(host) || self.state.is_breaking(found) {
                return found;
            }
            found = self.chance.below(self.of.servers);
        }
        any
    }

    /// A host for a server: any, or one near a server that it communicates with or must be near.
    fn host(&mut self, server: usize) -> Option<u32> {
        let of = self.of;
        if self.chance.below(2) == 0 {
            let wired = self.chance.of(&of.wires[server]).map(|(other, _)| *other);
            let grouped = self.chance.of(&of.groups_of[server]).map(|group| &of.groups[*group as usize]);
            let grouped =
                grouped.filter(|group| !group.is_apart).and_then(|group| self.chance.of(&group.members).copied());
            let other = if self.chance.below(2) == 0 { wired.or(grouped) } else { grouped.or(wired) };
            if let Some(there) = other.map(|other| self.state.on[other as usize]).filter(|host| *host != NOWHERE) {
                let level = self.chance.below(3);
                let place = of.at[level][there as usize] as usize;
                let host = self.chance.of(&of.within[level][place]).copied();
                return host.filter(|host| of.is_allowed(server, *host));
            }
        }
        // Of a few hosts, one with room.
        let mut found = None;
        for _ in 0..3 {
            let host = self.chance.of(of.open(server)).copied()?;
            found = Some(host);
            if self.state.has_room(host, server) {
                break;
            }
        }
        found
    }

    fn relocate(&mut self) {
        let server = self.server();
        let Some(host) = self.host(server) else { return };
        let change = self.state.change(server, host);
        if self.is_taken(change) {
            self.state.shift(server, host);
        }
    }

    fn swap(&mut self) {
        let (one, mut other) = (self.server(), self.chance.below(self.of.servers));
        // Half of the time, swap with a server near one that it should be close to.
        if self.chance.below(2) == 0
            && let Some((wired, _)) = self.chance.of(&self.of.wires[one]).copied()
            && self.state.on[wired as usize] != NOWHERE
        {
            let place = self.of.at[1][self.state.on[wired as usize] as usize];
            for _ in 0..8 {
                let host = self.state.on[other];
                if host != NOWHERE && self.of.at[1][host as usize] == place {
                    break;
                }
                other = self.chance.below(self.of.servers);
            }
        }
        let (here, there) = (self.state.on[one], self.state.on[other]);
        let fits = |server: usize, host: u32| host == NOWHERE || self.of.is_allowed(server, host);
        if here == there || !fits(one, there) || !fits(other, here) {
            return;
        }
        let before = self.state.worth;
        self.state.shift(one, there);
        self.state.shift(other, here);
        let change = Worth { wrong: self.state.worth.wrong - before.wrong, cost: self.state.worth.cost - before.cost };
        if !self.is_taken(change) {
            self.state.shift(other, there);
            self.state.shift(one, here);
        }
    }

    /// Moves all of a group into one place.
    fn gather(&mut self) {
        let of = self.of;
        let Some(group) = self.chance.of(&self.near).map(|group| &of.groups[*group]) else { return };
        let place = self.chance.below(of.within[group.level].len());
        let before = self.state.worth;
        let mut moved: Vec<(usize, u32)> = Vec::with_capacity(group.members.len());
        for member in &group.members {
            let server = *member as usize;
            let mut to = None;
            for _ in 0..4 {
                let host = self.chance.of(&of.within[group.level][place]).copied();
                let Some(host) = host.filter(|host| of.is_allowed(server, *host)) else { continue };
                to = Some(host);
                if self.state.has_room(host, server) {
                    break;
                }
            }
            if let Some(host) = to {
                moved.push((server, self.state.on[server]));
                self.state.shift(server, host);
            }
        }
        let change = Worth { wrong: self.state.worth.wrong - before.wrong, cost: self.state.worth.cost - before.cost };
        if !self.is_taken(change) {
            while let Some((server, host)) = moved.pop() {
                self.state.shift(server, host);
            }
        }
    }
}
