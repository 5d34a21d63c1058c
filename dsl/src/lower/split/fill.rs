//! The assignment of servers to parts.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::super::places::Place;

/// The size of a stack's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) resources: usize,
    pub(super) bytes: usize,
}

impl Load {
    pub(super) fn add(&mut self, other: Self) {
        self.resources += other.resources;
        self.bytes += other.bytes;
    }

    pub(super) fn remove(&mut self, other: Self) {
        self.resources = self.resources.saturating_sub(other.resources);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }

    pub(super) fn fits(self, most: Self) -> bool {
        self.resources <= most.resources && self.bytes <= most.bytes
    }

    fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }
}

/// The size of each stack's content.
pub(super) type Loads = BTreeMap<Place, Load>;

/// A server that must go into a part, with everything that goes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    /// Its index in the template.
    pub(super) server: usize,
    pub(super) digest: u64,
    pub(super) load: Load,
}

/// The number by which a server's part is chosen: 64 bits of the digest of its name.
pub(super) fn digest(name: &str) -> u64 {
    let digest = Sha256::digest(name);
    digest.iter().take(8).fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

/// The part of each unit, by its server. It is determined by the digests of the servers' names alone.
///
/// This is extendible hashing (Fagin, Nievergelt, Pippenger and Strong, 1979). A part has the units whose digests end
/// in the same bits, and a part that is too full gives those with one more bit in common to another part. So a unit
/// that comes or goes does not change the part of any other unit, except when its part becomes too full or fits
/// together with its sibling again.
pub(super) fn by_digest(units: &[Unit], most: Load) -> BTreeMap<usize, u32> {
    let mut parts = BTreeMap::new();
    let mut open = vec![(units.to_vec(), 0_u32, 0_u32)];
    while let Some((units, suffix, bits)) = open.pop() {
        let load = units.iter().fold(Load::default(), |load, unit| load.with(unit.load));
        // Units with that many bits in common have the same digest, or almost.
        if load.fits(most) || units.len() < 2 || bits == 31 {
            parts.extend(units.into_iter().map(|unit| (unit.server, suffix + 1)));
            continue;
        }
        let (others, stay): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| unit.digest >> bits & 1 == 1);
        open.push((stay, suffix, bits + 1));
        open.push((others, suffix | 1 << bits, bits + 1));
    }
    parts
}

/// The part of each unit, by its server, given what is deployed: a part with room, or otherwise a new one.
pub(super) fn beside(units: &[Unit], deployed: &Loads, most: Load) -> BTreeMap<usize, u32> {
    let deployed = deployed.iter().filter_map(|(place, load)| match place {
        Place::Nested(number) => Some((*number, *load)),
        Place::Stack => None,
    });
    let mut loads: BTreeMap<u32, Load> = deployed.collect();
    // The parts that may have room.
    let mut open: Vec<u32> = loads.keys().copied().collect();
    let mut next = 1;
    let mut units = units.to_vec();
    // This order does not depend on the order of the model.
    units.sort_unstable_by_key(|unit| (unit.digest, unit.server));
    let mut parts = BTreeMap::new();
    for unit in units {
        open.retain(|number| loads[number].resources < most.resources);
        let with_room = open.iter().copied().filter(|number| loads[number].with(unit.load).fits(most));
        // The highest of random weights (rendezvous hashing). A server that is added again gets its old part, if there is
        // room.
        let part = with_room.max_by_key(|number| mixed(unit.digest ^ mixed(u64::from(*number)))).unwrap_or_else(|| {
            while loads.contains_key(&next) {
                next += 1;
            }
            open.push(next);
            next
        });
        loads.entry(part).or_default().add(unit.load);
        parts.insert(unit.server, part);
    }
    parts
}

/// The mixing function of `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Load = Load { resources: 249, bytes: usize::MAX };

    /// A server with two resources.
    fn unit(server: usize) -> Unit {
        Unit { server, digest: digest(&format!("server{server}")), load: Load { resources: 2, bytes: 100 } }
    }

    fn loads(parts: &BTreeMap<usize, u32>) -> BTreeMap<u32, usize> {
        let mut loads = BTreeMap::new();
        parts.values().for_each(|part| *loads.entry(*part).or_default() += 2);
        loads
    }

    #[test]
    fn by_digest_one_server_more_moves_at_most_what_is_in_its_part() {
        let mut units: Vec<Unit> = Vec::new();
        let mut before = BTreeMap::new();
        let (mut splits, mut moved) = (0, 0);
        for server in 0..2_000 {
            units.insert(units.len() / 2, unit(server));
            let after = by_digest(&units, MOST);
            assert!(loads(&after).values().all(|load| *load <= 249));
            let elsewhere = before.iter().filter(|(server, part)| after[*server] != **part).count();
            assert!(elsewhere < 124, "{server}: {elsewhere}");
            splits += usize::from(elsewhere > 0);
            moved += elsewhere;
            before = after;
        }
        let parts = loads(&before).len();
        // Each part except the first one came from a split.
        assert_eq!(splits, parts - 1);
        assert!(parts < 32 && moved < 2_000, "{parts} parts, {moved} servers moved while 2,000 came");
    }

    #[test]
    fn beside_what_is_deployed_there_is_room_or_a_new_part() {
        let deployed = [(Place::Stack, 100), (Place::Nested(1), 248), (Place::Nested(3), 240)];
        let deployed: Loads =
            deployed.map(|(place, resources)| (place, Load { resources, bytes: 0 })).into_iter().collect();
        let units: Vec<Unit> = (0..10).map(unit).collect();
        let parts = beside(&units, &deployed, MOST);
        assert_eq!(loads(&parts), BTreeMap::from([(2, 12), (3, 8)]));
        let backwards: Vec<Unit> = units.into_iter().rev().collect();
        assert_eq!(beside(&backwards, &deployed, MOST), parts);
    }

    #[test]
    fn what_fits_nowhere_has_a_part_of_its_own() {
        let large = |server| Unit { load: Load { resources: 300, bytes: 0 }, ..unit(server) };
        let units = [large(0), unit(1), large(2)];
        let of = |parts: BTreeMap<usize, u32>| parts.into_values().collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!((of(by_digest(&units, MOST)), of(beside(&units, &Loads::new(), MOST))), (3, 3));
    }
}
