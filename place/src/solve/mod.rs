//! The solver: a greedy start, then many small changes, and, if the problem is small enough, a mixed integer program.
//!
//! Effort is counted in steps and nodes rather than in seconds, so the same problem has the same result on every
//! machine.

mod bound;
mod chance;
mod exact;
mod greedy;
mod instance;
mod search;
mod state;

use std::collections::BTreeMap;

use crate::cloud::Cloud;
use crate::conflict::{self, Conflict};
use crate::problem::Problem;
use crate::verify::{Verdict, verify};

use self::exact::{Exact, exact};
use self::greedy::greedy;
use self::instance::Instance;
use self::search::Search;
use self::state::{State, Worth};

/// The solver's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps of the search, for each server.
    pub steps: u64,
    /// Nodes of the program's tree.
    pub nodes: u64,
    /// The maximum number of variables of a program that is attempted. A larger program would take too long.
    pub variables: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { steps: 20_000, nodes: 400, variables: 6_000 }
    }
}

/// A placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The host of each server, by name.
    pub on: BTreeMap<String, String>,
    /// The checker's verdict.
    pub verdict: Verdict,
    /// A lower bound of the cost.
    pub bound: i64,
}

impl Placement {
    /// The upper bound of its distance to the optimum: 0 if it is optimal.
    pub fn gap(&self) -> i64 {
        (self.verdict.cost - self.bound).max(0)
    }
}

/// Why there is no placement.
#[derive(Clone, Debug, PartialEq)]
pub enum Unplaced {
    /// None is possible, because of this conflict.
    Conflict(Conflict),
    /// None was found, but it is not proven that there is none. These servers could not be placed in the best attempt.
    GaveUp {
        /// The servers that were in the way.
        servers: Vec<String>,
    },
}

/// Places the servers of a problem.
///
/// # Errors
///
/// The reason why there is no placement.
///
/// # Panics
///
/// The problem has a [`crate::Flaw`].
pub fn place(cloud: &Cloud, problem: &Problem, effort: Effort) -> Result<Placement, Unplaced> {
    assert!(problem.flaw().is_none(), "{:?}", problem.flaw());
    let of = Instance::new(cloud, problem);
    if let Some(found) = conflict::evident(cloud, problem) {
        return Err(Unplaced::Conflict(found));
    }
    match solve(&of, effort) {
        Solved::Found { on, bound } => {
            let name = |(server, host): (usize, &u32)| {
                (problem.servers[server].name.clone(), cloud.hosts[*host as usize].name.clone())
            };
            let on: BTreeMap<String, String> = on.iter().enumerate().map(name).collect();
            let verdict = verify(cloud, problem, &on);
            assert!(verdict.breaches.is_empty(), "INVARIANT: what the solver finds may be: {:?}", verdict.breaches);
            Ok(Placement { on, verdict, bound })
        }
        Solved::Impossible => Err(Unplaced::Conflict(conflict::smallest(cloud, problem, effort))),
        Solved::Unknown(wrong) => match conflict::narrowed(cloud, problem, effort) {
            Some(found) => Err(Unplaced::Conflict(found)),
            None => Err(Unplaced::GaveUp {
                servers: wrong.into_iter().map(|one| problem.servers[one].name.clone()).collect(),
            }),
        },
    }
}

/// Whether there is a placement; `None` if it is unknown.
pub(crate) fn is_possible(cloud: &Cloud, problem: &Problem, effort: Effort) -> Option<bool> {
    let mut problem = problem.clone();
    problem.wires.clear();
    problem.policies.retain(|policy| policy.strength == crate::Strength::Required);
    if conflict::evident(cloud, &problem).is_some() {
        return Some(false);
    }
    let of = Instance::new(cloud, &problem);
    // An easy placement is found soon; otherwise there is most often none, and the program knows that before the search
    // ends.
    let first = greedy(&of);
    let steps = (effort.steps / 20).saturating_mul(u64::try_from(of.servers.max(20)).unwrap_or(u64::MAX));
    let is_enough = |worth: Worth| worth.wrong == 0;
    if first.worth.wrong == 0 || Search::new(first, 0).run(steps, &is_enough).worth.wrong == 0 {
        return Some(true);
    }
    match exact(&of, None, effort) {
        Exact::Found { .. } => return Some(true),
        Exact::Impossible => return Some(false),
        Exact::Unknown => {}
    }
    match solve(&of, effort) {
        Solved::Found { .. } => Some(true),
        Solved::Impossible => Some(false),
        Solved::Unknown(_) => None,
    }
}

enum Solved {
    Found {
        on: Vec<u32>,
        bound: i64,
    },
    Impossible,
    /// The servers that are in the way.
    Unknown(Vec<usize>),
}

fn solve(of: &Instance, effort: Effort) -> Solved {
    if (0..of.servers).any(|server| of.open(server).is_empty()) {
        return Solved::Impossible;
    }
    let least = bound::bound(of);
    let is_enough = |worth: Worth| worth.wrong == 0 && worth.cost <= least;
    let servers = u64::try_from(of.servers).unwrap_or(u64::MAX);
    let mut best = greedy(of);
    // While the result is invalid, repeat the search from another start, because that costs nothing.
    for seed in 0..4 {
        let found = Search::new(best.clone(), seed).run(effort.steps.saturating_mul(servers.max(20)), &is_enough);
        if found.worth < best.worth {
            best = found;
        }
        if best.worth.wrong == 0 {
            break;
        }
    }
    if is_enough(best.worth) {
        return Solved::Found { on: best.on, bound: least };
    }
    let start = (best.worth.wrong == 0).then_some(&best);
    match exact(of, start, effort) {
        Exact::Found { on, bound } => Solved::Found { on, bound: bound.max(least) },
        Exact::Impossible if start.is_none() => Solved::Impossible,
        Exact::Impossible | Exact::Unknown if start.is_some() => Solved::Found { on: best.on, bound: least },
        _ => Solved::Unknown(standing_in_the_way(&best)),
    }
}

fn standing_in_the_way(state: &State<'_>) -> Vec<usize> {
    let all = 0..state.of.servers;
    all.filter(|server| state.is_breaking(*server) || state.is_overfull(state.on[*server])).collect()
}
