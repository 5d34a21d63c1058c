//! Places servers one by one, the hardest first, each at its best place at that time.

use std::cmp::Reverse;

use super::instance::Instance;
use super::state::{NOWHERE, State, Worth};

/// The best of the placements for several orders of servers.
pub(super) fn greedy(of: &Instance) -> State<'_> {
    let mut best: Option<State<'_>> = None;
    for order in orders(of) {
        let mut state = State::new(of);
        for server in order {
            if state.on[server] == NOWHERE {
                match near(of, server) {
                    Some(group) => together(&mut state, group),
                    None => put(&mut state, server, of.open(server)),
                }
            }
        }
        if best.as_ref().is_none_or(|best| state.worth < best.worth) {
            best = Some(state);
        }
    }
    best.unwrap_or_else(|| State::new(of))
}

/// Orders of servers: those with few hosts first, then those with large demands, of all resources or of one.
fn orders(of: &Instance) -> Vec<Vec<usize>> {
    let share = |server: usize, only: Option<usize>| {
        let asks = of.asks(server).iter().enumerate();
        asks.filter(|(one, _)| only.is_none_or(|only| only == *one))
            .map(|(one, asks)| asks * of.scale[one])
            .sum::<i64>()
    };
    let mut all: Vec<Vec<usize>> = Vec::new();
    for only in std::iter::once(None).chain((0..of.resources).map(Some)) {
        let mut order: Vec<usize> = (0..of.servers).collect();
        // Compare numbers of hosts in steps of a tenth of all hosts.
        order.sort_by_key(|server| {
            (of.open(*server).len() * 10 / of.hosts.max(1), Reverse(share(*server, only)), *server)
        });
        if !all.contains(&order) {
            all.push(order);
        }
    }
    all
}

/// The smallest place that a server must share with others.
fn near(of: &Instance, server: usize) -> Option<usize> {
    let groups = of.groups_of[server].iter().map(|group| *group as usize);
    let must = groups.filter(|group| !of.groups[*group].is_apart && of.groups[*group].weight.is_none());
    must.min_by_key(|group| of.groups[*group].level)
}

/// Puts a server on the best of these hosts: valid, then cheap, then a good fit.
fn put(state: &mut State<'_>, server: usize, hosts: &[u32]) {
    let best = hosts.iter().min_by_key(|host| (state.change(server, **host), state.slack(**host, server), **host));
    if let Some(host) = best {
        state.shift(server, *host);
    }
}

/// Puts all of a group into its best place.
fn together(state: &mut State<'_>, group: usize) {
    let of = state.of;
    let about = &of.groups[group];
    let mut members: Vec<usize> =
        about.members.iter().map(|one| *one as usize).filter(|one| state.on[*one] == NOWHERE).collect();
    members.sort_by_key(|server| {
        Reverse(of.asks(*server).iter().zip(&of.scale).map(|(asks, scale)| asks * scale).sum::<i64>())
    });
    let mut best: Option<(Worth, usize)> = None;
    let into = |state: &mut State<'_>, place: usize| {
        for server in &members {
            let hosts: Vec<u32> =
                of.within[about.level][place].iter().copied().filter(|host| of.is_allowed(*server, *host)).collect();
            put(state, *server, &hosts);
        }
    };
    for place in 0..of.within[about.level].len() {
        let before = state.worth;
        into(state, place);
        if best.is_none_or(|(worth, _)| state.worth < worth) {
            best = Some((state.worth, place));
        }
        members.iter().for_each(|server| state.shift(*server, NOWHERE));
        debug_assert_eq!(before, state.worth, "what is taken back leaves nothing behind");
    }
    if let Some((_, place)) = best {
        into(state, place);
    }
}
