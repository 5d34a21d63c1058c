//! Addresses for servers on one machine: within 127.0.0.0/8, all of which is this machine (RFC 1122, 3.2.1.3).
//!
//! Each `up` claims a block of 4,096 addresses, the same one each time unless it is taken. The owner of a block keeps a
//! socket bound to its first address, so the block is free again as soon as its owner is gone.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use wattle::model::{IndexMap, Name};

/// The number of blocks in 127.0.0.0/8.
const BLOCKS: u32 = 1 << 12;
/// The number of addresses in a block.
pub(super) const SIZE: u32 = 1 << 12;
/// The number of the last used address in a block: this machine's own among those of servers that have networks of
/// their own. The address before it is for testing such a network.
pub(super) const LAST: u32 = SIZE - 2;
/// 127.0.0.0/15 is left to others: localhost, resolvers, testbeds.
const RESERVED: u32 = (1 << 17) / SIZE;
/// The port of the socket that claims a block.
const PORT: u16 = 52_907;

/// A block of addresses that belongs to this process for as long as the value lives.
#[derive(Debug)]
pub(super) struct Block {
    first: u32,
    _claim: UdpSocket,
}

impl Block {
    /// Claims a block for the state at `path`: the one that contains `before`, if that is free.
    pub(super) fn claim(path: &Path, before: Option<Ipv4Addr>) -> io::Result<Self> {
        let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
        let wanted = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) % (BLOCKS - RESERVED) + RESERVED;
        let before = before.map(|address| (u32::from(address) >> 12) & (BLOCKS - 1));
        let others = (0..BLOCKS - RESERVED).map(|step| (wanted - RESERVED + step) % (BLOCKS - RESERVED) + RESERVED);
        let mut failure = None;
        for block in before.into_iter().chain(others) {
            let first = (127 << 24) | (block << 12);
            match UdpSocket::bind((Ipv4Addr::from(first + 1), PORT)) {
                Ok(claim) => return Ok(Self { first, _claim: claim }),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(failure.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
    }

    /// The first and the last assignable address.
    pub(super) fn ends(&self) -> (Ipv4Addr, Ipv4Addr) {
        (Ipv4Addr::from(self.first + 1), Ipv4Addr::from(self.first + LAST - 2))
    }

    /// Like [`assign`].
    pub(super) fn assign(&self, names: &[Name], before: &IndexMap<Name, Ipv4Addr>) -> Option<IndexMap<Name, Ipv4Addr>> {
        assign(self.first(), names, before)
    }

    /// The first address, which is not assigned.
    pub(super) fn first(&self) -> Ipv4Addr {
        Ipv4Addr::from(self.first)
    }
}

/// The first address of the block that contains `address`.
pub(super) fn block_of(address: Ipv4Addr) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(address) & !(SIZE - 1))
}

/// Assigns an address to each of `names` in the block that begins with `first`: the one in `before` if it is in this
/// block, or the first free one otherwise. `None` if there are too few.
pub(super) fn assign(
    first: Ipv4Addr,
    names: &[Name],
    before: &IndexMap<Name, Ipv4Addr>,
) -> Option<IndexMap<Name, Ipv4Addr>> {
    let kept = |name: &Name| before.get(name).filter(|address| block_of(**address) == first).copied();
    let mut taken: HashSet<Ipv4Addr> = names.iter().filter_map(kept).collect();
    let first = u32::from(first);
    // Addresses that end in 0 or 255 look like network or broadcast addresses.
    let mut free =
        (first + 1..first + LAST - 1).filter(|address| !matches!(address & 255, 0 | 255)).map(Ipv4Addr::from);
    let mut assigned = IndexMap::default();
    for name in names {
        let address = match kept(name) {
            Some(address) => address,
            None => free.find(|address| !taken.contains(address))?,
        };
        taken.insert(address);
        assigned.insert(name.clone(), address);
    }
    Some(assigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_blocks_at_a_time_are_different_ones() {
        let path = Path::new("/tmp/wattle-address-test");
        let (one, two) = (Block::claim(path, None).unwrap(), Block::claim(path, None).unwrap());
        assert_ne!(one.first, two.first);
        assert!(one.first >> 17 > 127 << 7, "{}", one.first());
    }

    #[test]
    fn addresses_stay() {
        let block = Block::claim(Path::new("/tmp/wattle-address-stay"), None).unwrap();
        let names: Vec<Name> = ["a", "b", "c"].map(Name::from).to_vec();
        let first = block.assign(&names[1..], &IndexMap::default()).unwrap();
        let second = block.assign(&names, &first).unwrap();
        assert_eq!(first["b"], second["b"]);
        assert_eq!(first["c"], second["c"]);
        assert!(!first.values().any(|address| *address == second["a"]));
        let many: Vec<Name> = (0..5000).map(|i| Name::from(format!("s{i}"))).collect();
        assert!(block.assign(&many, &IndexMap::default()).is_none());
        let many = block.assign(&many[..4000], &IndexMap::default()).unwrap();
        assert_eq!(many.values().collect::<HashSet<_>>().len(), 4000);
    }
}
