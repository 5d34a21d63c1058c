//! The revision that is to be reached, written by `seed apply`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_agent_core::applying::There;
use wattle_agent_core::revision::Revision;
use wattle_agent_core::time::Time;

use crate::store::Principal;

/// The revision that is to be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Its number, from 1.
    pub revision: u64,
    /// The data space: when it was made, and something by chance. None for those of before they had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The digest of the seed.
    pub digest: String,
    /// The number that a `seed apply` under way works at: plans may already be of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applying: Option<u64>,
    /// Whom the store takes for the operator, who may read what agents make as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Principal>,
    /// Until when it counts for whoever has not been told of it yet; for ever in those of before anything was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// Which number each server's plan has: no other one goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Numbers>,
}

/// The numbers of all plans, in few bytes: most are the same after a first revision, and each agent reads them all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The number of most.
    pub most: u64,
    /// Other numbers, each with the servers that have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(u64, Vec<Name>)>,
}

impl Numbers {
    /// Of plans with their numbers.
    pub fn new<'n>(plans: impl Iterator<Item = (&'n Name, u64)>) -> Self {
        let mut all: BTreeMap<u64, Vec<Name>> = BTreeMap::new();
        for (server, number) in plans {
            all.entry(number).or_default().push(server.clone());
        }
        let most = all.iter().max_by_key(|(number, servers)| (servers.len(), **number)).map_or(0, |(most, _)| *most);
        all.remove(&most);
        Self { most, others: all.into_iter().collect() }
    }

    /// That of `server`'s plan.
    pub fn of(&self, server: &str) -> u64 {
        let others = self.others.iter().find(|(_, servers)| servers.iter().any(|other| **other == *server));
        others.map_or(self.most, |(number, _)| *number)
    }
}

impl Goal {
    /// The revision.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// What it says of who writes.
    pub fn there(&self) -> There {
        There { revision: self.revision, applying: self.applying }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_its_number() {
        let plans: Vec<(Name, u64)> = [("a", 3), ("b", 1), ("c", 3), ("d", 2)].map(|(s, n)| (s.into(), n)).into();
        let numbers = Numbers::new(plans.iter().map(|(server, number)| (server, *number)));
        assert_eq!(serde_json::to_string(&numbers).unwrap(), r#"{"most":3,"others":[[1,["b"]],[2,["d"]]]}"#);
        let read: Numbers = serde_json::from_str(r#"{"most":3,"others":[[1,["b"]],[2,["d"]]]}"#).unwrap();
        assert!(plans.iter().all(|(server, number)| read.of(server) == *number));
        assert_eq!(Numbers::new(std::iter::empty()), Numbers::default());
    }
}
