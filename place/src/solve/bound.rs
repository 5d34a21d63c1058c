//! A lower bound of the cost of any placement, computed without solving anything.

use super::instance::Instance;

/// A lower bound of the cost of all placements. It counts wires between servers that cannot share a host or a place,
/// and preferences that no placement can satisfy.
pub(super) fn bound(of: &Instance) -> i64 {
    let wires: i64 = of.pairs.iter().map(|(one, other, bandwidth)| bandwidth * apart(of, *one, *other)).sum();
    let groups: i64 = of
        .groups
        .iter()
        .filter_map(|group| {
            let places = of.within[group.level].len() * group.most as usize;
            let over = i64::try_from(group.members.len().saturating_sub(places)).unwrap_or(0);
            group.weight.filter(|_| group.is_apart).map(|weight| weight * over)
        })
        .sum();
    let wishes: i64 = (0..of.servers)
        .flat_map(|server| of.wishes[server].iter().map(move |wish| (server, wish)))
        .filter(|(server, (mask, _))| !of.open(*server).iter().any(|host| of.masks[*mask][*host as usize]))
        .map(|(_, (_, weight))| weight)
        .sum();
    wires + groups + wishes
}

/// The smallest possible distance between two servers.
fn apart(of: &Instance, one: u32, other: u32) -> i64 {
    let must = of.groups_of[one as usize].iter().filter(|group| of.groups_of[other as usize].contains(group));
    let must = must
        .map(|group| &of.groups[*group as usize])
        .filter(|group| group.is_apart && group.most == 1 && group.weight.is_none());
    let levels = must.map(|group| group.level + 1).max().unwrap_or(0);
    // Both must fit on the same host.
    let fits = || {
        of.open(one as usize).iter().any(|host| {
            of.is_allowed(other as usize, *host)
                && (0..of.resources).all(|resource| {
                    let asked = of.asks(one as usize)[resource] + of.asks(other as usize)[resource];
                    asked <= of.free[*host as usize * of.resources + resource]
                })
        })
    };
    let levels = if levels == 0 && !fits() { 1 } else { levels };
    crate::problem::DISTANCES[levels.min(4)]
}
