//! Quotas, which limit how much a server creates below its place.
//!
//! ZooKeeper keeps the quota of the node `/a/b` in `/zookeeper/quota/a/b/zookeeper_limits`, and its counts beside it
//! (`org.apache.zookeeper.Quotas`, `StatsTrack`). Versions from 3.7 on enforce hard limits if `enforceQuota=true` is
//! set. Older versions ignore them. Everyone may write there, unless someone has revoked that right.

use std::collections::HashSet;

use super::ZooKeeper;
use crate::store::bound::{MOST_BYTES, MOST_NODES};
use crate::store::{Access, Op, Store as _, StoreError, parent};

const QUOTAS: &str = "/zookeeper/quota";
const LIMITS: &str = "zookeeper_limits";
const STATS: &str = "zookeeper_stats";

/// The limits of a place: none of them is soft, and the place itself is counted as well. The second `=` makes versions
/// before 3.7 skip the hard ones.
fn limits() -> Vec<u8> {
    format!("count=-1,bytes=-1=;byteHardLimit={MOST_BYTES};countHardLimit={}", MOST_NODES + 1).into_bytes()
}

/// The nodes with the limits of `top` and of its parents, the outermost first. The node above them all is ZooKeeper's
/// own.
pub(super) fn nodes(top: &str) -> Vec<String> {
    let above = top.match_indices('/').skip(1).map(|(at, _)| &top[..at]);
    above.chain([top]).map(|path| format!("{QUOTAS}{path}")).collect()
}

/// Zero counts, which ZooKeeper replaces by the real ones.
const UNCOUNTED: &[u8] = b"count=0,bytes=0";

fn create(path: String, data: Vec<u8>) -> Op {
    Op::Create { path, data, access: Access::new() }
}

impl ZooKeeper {
    /// Limits what is created below each of `places`, which are below one node. Nothing else beside or above that node
    /// has limits afterwards, up to its parent's. Returns whether that was possible.
    pub(super) async fn limit(&self, places: &[String]) -> Result<bool, StoreError> {
        let Some(above) = places.first().and_then(|place| parent(place)) else { return Ok(true) };
        let (mut ops, mut strays) = (Vec::new(), Vec::new());
        let mut path = QUOTAS.to_owned();
        let own = parent(above).map(|parent| format!("{QUOTAS}{parent}"));
        for name in above.split('/').skip(1) {
            let there = match self.children(&path).await {
                Ok(there) => there,
                error => return is_done(error.map(drop)),
            };
            if own.as_ref() == Some(&path) {
                strays.extend(there.iter().filter(|there| *there != name).map(|there| format!("{path}/{there}")));
            }
            path = format!("{path}/{name}");
            // A node that is about to be created has nothing below it.
            if !ops.is_empty() || !there.iter().any(|there| there == name) {
                ops.push(create(path.clone(), Vec::new()));
            }
        }
        let there: HashSet<String> = match self.children(&path).await {
            Ok(there) => there.into_iter().collect(),
            error => return is_done(error.map(drop)),
        };
        let of_all = [LIMITS, STATS].into_iter().filter(|name| there.contains(*name));
        strays.extend(of_all.map(|name| format!("{path}/{name}")));
        // Someone who had the operator's key may have set them.
        for stray in strays {
            if !self.remove(stray).await? {
                return Ok(false);
            }
        }
        for place in places {
            let name = &place[above.len() + 1..];
            let path = format!("{path}/{name}");
            if there.contains(name) {
                // An earlier call was interrupted or set other limits. The counts stay.
                ops.push(Op::Set { path: format!("{path}/{LIMITS}"), data: limits(), expected: None });
            } else {
                ops.push(create(path.clone(), Vec::new()));
                ops.push(create(format!("{path}/{LIMITS}"), limits()));
                ops.push(create(format!("{path}/{STATS}"), UNCOUNTED.to_vec()));
            }
        }
        is_done(self.apply(ops).await)
    }

    /// Removes the limits of everything below `top`. Returns whether that was possible.
    pub(super) async fn unlimit(&self, top: &str) -> Result<bool, StoreError> {
        let top = format!("{QUOTAS}{top}");
        match self.get(&top).await {
            Ok(None) => Ok(true),
            Ok(Some(_)) => self.remove(top).await,
            Err(error) => is_done(Err(error)),
        }
    }

    /// Removes the node at `top`, which exists, and everything below it. Returns whether that was possible.
    async fn remove(&self, top: String) -> Result<bool, StoreError> {
        let mut level = vec![top];
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
        // Children first.
        is_done(self.apply(found.into_iter().rev().map(|path| Op::Delete { path }).collect()).await)
    }
}

/// Whether the change was made. Neither a lack of rights nor another client that makes it at the same time is an error.
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
