//! Servers that must be apart outnumber the places available to them.
//!
//! Servers and places are matched, each server with a place of its own. If that is impossible, some set of servers has
//! fewer places than members (Hall's theorem), and the servers reachable from an unmatched one form the smallest such
//! set.

use std::collections::{BTreeMap, BTreeSet};

use wattle_words::names::{join, list};

use crate::Host;
use crate::cloud::Level;
use crate::problem::{PlacementRule, Policy, Strength};

use super::asks::{Ask, AskKind, Ground};
use super::{Conflict, Part, of_policy, of_server, required};

/// The maximum number of servers in a message.
const NAMED: usize = 6;

/// The maximum number of pairs of servers to examine for further ones that are apart from one another.
const PAIRS: usize = 1_000_000;

/// Servers that must be apart: at most `most` of them may be in one place of a level.
struct Apart {
    level: Level,
    most: usize,
    members: Vec<usize>,
}

/// A place of a level, with all enclosing places. Unknown places within the same enclosing place are equal.
type Place<'p> = Vec<Option<&'p str>>;

pub(super) fn conflict(ground: &Ground<'_>) -> Option<Conflict> {
    let mut pairs = PAIRS;
    let mut known: BTreeSet<(Level, usize, Vec<usize>)> = BTreeSet::new();
    required(ground.problem).find_map(|policy| {
        let PlacementRule::Apart(level) = policy.rule else { return None };
        let mut members = policy.members.clone();
        if policy.most <= 1 {
            extend(ground, level, &mut members, &mut pairs);
        }
        members.sort_unstable();
        let apart = Apart { level, most: policy.most.max(1), members };
        known.insert((level, apart.most, apart.members.clone())).then(|| apart.conflict(ground)).flatten()
    })
}

/// Adds servers that other policies keep apart from all of these: being in another larger place implies being in
/// another one of this level.
fn extend(ground: &Ground<'_>, level: Level, members: &mut Vec<usize>, pairs: &mut usize) {
    let Some(first) = members.first().filter(|_| *pairs > 0) else { return };
    let keeps = |policy: &Policy| {
        matches!(policy.rule, PlacementRule::Apart(other) if other >= level)
            && policy.most <= 1
            && policy.strength == Strength::Required
    };
    let of = |server: usize| -> Vec<&Policy> {
        let all = ground.policies(server).iter().map(|number| &ground.problem.policies[*number]);
        all.filter(|policy| keeps(policy)).collect()
    };
    let candidates: BTreeSet<usize> = of(*first).iter().flat_map(|policy| policy.members.iter().copied()).collect();
    for candidate in candidates {
        if members.contains(&candidate) {
            continue;
        }
        let from: BTreeSet<usize> = of(candidate).iter().flat_map(|policy| policy.members.iter().copied()).collect();
        *pairs = pairs.saturating_sub(from.len() + members.len());
        if *pairs == 0 {
            return;
        }
        if members.iter().all(|member| from.contains(member)) {
            members.push(candidate);
        }
    }
}

impl Apart {
    fn conflict(&self, ground: &Ground<'_>) -> Option<Conflict> {
        let asks: BTreeMap<usize, Vec<Ask<'_>>> =
            self.members.iter().map(|member| (*member, ground.asks(*member))).collect();
        let mut places: BTreeMap<usize, BTreeSet<Place<'_>>> = BTreeMap::new();
        for member in &self.members {
            // A server that has as many places as there are servers always finds one.
            let enough = self.members.len().div_ceil(self.most);
            let all = self.places(ground, &asks[member], &|_| true, enough);
            if all.len() < enough {
                places.insert(*member, all);
            }
        }
        match self.crowd(&places) {
            Some(crowd) => Some(self.said(ground, crowd, &asks)),
            None => required(ground.problem).find_map(|near| self.within(ground, near)),
        }
    }

    /// The conflict with a policy that brings more of them into one place than that has places within it.
    fn within(&self, ground: &Ground<'_>, near: &Policy) -> Option<Conflict> {
        let PlacementRule::Near(around) = near.rule else { return None };
        let crowd: BTreeSet<usize> = self.members.iter().copied().filter(|one| near.members.contains(one)).collect();
        if around <= self.level || crowd.len() <= self.most {
            return None;
        }
        let mut places: BTreeMap<&str, BTreeSet<Place<'_>>> = BTreeMap::new();
        for host in &ground.cloud.hosts {
            if let Some(name) = host.place(around) {
                places.entry(name).or_default().insert(self.place(host));
            }
        }
        let there = places.values().map(BTreeSet::len).max().unwrap_or(0);
        if there * self.most >= crowd.len() {
            return None;
        }
        let names = list(crowd.iter().map(|one| &*ground.problem.servers[*one].name), "and");
        let who = if crowd.len() > NAMED { format!("{} servers", crowd.len()) } else { names };
        let level = self.level;
        let plural = if there == 1 { "" } else { "s" };
        let why = format!(
            "{who} must be {} of one {around}, but no {around} has more than {there} {level}{plural}",
            self.different()
        );
        let all = ground.problem.policies.iter().filter(|policy| self.needs(policy, &crowd));
        Some(Conflict::evident(why, all.chain([near]).map(of_policy).collect()))
    }

    /// The place of a host at this level.
    fn place<'h>(&self, host: &'h Host) -> Place<'h> {
        Level::ALL.into_iter().filter(|level| *level >= self.level).map(|level| host.place(level)).collect()
    }

    /// `on different hosts, at most 2 on each`.
    fn different(&self) -> String {
        let (level, on) = (self.level, if self.level == Level::Host { "on" } else { "in" });
        match self.most {
            1 => format!("{on} different {level}s"),
            most => format!("{on} different {level}s, at most {most} {on} each,"),
        }
    }

    /// The places of the hosts that meet the asks of these kinds; at most `enough` of them.
    fn places<'g>(
        &self,
        ground: &Ground<'g>,
        asks: &[Ask<'_>],
        counts: &dyn Fn(AskKind<'_>) -> bool,
        enough: usize,
    ) -> BTreeSet<Place<'g>> {
        let mut found = BTreeSet::new();
        for (number, host) in ground.cloud.hosts.iter().enumerate() {
            if found.len() >= enough {
                break;
            }
            let place = self.place(host);
            if !found.contains(&place) && asks.iter().filter(|ask| counts(ask.kind)).all(|ask| ask.fits(ground, number))
            {
                found.insert(place);
            }
        }
        found
    }

    /// The smallest set of servers with fewer places than they need, if there is one.
    fn crowd(&self, places: &BTreeMap<usize, BTreeSet<Place<'_>>>) -> Option<BTreeSet<usize>> {
        let mut of_place: BTreeMap<&Place<'_>, Vec<usize>> = BTreeMap::new();
        for server in places.keys() {
            // The predecessor of each reached server: the server in the place that led to it.
            let mut reached: BTreeMap<usize, Option<(usize, &Place<'_>)>> = BTreeMap::from([(*server, None)]);
            let mut queue = std::collections::VecDeque::from([*server]);
            let mut open = None;
            'search: while let Some(one) = queue.pop_front() {
                for place in &places[&one] {
                    let here = of_place.entry(place).or_default();
                    if here.len() < self.most {
                        open = Some((one, place));
                        break 'search;
                    }
                    for other in here.iter() {
                        if !reached.contains_key(other) {
                            reached.insert(*other, Some((one, place)));
                            queue.push_back(*other);
                        }
                    }
                }
            }
            let Some((mut one, mut place)) = open else { return Some(reached.into_keys().collect()) };
            // Along the path, each server takes the next place, and leaves its own to the one before.
            loop {
                of_place.entry(place).or_default().push(one);
                let Some((before, left)) = reached[&one] else { break };
                of_place.entry(left).or_default().retain(|other| *other != one);
                (one, place) = (before, left);
            }
        }
        None
    }

    /// Explains the lack of places for servers, with as few of their demands on hosts as possible.
    fn said(&self, ground: &Ground<'_>, crowd: BTreeSet<usize>, asks: &BTreeMap<usize, Vec<Ask<'_>>>) -> Conflict {
        let union = |crowd: &BTreeSet<usize>, kinds: &BTreeSet<AskKind<'_>>| {
            let counts = |kind: AskKind<'_>| matches!(kind, AskKind::Known(_)) || kinds.contains(&kind);
            let all = crowd.iter().map(|one| self.places(ground, &asks[one], &counts, usize::MAX));
            all.flatten().collect::<BTreeSet<_>>()
        };
        let mut kinds: BTreeSet<AskKind<'_>> =
            crowd.iter().flat_map(|one| asks[one].iter().map(|ask| ask.kind)).collect();
        kinds.retain(|kind| !matches!(kind, AskKind::Known(_)));
        for kind in kinds.clone() {
            let mut without = kinds.clone();
            without.remove(&kind);
            if union(&crowd, &without).len() * self.most < crowd.len() {
                kinds = without;
            }
        }
        let there = union(&crowd, &kinds).len();
        let policies: Vec<&Policy> =
            ground.problem.policies.iter().filter(|policy| self.needs(policy, &crowd)).collect();
        // If one policy keeps all of them apart, it covers every server without other places.
        let crowd = match &policies[..] {
            [one] if kinds.is_empty() => one.members.iter().copied().collect(),
            _ => crowd,
        };
        let of = |one: &usize| asks[one].iter().filter(|ask| kinds.contains(&ask.kind)).collect::<Vec<_>>();
        let does = |one: &usize| of(one).iter().map(|ask| ask.does.clone()).collect::<Vec<_>>();
        let mut each = crowd.iter().map(does);
        let first = each.next().unwrap_or_default();
        let are_alike = each.all(|other| other == first);
        let why = self.sentence(ground, &crowd, &policies, there, are_alike.then(|| crowd.first().map(of)).flatten());
        let mut parts: Vec<Part> = policies.into_iter().map(of_policy).collect();
        // A running or pinned server is part of the conflict itself.
        if !are_alike || kinds.contains(&AskKind::Runs) || kinds.contains(&AskKind::Host) {
            parts.extend(crowd.iter().map(|one| of_server(ground.problem, *one)));
        }
        for part in crowd.iter().flat_map(of).filter_map(|ask| ask.part.clone()) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        Conflict::evident(why, parts)
    }

    /// Whether a policy keeps some of these apart.
    fn needs(&self, policy: &Policy, crowd: &BTreeSet<usize>) -> bool {
        matches!(policy.rule, PlacementRule::Apart(level) if level >= self.level)
            && policy.strength == Strength::Required
            && policy.most.max(1) <= self.most
            && policy.members.iter().filter(|member| crowd.contains(member)).count() > 1
    }

    fn sentence(
        &self,
        ground: &Ground<'_>,
        crowd: &BTreeSet<usize>,
        policies: &[&Policy],
        there: usize,
        asks: Option<Vec<&Ask<'_>>>,
    ) -> String {
        let is_whole = policies.iter().any(|policy| policy.members.len() == crowd.len());
        let who = if is_whole || crowd.len() > NAMED {
            format!("{} servers", crowd.len())
        } else {
            list(crowd.iter().map(|one| &*ground.problem.servers[*one].name), "and")
        };
        let (level, one) = (self.level, there == 1);
        let plural = if one { "" } else { "s" };
        let but = match asks {
            Some(asks) if asks.is_empty() => {
                format!("there {} only {there} known {level}{plural}", if one { "is" } else { "are" })
            }
            Some(asks) if level == Level::Host => {
                let do_so = asks.iter().map(|ask| if one { ask.does.clone() } else { ask.they_do() });
                format!("only {there} host{plural} {}", join(do_so, "and"))
            }
            Some(asks) => {
                let does = join(asks.iter().map(|ask| ask.does.clone()), "and");
                format!("only {there} {level}{plural} {} a host that {does}", if one { "has" } else { "have" })
            }
            None if level == Level::Host => format!("only {there} host{plural} can take any of them"),
            None => format!(
                "only {there} {level}{plural} {} a host that can take any of them",
                if one { "has" } else { "have" }
            ),
        };
        format!("{who} must be {}, but {but}", self.different().trim_end_matches(','))
    }
}
