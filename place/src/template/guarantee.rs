//! How Nova keeps policies: by zones and server groups; and which policies cannot be guaranteed.

use wattle_model::Diagnostic;
use wattle_model::placement::{Level, PlacementRule, Strength};
use wattle_words::names::some;

use crate::cloud::Host;
use crate::codes::GUARANTEE;
use crate::problem::{Policy, Problem};

use super::servers::{Servers, Written};
use super::{Order, Way, Where};

/// A server group that is added to the placed template.
pub(super) struct Group {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) policy: String,
    /// Full names of servers.
    pub(super) members: Vec<String>,
    /// The index in [`Problem::policies`] of its policy. `None` if an earlier placement has added it, and no policy
    /// requires it any longer.
    pub(super) of: Option<usize>,
}

/// The server groups by which Nova keeps policies if hosts cannot be named. A server can be in only one, so earlier
/// required policies get their groups first.
pub(super) fn groups(
    order: Order<'_>,
    problem: &Problem,
    of_groups: usize,
    servers: &Servers,
    all: &[Where],
) -> Vec<Group> {
    let mut groups: Vec<Group> = servers.kept_groups(all);
    if order.is_admin {
        return groups;
    }
    let mut by_strength: Vec<usize> = (0..problem.policies.len()).collect();
    by_strength.sort_by_key(|of| !must(&problem.policies[*of]));
    for of in by_strength {
        let policy = &problem.policies[of];
        let name = match (&policy.rule, must(policy)) {
            (PlacementRule::Apart(Level::Host | Level::Rack | Level::Room), true) => "anti-affinity",
            (PlacementRule::Apart(Level::Host | Level::Rack | Level::Room), false) => "soft-anti-affinity",
            (PlacementRule::Near(Level::Host), true) => "affinity",
            (PlacementRule::Near(Level::Host), false) => "soft-affinity",
            _ => continue,
        };
        if is_grouped(problem, of_groups, of) {
            continue;
        }
        if extend(&mut groups, of, policy, name, servers) {
            continue;
        }
        let written: Option<Vec<&str>> = policy
            .members
            .iter()
            .map(|one| {
                let one = &servers.all[*one];
                one.own.as_ref().filter(|_| is_free(one, &groups)).map(|(file, _)| &**file)
            })
            .collect();
        let Some([file, others @ ..]) = written.as_deref() else { continue };
        if others.iter().any(|other| other != file) || is_in_zones(policy, all, &[]) {
            continue;
        }
        let (file, policy_name) = ((*file).to_owned(), name.to_owned());
        let members = policy.members.iter().map(|one| servers.all[*one].asks.name.clone()).collect();
        let is_new = |name: &String| {
            let nested = order.loaded.library.templates.values().map(|nested| &nested.template);
            let mut all = std::iter::once(&order.loaded.template).chain(nested);
            !all.any(|template| template.resources.contains_key(name)) && groups.iter().all(|group| group.name != *name)
        };
        let mut names = (1..).map(|number| format!("wattle_{}_{number}", policy.rule.word()));
        let name = names.find(is_new).expect("INVARIANT: numbers do not end");
        groups.push(Group { file, name, policy: policy_name, members, of: Some(of) });
    }
    groups
}

/// Whether a server can still be put into a group: a running one is in its group already, or in none.
fn is_free(one: &Written, groups: &[Group]) -> bool {
    !one.has_hints && one.runs.is_none() && groups.iter().all(|group| !group.members.contains(&one.asks.name))
}

/// Adds the new members of a policy to the group that keeps it for the running ones. Returns false if there is none.
fn extend(groups: &mut [Group], of: usize, policy: &Policy, name: &str, servers: &Servers) -> bool {
    let members: Vec<&Written> = policy.members.iter().map(|one| &servers.all[*one]).collect();
    let is_member = |name: &String| members.iter().any(|one| one.asks.name == *name);
    let keeps = |group: &Group| group.of.is_none() && group.policy == name && group.members.iter().all(is_member);
    let Some(number) = groups.iter().position(keeps) else { return false };
    let file = &groups[number].file;
    let more: Vec<&&Written> = members.iter().filter(|one| !groups[number].members.contains(&one.asks.name)).collect();
    let fits = |one: &&&Written| is_free(one, groups) && one.own.as_ref().is_some_and(|(own, _)| own == file);
    if !more.iter().all(fits) {
        return false;
    }
    let more: Vec<String> = more.iter().map(|one| one.asks.name.clone()).collect();
    groups[number].members.extend(more);
    groups[number].of = Some(of);
    true
}

/// Whether a server group of the template keeps the policy, or is the policy: the first `of_groups` policies are server groups.
fn is_grouped(problem: &Problem, of_groups: usize, number: usize) -> bool {
    let policy = &problem.policies[number];
    let keeps = |group: &Policy| {
        group.rule == policy.rule
            && group.most <= policy.most
            && (must(group) || !must(policy))
            && policy.members.iter().all(|one| group.members.contains(one))
    };
    number < of_groups || problem.policies[..of_groups].iter().any(keeps)
}

fn must(policy: &Policy) -> bool {
    policy.strength == Strength::Required
}

/// Whether a policy holds wherever servers are in their zones.
fn is_in_zones(policy: &Policy, all: &[Where], hosts: &[Host]) -> bool {
    let zones: Vec<&str> = policy.members.iter().map(|one| &*all[*one].host.zone).collect();
    let within = |zone: &str| hosts.iter().filter(|host| host.zone == zone).collect::<Vec<_>>();
    match &policy.rule {
        PlacementRule::Zone(_) | PlacementRule::Near(Level::Zone) => true,
        PlacementRule::Apart(_) => (1..zones.len()).all(|at| !zones[..at].contains(&zones[at])),
        PlacementRule::Near(level) => {
            let hosts = within(zones[0]);
            let first = hosts.first().and_then(|host| host.place(*level));
            zones.iter().all(|zone| *zone == zones[0])
                && first.is_some()
                && hosts.iter().all(|host| host.place(*level) == first)
        }
        PlacementRule::License(kind) => {
            !hosts.is_empty() && zones.iter().all(|zone| within(zone).iter().all(|host| host.traits.contains(kind)))
        }
    }
}

/// Reports what could not be guaranteed: each required policy, and the others together.
pub(super) fn unguaranteed(
    order: Order<'_>,
    problem: &Problem,
    of_groups: usize,
    all: &[Where],
    groups: &[Group],
    found: &mut Vec<Diagnostic>,
) {
    let mut wished: Vec<&Policy> = Vec::new();
    for (number, policy) in problem.policies.iter().enumerate() {
        let that_are = |way: Way| -> Vec<&str> {
            let members = policy.members.iter().map(|one| &all[*one]);
            members.filter(|one| one.way == way).map(|one| &*one.server).collect()
        };
        let (left, lost) = (that_are(Way::Nova), that_are(Way::Somewhere));
        let has_hosts = policy.members.iter().all(|one| matches!(all[*one].way, Way::Host | Way::Stays));
        let group = groups.iter().find(|group| group.of == Some(number)).filter(|_| left.is_empty());
        let is_whole = group.is_some()
            && matches!(policy.rule, PlacementRule::Apart(Level::Host) | PlacementRule::Near(Level::Host));
        if has_hosts
            || is_grouped(problem, of_groups, number)
            || is_whole
            || left.is_empty() && lost.is_empty() && is_in_zones(policy, all, &order.cloud.hosts)
        {
            continue;
        }
        if !must(policy) {
            wished.push(policy);
            continue;
        }
        let why = if !lost.is_empty() {
            format!(
                "{} {} already, but it is not known where",
                some(lost.iter().copied(), 6),
                if lost.len() == 1 { "runs" } else { "run" }
            )
        } else if left.is_empty() {
            "without an administrator's rights, a template can name zones but not hosts".to_owned()
        } else {
            format!("{} left to Nova", some(left, 6))
        };
        let mut diagnostic =
            GUARANTEE.about.diagnostic(format!("nothing guarantees {}", policy.words)).label(&policy.at, why);
        if let Some(group) = group {
            diagnostic = diagnostic.note(format!("the server group `{}` keeps them on different hosts", group.name));
        }
        found.push(diagnostic.help("have an administrator create the stack: `--admin`"));
    }
    if let Some(first) = wished.first() {
        let message = match wished.len() {
            1 => format!("{} is a preference that Nova does not support", first.words),
            many => format!("{many} policies are preferences that Nova does not support"),
        };
        let diagnostic = GUARANTEE.about.diagnostic(message);
        let diagnostic =
            wished.iter().fold(diagnostic, |diagnostic, policy| diagnostic.label(&policy.at, &*policy.words));
        found.push(diagnostic.help("have an administrator create the stack: `--admin`"));
    }
}
