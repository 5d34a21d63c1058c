//! Adds places to the servers of a template.
//!
//! What belongs here: the demands of a template's servers (`servers`, `flavor`), the policies in it (`policies`,
//! `carrier`) and the servers that they name (`members`), the template with places (`written`, by means of `edit`),
//! running servers (`standing`), and what cannot be guaranteed (`guarantee`). What does not: I/O, and deciding where
//! something goes.

mod carrier;
mod edit;
mod flavor;
mod guarantee;
mod members;
mod policies;
mod servers;
mod standing;
mod written;

use std::collections::BTreeMap;

use wattle_heat::{Desired, Loaded};
use wattle_model::{Bandwidth, Diagnostic, Severity, Source};
use wattle_words::names::list;

use crate::cloud::{Cloud, Flavors, Host};
use crate::codes::CONFLICT;
use crate::conflict::Conflict;
use crate::problem::Problem;
use crate::solve::{Effort, Placement, Unplaced, place};

use self::servers::Servers;

pub use self::carrier::{KEY, policies};
pub(crate) use self::edit::quoted;
pub use self::standing::Runs;

/// A request for a placement.
#[derive(Clone, Copy)]
pub struct Order<'o> {
    /// The template.
    pub loaded: &'o Loaded,
    /// The text of each of its files.
    pub text: &'o dyn Fn(&str) -> Option<String>,
    /// The author's location of the policy with this index, if that is not in the template.
    pub said: &'o dyn Fn(usize) -> Option<Source>,
    /// Which servers communicate and how much, by name, if the template itself does not say.
    pub wires: &'o [(String, String, Bandwidth)],
    /// The cloud.
    pub cloud: &'o Cloud,
    /// Flavors besides those in the hosts file.
    pub flavors: &'o Flavors,
    /// The running servers, by their full names.
    pub runs: &'o BTreeMap<String, Runs>,
    /// Whether they may leave their hosts. One that does is replaced, because Nova creates it again.
    pub moves: bool,
    /// Whether the user who creates the stack may name hosts, which Nova allows administrators.
    pub is_admin: bool,
    /// The solver's limits.
    pub effort: Effort,
}

/// A template with placed servers.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The changed files, with their new texts.
    pub files: Vec<(String, String)>,
    /// The place of each server, in the template's order.
    pub servers: Vec<Where>,
    /// The placement and its cost.
    pub placement: Placement,
    /// Violated preferences, as texts, and how many servers violate each.
    pub unkept: Vec<(String, i64)>,
    /// The bandwidth of all wires, in Mbit/s.
    pub bandwidth: i64,
    /// What could not be guaranteed, and other warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The place of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Where {
    /// Its full name.
    pub server: String,
    /// The host.
    pub host: Host,
    /// How it is placed there.
    pub way: Way,
    /// The host that it leaves.
    pub leaves: Option<String>,
}

/// How a server gets to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The template names its host.
    Host,
    /// The template names its zone, and Nova chooses a host there.
    Zone,
    /// The template cannot express it, and Nova chooses.
    Nova,
    /// It is already running there.
    Stays,
    /// It is running on an unknown host. It stays there, and room is kept for it.
    Somewhere,
}

impl Way {
    /// Whether the server is already running and stays where it is.
    pub fn is_running(self) -> bool {
        matches!(self, Self::Stays | Self::Somewhere)
    }
}

/// Places the servers of the template.
///
/// # Errors
///
/// All errors in it, or why there is no placement.
///
/// # Panics
///
/// A placement names a host that its cloud does not have.
pub fn placed(order: Order<'_>) -> Result<Placed, Vec<Diagnostic>> {
    let desired = Desired::unfolded(order.loaded);
    let mut found = Vec::new();
    let servers = Servers::of(order, &desired, &mut found);
    let (policies, of_groups, wires) = policies::read(order, &desired, &servers, &mut found);
    if found.iter().any(|one| one.severity == Severity::Error) {
        return Err(wattle_model::check::sorted(found));
    }
    let problem = Problem { servers: servers.all.iter().map(|one| one.asks.clone()).collect(), policies, wires };
    let mut cloud = order.cloud.clone();
    servers.with_what_runs(&mut cloud, &mut found);
    let is_fixed = problem.servers.iter().any(|server| server.runs_on.is_some() && !server.moves);
    let placement = place(&cloud, &problem, order.effort).map_err(|why| vec![unplaced(why, is_fixed)])?;
    let host = |name: &str| {
        let host = cloud.host(&placement.on[name]);
        host.expect("INVARIANT: a placement names hosts of its cloud").clone()
    };
    let mut all: Vec<Where> = servers
        .all
        .iter()
        .map(|one| {
            let host = host(&one.asks.name);
            let before = one.asks.runs_on.as_ref();
            let way = match (&one.own, order.is_admin) {
                _ if before == Some(&host.name) => Way::Stays,
                _ if before.is_none() && one.runs.is_some() => Way::Somewhere,
                _ if one.asks.host.is_some() => Way::Host,
                (None, _) => Way::Nova,
                (Some(_), true) => Way::Host,
                (Some(_), false) => Way::Zone,
            };
            let leaves = before.filter(|before| **before != host.name).cloned();
            Where { server: one.asks.name.clone(), host, way, leaves }
        })
        .collect();
    let groups = guarantee::groups(order, &problem, of_groups, &servers, &all);
    let files = written::files(order, &servers, &mut all, &groups, &mut found)?;
    guarantee::unguaranteed(order, &problem, of_groups, &all, &groups, &mut found);
    let unkept =
        placement.verdict.unkept.iter().map(|(policy, broken)| (problem.policies[*policy].words.clone(), *broken));
    let unkept = unkept.collect();
    let bandwidth = problem.wires.iter().map(|wire| i64::from(wire.bandwidth)).sum();
    Ok(Placed { files, servers: all, placement, unkept, bandwidth, warnings: wattle_model::check::sorted(found) })
}

/// The errors in the policies and the wires of a template, whatever the cloud.
pub fn check(loaded: &Loaded) -> Vec<Diagnostic> {
    if !policies::are_there(loaded) {
        return Vec::new();
    }
    let (cloud, flavors, runs) = (Cloud::default(), Flavors::default(), BTreeMap::new());
    let order = Order {
        loaded,
        text: &|_| None,
        said: &|_| None,
        wires: &[],
        cloud: &cloud,
        flavors: &flavors,
        runs: &runs,
        moves: false,
        is_admin: false,
        effort: Effort::default(),
    };
    let desired = Desired::unfolded(loaded);
    // Facts about servers that are unknown without a cloud are not errors.
    let servers = Servers::of(order, &desired, &mut Vec::new());
    let mut found = Vec::new();
    policies::read(order, &desired, &servers, &mut found);
    wattle_model::check::sorted(found)
}

/// The diagnostic for a missing placement, with all parts of the conflict.
fn unplaced(why: Unplaced, is_fixed: bool) -> Diagnostic {
    let diagnostic = reason(why);
    if is_fixed { diagnostic.help("or let servers leave the hosts that they run on: `--move`") } else { diagnostic }
}

fn reason(why: Unplaced) -> Diagnostic {
    match why {
        Unplaced::Conflict(Conflict { parts, why, is_smallest }) => {
            let message = match why {
                Some(why) => format!("the servers cannot be placed: {why}"),
                None => "the servers cannot be placed: these parts conflict".to_owned(),
            };
            let mut diagnostic = CONFLICT.about.diagnostic(message);
            for part in parts {
                diagnostic = match part.at {
                    Some(at) => diagnostic.label(&at, part.words),
                    None => diagnostic.note(format!("part of the conflict: {}", part.words)),
                };
            }
            if !is_smallest {
                diagnostic = diagnostic.note(
                    "some of these may not be part of the conflict: the search stopped before it could rule them out",
                );
            }
            diagnostic.help(
                "give up one of these: make a policy a preference instead of a requirement, or give hosts more room",
            )
        }
        Unplaced::GaveUp { servers } => {
            let servers = list(servers.iter().map(String::as_str), "and");
            CONFLICT
                .about
                .diagnostic("found no placement for all servers, but one may exist")
                .note(format!("in the best attempt, these could not be placed: {servers}"))
                .help("give hosts more room, or make policies preferences instead of requirements")
        }
    }
}
