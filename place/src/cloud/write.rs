//! Writes a hosts file, deterministically.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use wattle_heat::yaml::{Tree, read};

use super::{Amounts, DISK, Flavors, Level, MEMORY, VCPUS};

/// A host in the form of a hosts file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Described {
    /// Its name in Nova.
    pub name: String,
    /// Its availability zone.
    pub zone: String,
    /// Its room, if known.
    pub room: Option<String>,
    /// Its rack, if known.
    pub rack: Option<String>,
    /// Its inventory: [`VCPUS`], [`MEMORY`] in MiB, [`DISK`] in GiB, and a cloud's own.
    pub has: Amounts,
    /// The usage of that inventory.
    pub used: Amounts,
    /// Allocation ratios in thousandths; 1 by default.
    pub ratios: Amounts,
    /// The largest amount for one server, where that is less than the total.
    pub largest: Amounts,
    /// The smallest amount for one server, where that is more than one unit.
    pub smallest: Amounts,
    /// The step of amounts for one server, where it is not one unit.
    pub step: Amounts,
    /// Its traits.
    pub traits: BTreeSet<String>,
}

/// Writes the hosts file of these hosts and flavors.
pub fn hosts_file(hosts: &[Described], flavors: &Flavors) -> String {
    let mut hosts: Vec<&Described> = hosts.iter().collect();
    hosts.sort_by(|one, other| one.name.cmp(&other.name));
    let standing = standing(&hosts);
    let mut text = String::from("places:\n");
    let places: BTreeMap<(std::cmp::Reverse<Level>, &str), &Standing> = standing
        .iter()
        .flat_map(|all| all.places().map(move |(level, name)| ((std::cmp::Reverse(level), name), all)))
        .collect();
    for ((std::cmp::Reverse(level), name), all) in places {
        let within = all.places().find(|(outer, _)| *outer > level).map(|(_, name)| name);
        let within = within.map_or_else(String::new, |name| format!(", in: {}", plain(name)));
        let _ = writeln!(text, "  {}: {{is: {}{within}}}", plain(name), level.word());
    }
    let ratios = common(hosts.iter().map(|host| pairs(&host.ratios)));
    let shares: Vec<_> = SHARES.iter().map(|(_, of)| common(hosts.iter().map(|host| all(of(host))))).collect();
    let traits = common(hosts.iter().map(|host| host.traits.clone()));
    let mut defaults = Vec::new();
    if !ratios.is_empty() {
        defaults.push(format!("allocation: {}", ratios_of(&ratios)));
    }
    for ((key, _), shares) in SHARES.iter().zip(&shares).filter(|(_, shares)| !shares.is_empty()) {
        defaults.push(format!("{key}: {}", amounts_of(shares)));
    }
    if !traits.is_empty() {
        defaults.push(format!("traits: {}", list(&traits)));
    }
    if !defaults.is_empty() {
        let _ = writeln!(text, "defaults: {{{}}}", defaults.join(", "));
    }
    text += "hosts:\n";
    for (host, standing) in hosts.iter().zip(&standing) {
        let mut fields = Vec::new();
        fields.extend(standing.places().next().map(|(_, name)| format!("in: {}", plain(name))));
        fields.extend(amounts(&host.has));
        let used: BTreeSet<(String, i64)> = all(&host.used).into_iter().filter(|(_, used)| *used > 0).collect();
        if !used.is_empty() {
            fields.push(format!("used: {}", amounts_of(&used)));
        }
        let own: BTreeSet<(String, i64)> = pairs(&host.ratios).difference(&ratios).cloned().collect();
        if !own.is_empty() {
            fields.push(format!("allocation: {}", ratios_of(&own)));
        }
        for ((key, of), shares) in SHARES.iter().zip(&shares) {
            let own: BTreeSet<(String, i64)> = all(of(host)).difference(shares).cloned().collect();
            if !own.is_empty() {
                fields.push(format!("{key}: {}", amounts_of(&own)));
            }
        }
        let own: BTreeSet<String> = host.traits.difference(&traits).cloned().collect();
        if !own.is_empty() {
            fields.push(format!("traits: {}", list(&own)));
        }
        let _ = writeln!(text, "  {}: {{{}}}", plain(&host.name), fields.join(", "));
    }
    if !flavors.is_empty() {
        text += "flavors:\n";
    }
    for (name, flavor) in flavors {
        let mut fields = amounts(&flavor.demand);
        if flavor.demand.get(DISK).is_some_and(|disk| *disk != flavor.root) {
            fields.push(format!("root: {}", amount(DISK, flavor.root)));
        }
        if !flavor.traits.is_empty() {
            fields.push(format!("traits: {}", list(&flavor.traits)));
        }
        let _ = writeln!(text, "  {}: {{{}}}", plain(name), fields.join(", "));
    }
    text
}

/// A property of each resource of a host.
type Share = fn(&Described) -> &Amounts;

/// The keys about the amount for one server.
const SHARES: [(&str, Share); 3] =
    [("largest", |host| &host.largest), ("smallest", |host| &host.smallest), ("step", |host| &host.step)];

fn all(amounts: &Amounts) -> BTreeSet<(String, i64)> {
    amounts.iter().map(|(name, amount)| (name.clone(), *amount)).collect()
}

fn amounts_of(all: &BTreeSet<(String, i64)>) -> String {
    let all: Vec<String> = all.iter().map(|(key, one)| format!("{}: {}", plain(key), amount(key, *one))).collect();
    format!("{{{}}}", all.join(", "))
}

/// The places of a host, from the inside outwards.
struct Standing {
    rack: Option<String>,
    room: Option<String>,
    zone: String,
}

/// The places of each host. Places have unique names within a file, so some get longer ones. A zone keeps its name,
/// because Nova knows it.
fn standing(hosts: &[&Described]) -> Vec<Standing> {
    let zones: BTreeSet<&String> = hosts.iter().map(|host| &host.zone).collect();
    let rooms: BTreeSet<&String> = hosts.iter().filter_map(|host| host.room.as_ref()).collect();
    let around = |host: &Described, level: Level| match level {
        Level::Rack => (host.room.clone(), host.zone.clone()),
        _ => (None, host.zone.clone()),
    };
    let own = |host: &Described, level: Level| if level == Level::Rack { host.rack.clone() } else { host.room.clone() };
    let name = |host: &Described, level: Level| {
        let name = own(host, level)?;
        let is_taken = zones.contains(&name) || level == Level::Rack && rooms.contains(&name);
        let mut full = if is_taken { format!("{} {name}", level.word()) } else { name.clone() };
        let others = hosts.iter().filter(|other| own(other, level).as_ref() == Some(&name));
        if others.map(|other| around(other, level)).collect::<BTreeSet<_>>().len() > 1 {
            let (room, zone) = around(host, level);
            full = room.into_iter().chain([zone]).fold(full, |full, outer| format!("{full} of {outer}"));
        }
        Some(full)
    };
    let of = |host: &&Described| Standing {
        rack: name(host, Level::Rack),
        room: name(host, Level::Room),
        zone: host.zone.clone(),
    };
    hosts.iter().map(of).collect()
}

impl Standing {
    fn places(&self) -> impl Iterator<Item = (Level, &str)> {
        let rack = self.rack.as_deref().map(|name| (Level::Rack, name));
        let room = self.room.as_deref().map(|name| (Level::Room, name));
        rack.into_iter().chain(room).chain([(Level::Zone, &*self.zone)])
    }
}

/// What all of these have in common.
fn common<T: Ord + Clone>(mut all: impl Iterator<Item = BTreeSet<T>>) -> BTreeSet<T> {
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, one| common.intersection(&one).cloned().collect())
}

/// The ratios other than 1.
fn pairs(ratios: &Amounts) -> BTreeSet<(String, i64)> {
    ratios.iter().filter(|(_, ratio)| **ratio != 1000).map(|(name, ratio)| (name.clone(), *ratio)).collect()
}

fn ratios_of(ratios: &BTreeSet<(String, i64)>) -> String {
    let one = |(name, ratio): &(String, i64)| {
        let decimals = format!("{:03}", ratio % 1000);
        let decimals = decimals.trim_end_matches('0');
        let point = if decimals.is_empty() { "" } else { "." };
        format!("{}: {}{point}{decimals}", plain(name), ratio / 1000)
    };
    format!("{{{}}}", ratios.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// The fields of amounts: those that every host has, and `resources` for the rest.
fn amounts(all: &Amounts) -> Vec<String> {
    let own = [VCPUS, MEMORY, DISK];
    let mut fields: Vec<String> =
        own.iter().map(|key| format!("{key}: {}", amount(key, all.get(*key).copied().unwrap_or(0)))).collect();
    let more = all.iter().filter(|(key, amount)| !own.contains(&&***key) && **amount > 0);
    let more: Vec<String> = more.map(|(key, amount)| format!("{}: {amount}", plain(key))).collect();
    if !more.is_empty() {
        fields.push(format!("resources: {{{}}}", more.join(", ")));
    }
    fields
}

/// An amount with the largest unit in which it is a whole number.
fn amount(resource: &str, amount: i64) -> String {
    let units = ["MiB", "GiB", "TiB"];
    let first = match resource {
        MEMORY => 0,
        DISK => 1,
        _ => return amount.to_string(),
    };
    let (mut amount, mut unit) = (amount, first);
    while amount > 0 && amount % 1024 == 0 && unit + 1 < units.len() {
        (amount, unit) = (amount / 1024, unit + 1);
    }
    format!("{amount} {}", units[unit])
}

fn list(words: &BTreeSet<String>) -> String {
    format!("[{}]", words.iter().map(|word| plain(word)).collect::<Vec<_>>().join(", "))
}

/// A word without quotes if it is read back as the same text; otherwise quoted.
fn plain(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && read(word).is_ok_and(|node| matches!(&*node.tree, Tree::Text { text, .. } if text == word));
    if is_plain { word.to_owned() } else { crate::template::quoted(word) }
}

#[cfg(test)]
mod tests {
    use super::super::{Cloud, Flavor};
    use super::*;

    fn of<const N: usize>(all: [(&str, i64); N]) -> Amounts {
        all.map(|(name, amount)| (name.to_owned(), amount)).into()
    }

    fn host(name: &str, zone: &str, rack: Option<&str>) -> Described {
        Described {
            name: name.to_owned(),
            zone: zone.to_owned(),
            room: None,
            rack: rack.map(str::to_owned),
            has: of([(VCPUS, 16), (MEMORY, 65_536), (DISK, 1_000), ("CUSTOM_GPU", 2)]),
            used: of([(VCPUS, 3), (MEMORY, 0)]),
            ratios: of([(VCPUS, 1_500), (MEMORY, 1_000)]),
            largest: of([(VCPUS, 16), (MEMORY, 65_536)]),
            smallest: Amounts::new(),
            step: of([("CUSTOM_GPU", 2)]),
            traits: ["HW_A".to_owned(), format!("CUSTOM_{name}")].into(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut hosts = vec![host("no", "az 1", Some("az 1")), host("h1", "az 1", Some("12")), host("h2", "az2", None)];
        hosts[1].room = Some("12".to_owned());
        hosts[2].ratios.insert(VCPUS.to_owned(), 16_000);
        hosts[2].largest.insert(VCPUS.to_owned(), 8);
        let flavor = Flavor {
            demand: of([(VCPUS, 1), (MEMORY, 512), (DISK, 5), ("CUSTOM_GPU", 1)]),
            root: 3,
            ..Flavor::default()
        };
        let flavors = Flavors::from_iter([("m1".to_owned(), flavor)]);
        let text = hosts_file(&hosts, &flavors);
        assert_eq!(
            text,
            hosts_file(&hosts.iter().rev().cloned().collect::<Vec<_>>(), &flavors),
            "the order does not matter"
        );
        let (cloud, warnings) = Cloud::read(&text, "cloud.yaml").unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
        assert!(warnings.is_empty(), "{warnings:?}");
        let [first, second, third] = &cloud.hosts[..] else { panic!("{text}") };
        assert_eq!(
            (&*first.name, &*first.zone, first.rack.as_deref(), first.room.as_deref()),
            ("h1", "az 1", Some("rack 12"), Some("12"))
        );
        assert_eq!((&*third.name, third.rack.as_deref()), ("no", Some("rack az 1")));
        assert_eq!((second.total[VCPUS], first.total[VCPUS], first.total[DISK]), (256, 24, 1_000));
        assert_eq!((second.used[VCPUS], second.total["CUSTOM_GPU"]), (3, 2));
        assert_eq!(second.traits, ["HW_A".to_owned(), "CUSTOM_h2".to_owned()].into());
        assert_eq!((cloud.flavors["m1"].demand["CUSTOM_GPU"], cloud.flavors["m1"].root), (1, 3));
        assert_eq!((first.largest[VCPUS], second.largest[VCPUS], third.largest[MEMORY]), (16, 8, 65_536));
        assert_eq!((&first.smallest, first.step["CUSTOM_GPU"]), (&Amounts::new(), 2));
        assert!(
            text.contains("defaults: {largest: {memory: 64 GiB}, step: {CUSTOM_GPU: 2}, traits: [HW_A]}")
                && text.contains("memory: 64 GiB, disk: 1000 GiB"),
            "{text}"
        );
    }
}
