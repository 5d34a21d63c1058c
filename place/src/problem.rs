//! A placement problem: servers, policies, and which servers communicate.

use std::collections::BTreeSet;

use wattle_model::Source;
pub use wattle_model::placement::{PlacementRule, Strength};

use crate::cloud::Amounts;

/// The default weight of a preference: as much as a wire of 10 Mbit/s that crosses one more level.
pub const WEIGHT: u32 = 10;

/// The cost of each Mbit/s of a wire by what its ends have in common: a host, a rack, a room, a zone, nothing.
pub const DISTANCES: [i64; 5] = [0, 1, 2, 3, 4];

/// Servers, policies and wires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// The servers, each name once.
    pub servers: Vec<Server>,
    /// The policies for them.
    pub policies: Vec<Policy>,
    /// Pairs of servers that communicate.
    pub wires: Vec<Wire>,
}

/// A server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// The location of its definition.
    pub at: Source,
    /// Its demand.
    pub demand: Amounts,
    /// The traits that its host must have.
    pub traits: BTreeSet<String>,
    /// The availability zone that it must be in.
    pub zone: Option<String>,
    /// The host that it must be on.
    pub host: Option<String>,
    /// The host that it runs on. What the server asks for counts as used there already.
    pub runs_on: Option<String>,
    /// Whether it may leave that host, at the cost of [`WEIGHT`].
    pub moves: bool,
}

/// A policy for some servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Its rule.
    pub rule: PlacementRule,
    /// The servers that it applies to, each once, by their indexes in [`Problem::servers`].
    pub members: Vec<usize>,
    /// How many of them may be in one place if the rule keeps them apart: 1, unless a server group allows more.
    pub most: usize,
    /// Whether it must hold.
    pub strength: Strength,
    /// The location of its definition.
    pub at: Source,
    /// Its name in messages: `apart` of `a` and `b`, the server group `spread`.
    pub words: String,
}

/// Two servers that communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Their indexes in [`Problem::servers`].
    pub between: (usize, usize),
    /// Their bandwidth in Mbit/s. It weights the distance between them ([`DISTANCES`]).
    pub bandwidth: u32,
}

/// Why a problem is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A member of a policy, or an end of a wire, is not a server.
    NoServer,
    /// A server occurs twice among the members of a policy, or on both ends of a wire.
    Twice,
    /// Two servers have the same name.
    SameName(String),
}

impl Problem {
    /// Returns the first flaw of the problem, which is a bug in the code that built it.
    pub fn flaw(&self) -> Option<Flaw> {
        let mut names = BTreeSet::new();
        for server in &self.servers {
            if !names.insert(&server.name) {
                return Some(Flaw::SameName(server.name.clone()));
            }
        }
        let count = self.servers.len();
        let members = self.policies.iter().map(|policy| policy.members.clone());
        let ends = self.wires.iter().map(|wire| vec![wire.between.0, wire.between.1]);
        members.chain(ends).find_map(|all| {
            let distinct: BTreeSet<usize> = all.iter().copied().collect();
            if all.iter().any(|member| *member >= count) {
                Some(Flaw::NoServer)
            } else {
                (distinct.len() != all.len()).then_some(Flaw::Twice)
            }
        })
    }

    /// Pairs of policies that contradict each other in any cloud: both are required, and one keeps apart what the other
    /// brings together. They are in the order of the policies.
    pub fn contradictions(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (first, one) in self.policies.iter().enumerate() {
            for (second, other) in self.policies.iter().enumerate().skip(first + 1) {
                if one.contradicts(other) {
                    found.push((first, second));
                }
            }
        }
        found
    }
}

impl Policy {
    /// Whether both policies are required but can never hold together.
    pub fn contradicts(&self, other: &Self) -> bool {
        let common = self.members.iter().filter(|member| other.members.contains(member)).count();
        // As many of them as may be in one place are like one.
        let common = common.div_ceil(self.most.max(other.most).max(1));
        [self.strength, other.strength] == [Strength::Required; 2] && self.rule.contradicts(&other.rule, common)
    }
}
