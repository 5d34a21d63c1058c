//! The desired revision, as `seed apply` writes it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_agent_core::applying::There;
use wattle_agent_core::revision::Revision;
use wattle_agent_core::time::Time;

use crate::store::Principal;

/// The desired revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesiredRevision {
    /// Its number, from 1.
    pub revision: u64,
    /// The name of the data space: the time of its creation and a random part. `None` for data spaces from before they
    /// had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The digest of the seed.
    pub digest: String,
    /// The number of the revision that a running `seed apply` writes. Plans may already be of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applying: Option<u64>,
    /// The operator as the store identifies it, who may also read what agents write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Principal>,
    /// When it expires for servers that have not seen it yet. `None` if it predates signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// The number of each server's plan. No other plan is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Numbers>,
}

/// The numbers of all plans in compact form: after a first revision most are the same, and every agent reads all of
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The most frequent number.
    pub most: u64,
    /// Other numbers, each with its servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(u64, Vec<Name>)>,
}

impl Numbers {
    /// Collects the numbers of plans.
    pub fn new<'n>(plans: impl Iterator<Item = (&'n Name, u64)>) -> Self {
        let mut all: BTreeMap<u64, Vec<Name>> = BTreeMap::new();
        for (server, number) in plans {
            all.entry(number).or_default().push(server.clone());
        }
        let most = all.iter().max_by_key(|(number, servers)| (servers.len(), **number)).map_or(0, |(most, _)| *most);
        all.remove(&most);
        Self { most, others: all.into_iter().collect() }
    }

    /// The number of `server`'s plan.
    pub fn of(&self, server: &str) -> u64 {
        let others = self.others.iter().find(|(_, servers)| servers.iter().any(|other| **other == *server));
        others.map_or(self.most, |(number, _)| *number)
    }
}

impl DesiredRevision {
    /// How long a desired revision is valid for servers that have not seen it yet.
    pub const COUNTS: Duration = Duration::from_hours(365 * 24);

    /// The revision that it requests.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// When the operator signed it. `None` if it has no expiry.
    pub fn since(&self) -> Option<Time> {
        let expires = SystemTime::from(self.expires?);
        expires.checked_sub(Self::COUNTS).map(Time::from)
    }

    /// Its information for writers.
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
