//! A server that would fit no host even if it were the only one.

use wattle_words::names::join;

use super::asks::{Ask, AskKind, Ground};
use super::{Conflict, of_server, shown};

pub(super) fn conflict(ground: &Ground<'_>) -> Option<Conflict> {
    (0..ground.problem.servers.len()).find_map(|server| of(ground, server))
}

/// The conflict: the smallest set of its demands that no host meets.
fn of(ground: &Ground<'_>, server: usize) -> Option<Conflict> {
    let asks = ground.asks(server);
    let hosts = 0..ground.cloud.hosts.len();
    let none = |asks: &[&Ask<'_>]| !hosts.clone().any(|host| asks.iter().all(|ask| ask.fits(ground, host)));
    let mut left: Vec<&Ask<'_>> = asks.iter().collect();
    if !none(&left) {
        return None;
    }
    let mut at = 0;
    while at < left.len() {
        let without: Vec<&Ask<'_>> =
            left.iter().enumerate().filter(|(one, _)| *one != at).map(|(_, ask)| *ask).collect();
        if none(&without) { left = without } else { at += 1 }
    }
    let why = match &left[..] {
        [] => "there are no hosts".to_owned(),
        [Ask { kind: AskKind::Room(resource), does, .. }] => {
            let most = hosts.map(|host| (ground.most(host, resource), std::cmp::Reverse(host))).max();
            let most = most.map(|(most, std::cmp::Reverse(host))| {
                let host = &ground.cloud.hosts[host];
                let is_overfull = if host.is_overfull(resource) { ", which is used beyond its capacity" } else { "" };
                format!(": the most is {}, on `{}`{is_overfull}", shown(resource, most), host.name)
            });
            format!("no host {does}{}", most.unwrap_or_default())
        }
        _ => format!("no host {}", join(left.iter().map(|ask| ask.does.clone()), "and")),
    };
    let parts = std::iter::once(of_server(ground.problem, server));
    Some(Conflict::evident(why, parts.chain(left.iter().filter_map(|ask| ask.part.clone())).collect()))
}
