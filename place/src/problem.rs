//! What is to be placed: servers, policies, and which servers talk to each other.

use std::collections::BTreeSet;

use wattle_model::Source;
pub use wattle_model::placement::{Rule, Strength};

use crate::cloud::Amounts;

/// What a preference weighs of which nothing else is said: as much as a wire that crosses racks ten times.
pub const WEIGHT: u32 = 10;

/// What a wire costs by what its ends have in common: a host, a rack, a room, a zone, nothing.
pub const DISTANCES: [i64; 5] = [0, 1, 2, 3, 4];

/// Servers, policies and wires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// The servers, each name once.
    pub servers: Vec<Server>,
    /// What is said of them.
    pub policies: Vec<Policy>,
    /// Who talks to whom.
    pub wires: Vec<Wire>,
}

/// A server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub at: Source,
    /// What it asks of its host.
    pub demand: Amounts,
    /// What must be true of its host.
    pub traits: BTreeSet<String>,
    /// The availability zone that it must be in.
    pub zone: Option<String>,
    /// The host that it runs on, where what it asks for is used already.
    pub runs_on: Option<String>,
    /// Whether it may leave that host, for [`WEIGHT`].
    pub moves: bool,
}

/// What is said of some servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// What.
    pub rule: Rule,
    /// Of which servers, each once, by their places in [`Problem::servers`].
    pub members: Vec<usize>,
    /// Whether it must hold.
    pub strength: Strength,
    /// Where it is said.
    pub at: Source,
    /// How messages call it: `apart` of `a` and `b`, the server group `spread`.
    pub words: String,
}

/// Two servers that talk to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Their places in [`Problem::servers`].
    pub between: (usize, usize),
    /// How much they say: a weight of the distance between them ([`DISTANCES`]).
    pub bandwidth: u32,
}

/// Why a problem says nothing that could be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A member of a policy, or an end of a wire, that is no server.
    NoServer,
    /// A server twice among the members of a policy, or on both ends of a wire.
    Twice,
    /// Two servers of one name.
    SameName(String),
}

impl Problem {
    /// The first thing that is wrong with the indexes in it, which is a mistake of who made it.
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

    /// Pairs of policies that contradict each other whatever the cloud: both required, one keeping apart what the other brings
    /// together. In the order of the policies.
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
    /// Whether the two can never hold together, and both must.
    pub fn contradicts(&self, other: &Self) -> bool {
        let common = self.members.iter().filter(|member| other.members.contains(member)).count();
        [self.strength, other.strength] == [Strength::Required; 2] && self.rule.contradicts(&other.rule, common)
    }
}
