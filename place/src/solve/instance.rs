//! The problem in numbers, in a form that the solver can evaluate millions of times.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cloud::{Cloud, Level};
use crate::problem::{PlacementRule, Problem, Strength, WEIGHT};

/// More than the demand of all servers.
const UNLIMITED: i64 = 1 << 60;

/// Roughly the weight of a server that overflows its host.
pub(super) const OVERFLOW: i64 = 100_000;

/// A rule about places: at most one server in each, or all in one.
pub(super) struct Group {
    pub(super) is_apart: bool,
    /// How many may be in one place if they have to be apart.
    pub(super) most: u32,
    pub(super) level: usize,
    pub(super) members: Vec<u32>,
    /// `None` if the rule must hold.
    pub(super) weight: Option<i64>,
}

/// The problem in numbers.
pub(super) struct Instance {
    pub(super) servers: usize,
    pub(super) hosts: usize,
    pub(super) resources: usize,
    /// The demands, server by server.
    pub(super) demand: Vec<i64>,
    /// The free capacity, host by host, including that used by servers that may move.
    pub(super) free: Vec<i64>,
    /// The weight of one unit of each resource beyond a host's capacity.
    pub(super) scale: Vec<i64>,
    /// The place of each host, for each level.
    pub(super) at: [Vec<u32>; 4],
    /// The hosts of each place, for each level.
    pub(super) within: [Vec<Vec<u32>>; 4],
    /// The hosts available to the servers of a class, as a mask and as a list.
    pub(super) masks: Vec<Vec<bool>>,
    pub(super) lists: Vec<Vec<u32>>,
    /// The class of each server.
    pub(super) class: Vec<usize>,
    pub(super) groups: Vec<Group>,
    /// The preferred hosts of a server, as a mask, and the cost of any other.
    pub(super) groups_of: Vec<Vec<u32>>,
    /// The hosts that a server should be on, as a mask, and the cost if it is not.
    pub(super) wishes: Vec<Vec<(usize, i64)>>,
    /// The wires of each server: the other end and the bandwidth.
    pub(super) wires: Vec<Vec<(u32, i64)>>,
    /// Each wire once.
    pub(super) pairs: Vec<(u32, u32, i64)>,
}

/// The requirements on a host: traits, zones, known levels, and the host that must not be left.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Needs<'p> {
    traits: BTreeSet<&'p str>,
    zones: BTreeSet<&'p str>,
    levels: BTreeSet<Level>,
    host: Option<&'p str>,
    runs_on: Option<&'p str>,
    moves: bool,
    demand: Vec<i64>,
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("INVARIANT: no cloud has so many hosts, and no stack so many servers")
}

impl Instance {
    pub(super) fn new(cloud: &Cloud, problem: &Problem) -> Self {
        let resources: BTreeSet<&str> =
            problem.servers.iter().flat_map(|server| server.demand.keys()).map(String::as_str).collect();
        let resources: Vec<&str> = resources.into_iter().collect();
        let (servers, hosts) = (problem.servers.len(), cloud.hosts.len());
        let amount = |server: usize, resource: &str| problem.servers[server].demand.get(resource).copied().unwrap_or(0);
        let demand: Vec<i64> =
            (0..servers).flat_map(|server| resources.iter().map(move |resource| amount(server, resource))).collect();
        let mut free: Vec<i64> = cloud
            .hosts
            .iter()
            .flat_map(|host| resources.iter().map(|resource| host.free(resource).unwrap_or(UNLIMITED)))
            .collect();
        let by_name: HashMap<&str, usize> =
            cloud.hosts.iter().enumerate().map(|(number, host)| (host.name.as_str(), number)).collect();
        for (server, about) in problem.servers.iter().enumerate() {
            if let Some(host) = about.runs_on.as_deref().and_then(|name| by_name.get(name)) {
                for resource in 0..resources.len() {
                    free[host * resources.len() + resource] += demand[server * resources.len() + resource];
                }
            }
        }
        let scale = (0..resources.len())
            .map(|resource| {
                let asked: Vec<i64> = (0..servers)
                    .map(|server| demand[server * resources.len() + resource])
                    .filter(|one| *one > 0)
                    .collect();
                let sum: i64 = asked.iter().sum();
                // One average server too many has the weight OVERFLOW.
                (OVERFLOW * i64::try_from(asked.len().max(1)).unwrap_or(1) / sum.max(1)).max(1)
            })
            .collect();
        let mut all = Self {
            servers,
            hosts,
            resources: resources.len(),
            demand,
            free,
            scale,
            at: Default::default(),
            within: Default::default(),
            masks: Vec::new(),
            lists: Vec::new(),
            class: Vec::new(),
            groups: Vec::new(),
            groups_of: vec![Vec::new(); servers],
            wishes: vec![Vec::new(); servers],
            wires: vec![Vec::new(); servers],
            pairs: Vec::new(),
        };
        all.stand(cloud);
        all.allow(cloud, problem, &resources);
        all.wish(cloud, problem, &by_name);
        for wire in &problem.wires {
            let (one, other, bandwidth) = (wire.between.0, wire.between.1, i64::from(wire.bandwidth));
            all.wires[one].push((index(other), bandwidth));
            all.wires[other].push((index(one), bandwidth));
            all.pairs.push((index(one), index(other), bandwidth));
        }
        all
    }

    /// All possible costs: of wires for one step, and of violated preferences.
    pub(super) fn costs(&self) -> impl Iterator<Item = i64> {
        let wires = self.pairs.iter().map(|(_, _, bandwidth)| *bandwidth);
        let wishes = self.wishes.iter().flatten().map(|(_, weight)| *weight);
        wires.chain(wishes).chain(self.groups.iter().filter_map(|group| group.weight))
    }

    /// Numbers the places. Hosts without a known place at a level share one there, within the enclosing place.
    fn stand(&mut self, cloud: &Cloud) {
        let mut known: [BTreeMap<Vec<Option<&str>>, u32>; 4] = Default::default();
        for (number, host) in cloud.hosts.iter().enumerate() {
            for (depth, known) in known.iter_mut().enumerate() {
                let key = Level::ALL[depth..].iter().map(|level| host.place(*level)).collect();
                let next = index(known.len());
                let place = *known.entry(key).or_insert(next);
                self.at[depth].push(place);
                if place == next {
                    self.within[depth].push(Vec::new());
                }
                self.within[depth][place as usize].push(index(number));
            }
        }
    }

    /// Finds the hosts available to each server, whatever the others do.
    fn allow(&mut self, cloud: &Cloud, problem: &Problem, resources: &[&str]) {
        let mut needs: Vec<Needs<'_>> = problem
            .servers
            .iter()
            .enumerate()
            .map(|(server, about)| Needs {
                traits: about.traits.iter().map(String::as_str).collect(),
                zones: about.zone.iter().map(String::as_str).collect(),
                levels: BTreeSet::new(),
                host: about.host.as_deref(),
                runs_on: about.runs_on.as_deref(),
                moves: about.moves,
                demand: self.demand[server * self.resources..][..self.resources].to_vec(),
            })
            .collect();
        for policy in problem.policies.iter().filter(|policy| policy.strength == Strength::Required) {
            for member in &policy.members {
                match &policy.rule {
                    PlacementRule::Zone(zone) => needs[*member].zones.insert(zone),
                    PlacementRule::License(kind) => needs[*member].traits.insert(kind),
                    PlacementRule::Apart(level) | PlacementRule::Near(level) => needs[*member].levels.insert(*level),
                };
            }
        }
        let mut classes: BTreeMap<&Needs<'_>, usize> = BTreeMap::new();
        for needs in &needs {
            let next = classes.len();
            let class = *classes.entry(needs).or_insert(next);
            self.class.push(class);
            if class == next {
                let mask: Vec<bool> = (0..self.hosts).map(|host| self.is_open(cloud, host, needs, resources)).collect();
                self.lists.push((0..self.hosts).filter(|host| mask[*host]).map(index).collect());
                self.masks.push(mask);
            }
        }
    }

    fn is_open(&self, cloud: &Cloud, host: usize, needs: &Needs<'_>, resources: &[&str]) -> bool {
        let about = &cloud.hosts[host];
        let runs_here = needs.runs_on == Some(&about.name);
        let has_room = |one: usize| {
            let asks = needs.demand[one];
            asks == 0
                || runs_here
                || !about.is_overfull(resources[one])
                    && asks <= self.free[host * self.resources + one]
                    && about.gives(resources[one], asks)
        };
        needs.traits.iter().all(|kind| about.traits.contains(*kind))
            && needs.zones.iter().all(|zone| about.zone == *zone)
            && needs.levels.iter().all(|level| about.place(*level).is_some())
            && needs.host.is_none_or(|host| about.name == host)
            && (needs.moves || needs.runs_on.is_none() || runs_here)
            && (0..self.resources).all(has_room)
    }

    /// Adds groups and preferred hosts.
    fn wish(&mut self, cloud: &Cloud, problem: &Problem, by_name: &HashMap<&str, usize>) {
        let fitting = |fits: &dyn Fn(&crate::Host) -> bool| cloud.hosts.iter().map(fits).collect::<Vec<bool>>();
        for policy in &problem.policies {
            let weight = match policy.strength {
                Strength::Required => None,
                Strength::Preferred(weight) => Some(i64::from(weight)),
            };
            let mask = match (&policy.rule, weight) {
                (PlacementRule::Apart(level) | PlacementRule::Near(level), _) => {
                    let group = index(self.groups.len());
                    policy.members.iter().for_each(|member| self.groups_of[*member].push(group));
                    self.groups.push(Group {
                        is_apart: matches!(policy.rule, PlacementRule::Apart(_)),
                        most: index(policy.most.max(1)),
                        level: Level::ALL.iter().position(|one| one == level).unwrap_or(0),
                        members: policy.members.iter().map(|member| index(*member)).collect(),
                        weight,
                    });
                    continue;
                }
                (_, None) => continue,
                (PlacementRule::Zone(zone), _) => fitting(&|host| host.zone == *zone),
                (PlacementRule::License(kind), _) => fitting(&|host| host.traits.contains(kind)),
            };
            let (number, weight) = (self.masks.len(), weight.unwrap_or(0));
            self.masks.push(mask);
            policy.members.iter().for_each(|member| self.wishes[*member].push((number, weight)));
        }
        for (server, about) in problem.servers.iter().enumerate().filter(|(_, about)| about.moves) {
            if let Some(host) = about.runs_on.as_deref().and_then(|name| by_name.get(name)) {
                self.wishes[server].push((self.masks.len(), i64::from(WEIGHT)));
                self.masks.push((0..self.hosts).map(|one| one == *host).collect());
            }
        }
    }

    /// The hosts available to a server.
    pub(super) fn open(&self, server: usize) -> &[u32] {
        &self.lists[self.class[server]]
    }

    pub(super) fn is_allowed(&self, server: usize, host: u32) -> bool {
        self.masks[self.class[server]][host as usize]
    }

    pub(super) fn asks(&self, server: usize) -> &[i64] {
        &self.demand[server * self.resources..][..self.resources]
    }

    /// The distance of two hosts: the number of levels that they do not share.
    pub(super) fn distance(&self, one: u32, other: u32) -> i64 {
        let shared = self.at.iter().position(|places| places[one as usize] == places[other as usize]);
        crate::problem::DISTANCES[shared.unwrap_or(4)]
    }
}
