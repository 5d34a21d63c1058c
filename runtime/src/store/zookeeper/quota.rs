//! Quotas: what bounds how much a server makes below its place.
//!
//! ZooKeeper keeps the quota of the node `/a/b` in `/zookeeper/quota/a/b/zookeeper_limits`, and what it has counted beside that
//! (`org.apache.zookeeper.Quotas`, `StatsTrack`). Versions from 3.7 on refuse what is above a hard limit if they have
//! `enforceQuota=true`; older ones read past it. Everybody may write there, unless somebody has taken that right away.

use std::collections::HashSet;

use super::ZooKeeper;
use crate::store::bound::{MOST_BYTES, MOST_NODES};
use crate::store::{Access, Op, Store as _, StoreError, parent};

const QUOTAS: &str = "/zookeeper/quota";
const LIMITS: &str = "zookeeper_limits";
const STATS: &str = "zookeeper_stats";

/// What bounds a place: neither limit is a soft one, and the place itself is counted as well. The second `=` has versions before 3.7 read
/// past the hard ones.
fn limits() -> Vec<u8> {
    format!("count=-1,bytes=-1=;byteHardLimit={MOST_BYTES};countHardLimit={}", MOST_NODES + 1).into_bytes()
}

/// Nothing, which ZooKeeper replaces by what it counts.
const UNCOUNTED: &[u8] = b"count=0,bytes=0";

fn create(path: String, data: Vec<u8>) -> Op {
    Op::Create { path, data, access: Access::new() }
}

impl ZooKeeper {
    /// Bounds what is made below each of `places`, which stand below one node; whether it could.
    pub(super) async fn limit(&self, places: &[String]) -> Result<bool, StoreError> {
        let Some(above) = places.first().and_then(|place| parent(place)) else { return Ok(true) };
        let mut ops = Vec::new();
        let mut path = QUOTAS.to_owned();
        for name in above.split('/').skip(1) {
            let there = match self.children(&path).await {
                Ok(there) => there,
                error => return is_done(error.map(drop)),
            };
            path = format!("{path}/{name}");
            // Below what is to be made is nothing yet.
            if !ops.is_empty() || !there.iter().any(|there| there == name) {
                ops.push(create(path.clone(), Vec::new()));
            }
        }
        let there: HashSet<String> = match self.children(&path).await {
            Ok(there) => there.into_iter().collect(),
            error => return is_done(error.map(drop)),
        };
        for place in places {
            let name = &place[above.len() + 1..];
            let path = format!("{path}/{name}");
            if there.contains(name) {
                // Somebody was broken off, or has asked for something else: what is counted stays.
                ops.push(Op::Set { path: format!("{path}/{LIMITS}"), data: limits(), expected: None });
            } else {
                ops.push(create(path.clone(), Vec::new()));
                ops.push(create(format!("{path}/{LIMITS}"), limits()));
                ops.push(create(format!("{path}/{STATS}"), UNCOUNTED.to_vec()));
            }
        }
        is_done(self.apply(ops).await)
    }

    /// Removes the bounds of all that is below `top`; whether it could.
    pub(super) async fn unlimit(&self, top: &str) -> Result<bool, StoreError> {
        let mut level = vec![format!("{QUOTAS}{top}")];
        let mut found = Vec::new();
        while !level.is_empty() {
            let mut below = Vec::new();
            // Limits and counts have nothing below them.
            for path in level.iter().filter(|path| !path.ends_with(LIMITS) && !path.ends_with(STATS)) {
                match self.children(path).await {
                    Ok(names) => below.extend(names.into_iter().map(|name| format!("{path}/{name}"))),
                    error => return is_done(error.map(drop)),
                }
            }
            found.append(&mut level);
            level = below;
        }
        // Children first. What is not there at all has no children, and is no node.
        let is_there = found.len() > 1;
        let ops = found.into_iter().rev().map(|path| Op::Delete { path }).collect();
        if is_there { is_done(self.apply(ops).await) } else { Ok(true) }
    }
}

/// Whether it was done. That it may not be done, or that somebody does it at the same time, is no failure.
fn is_done(outcome: Result<(), StoreError>) -> Result<bool, StoreError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(
            StoreError::Denied { .. }
            | StoreError::Missing { .. }
            | StoreError::Exists { .. }
            | StoreError::NotEmpty { .. }
            | StoreError::Conflict { .. },
        ) => Ok(false),
        Err(error) => Err(error),
    }
}
