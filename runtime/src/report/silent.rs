//! Servers that were created and have never reported.

use std::time::Duration;

use wattle::model::Name;
use wattle::names::some;
use wattle::shown::argument;
use wattle_agent_core::time::Time;

use super::{How, Infrastructure, StackSnapshot, between};

/// How long a server may exist before its agent reports for the first time. Images that boot slowly take two minutes.
const PATIENCE: Duration = Duration::from_mins(4);

/// Messages about servers that have been silent for longer than that.
pub fn silent(snapshot: &StackSnapshot, built: &Infrastructure, now: Time) -> Option<String> {
    let is_silent = |server: &Name| {
        snapshot
            .servers
            .get(server)
            .is_some_and(|standing| standing.alive.is_none() && !standing.components.is_empty() && !standing.was_heard)
    };
    let there = built.resources.iter().filter(|resource| resource.how == How::There);
    let there = there.filter_map(|resource| Some((resource.server.as_ref()?, resource.since?)));
    no_word(there.filter(|(server, _)| is_silent(server)), now)
}

/// Messages about servers that have existed since these times and have never reported.
pub fn no_word<'n>(servers: impl Iterator<Item = (&'n Name, Time)>, now: Time) -> Option<String> {
    let late: Vec<(&Name, Time)> = servers.filter(|(_, since)| now.duration_since(*since) >= PATIENCE).collect();
    let (first, _) = late.first()?;
    let youngest = late.iter().map(|(_, since)| *since).max()?;
    Some(format!(
        "no word from {} for {}: it is the boot, the network, or the agent; `wattle logs {} --console` shows what it has written to \
         its console",
        some(late.iter().map(|(server, _)| &***server), 3),
        between(youngest, now),
        argument(&***first),
    ))
}
