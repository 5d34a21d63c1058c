//! Schedulers that place servers one by one: a model of Nova's filter scheduler, and best fit.

use wattle_place::{Cloud, Level, MEMORY, PlacementRule, Policy, Problem, VCPUS};

/// How to choose among the hosts with room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// By Nova's weighers: the one with the most left. Nova knows hosts but no racks: servers for different racks are
    /// only on different hosts.
    Nova,
    /// The one with the least left. It knows racks.
    BestFit,
}

/// The index of each server's host, or `None` where none had room. There is no backtracking.
pub(crate) fn one_by_one(cloud: &Cloud, problem: &Problem, choice: Choice) -> Vec<Option<usize>> {
    let amounts = |of: &dyn Fn(&str) -> i64| [VCPUS, MEMORY].map(of);
    let mut free: Vec<[i64; 2]> =
        cloud.hosts.iter().map(|host| amounts(&|one| host.free(one).expect("it is known"))).collect();
    let total: Vec<[i64; 2]> = cloud.hosts.iter().map(|host| amounts(&|one| host.total[one])).collect();
    let mut on: Vec<Option<usize>> = vec![None; problem.servers.len()];
    let mut groups: Vec<Vec<&Policy>> = vec![Vec::new(); problem.servers.len()];
    for policy in &problem.policies {
        policy.members.iter().for_each(|member| groups[*member].push(policy));
    }
    let place = |host: usize, level: Level| if level == Level::Rack { cloud.hosts[host].rack.clone() } else { None };
    for server in 0..problem.servers.len() {
        let asks = amounts(&|one| problem.servers[server].demand[one]);
        let is_apart = |policy: &&Policy, host: usize| {
            let PlacementRule::Apart(level) = policy.rule else { panic!("this benchmark has no other policies") };
            let level = if choice == Choice::Nova { Level::Host } else { level };
            let others = policy.members.iter().filter_map(|other| on[*other]);
            others
                .into_iter()
                .all(|other| other != host && (level == Level::Host || place(other, level) != place(host, level)))
        };
        let fits = |host: &usize| {
            (0..2).all(|one| asks[one] <= free[*host][one])
                && groups[server].iter().all(|policy| is_apart(policy, *host))
        };
        let open: Vec<usize> = (0..cloud.hosts.len()).filter(fits).collect();
        on[server] = match choice {
            Choice::Nova => heaviest(&open, &free),
            Choice::BestFit => {
                open.into_iter().min_by_key(|host| free[*host][0] * total[*host][1] + free[*host][1] * total[*host][0])
            }
        };
        if let Some(host) = on[server] {
            (0..2).for_each(|one| free[host][one] -= asks[one]);
        }
    }
    on
}

/// The first of the hosts with the greatest sum of Nova's weights for processors and memory: the free amount of each,
/// relative to the largest free amount among these hosts. The other weighers do not distinguish these hosts.
fn heaviest(open: &[usize], free: &[[i64; 2]]) -> Option<usize> {
    let most = [0, 1].map(|one| open.iter().map(|host| free[*host][one]).max().unwrap_or_default());
    #[expect(clippy::cast_precision_loss, reason = "amounts are small")]
    let part = |host: usize, one: usize| if most[one] == 0 { 0.0 } else { free[host][one] as f64 / most[one] as f64 };
    let weighed = open.iter().map(|host| (*host, part(*host, 0) + part(*host, 1)));
    weighed.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(host, _)| host)
}
