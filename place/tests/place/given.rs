//! Existing settings in templates: hosts, rules of server groups, hints, and volumes.

use std::collections::BTreeMap;

use wattle_heat::Loaded;
use wattle_heat::parameters::Inputs;
use wattle_model::Diagnostic;
use wattle_place::template::{Order, Placed, Way, placed};
use wattle_place::{Cloud, Effort, Flavors};

use crate::template::{admin, host, messages, policies, run, server, servers, template};

/// Places a template on these hosts.
pub(crate) fn on(hosts: &str, text: &str, is_admin: bool) -> Result<Placed, Vec<Diagnostic>> {
    with(hosts, text, is_admin, Effort::default())
}

/// Likewise, with this effort.
pub(crate) fn with(hosts: &str, text: &str, is_admin: bool, effort: Effort) -> Result<Placed, Vec<Diagnostic>> {
    let (cloud, _) = Cloud::read(hosts, "cloud.yaml").unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let loaded = Loaded::load(text, "template.yaml", &BTreeMap::<String, Vec<u8>>::new(), &Inputs::default());
    placed(Order {
        loaded: &loaded,
        text: &|_| Some(text.to_owned()),
        said: &|_| None,
        wires: &[],
        cloud: &cloud,
        flavors: &Flavors::default(),
        runs: &BTreeMap::new(),
        moves: false,
        is_admin,
        effort,
    })
}

fn at(name: &str, zone: &str) -> String {
    server(name, "small", &format!("      availability_zone: {zone}\n"))
}

#[test]
fn the_host_that_its_author_names_stays_whoever_places_it() {
    let text = template(&format!("{}{}{}", at("a", "'az1:h2'"), servers(&["b"]), policies("{apart: [a, b]}")));
    for is_admin in [true, false] {
        let placed = run(&text, &[], is_admin, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        let a = &placed.servers[0];
        assert_eq!((&*a.host.name, a.way), ("h2", Way::Host));
        assert!(placed.files[0].1.contains("      availability_zone: 'az1:h2'\n"), "{}", placed.files[0].1);
    }
    // The name of a node is another name of the host; an empty text after the colon is not a host.
    for (zone, expected) in [("'az1::h2'", "h2"), ("':h2'", "h2"), ("'az2:'", "h4")] {
        assert_eq!(host(&admin(&template(&at("a", zone))), "a"), expected, "{zone}");
    }
}

#[test]
fn a_host_or_a_zone_that_the_cloud_does_not_have_is_named() {
    let of = |zone: &str| {
        let wrong = run(&template(&at("a", zone)), &[], true, &[]).expect_err("it is not there");
        wrong.iter().map(|one| format!("{}: {} ({})", one.code, one.message, one.help.join("; "))).collect::<Vec<_>>()
    };
    assert_eq!(
        of("'az1:h22'"),
        ["W1606: `a` must be on the host `h22`, which the hosts file does not have (did you mean `h2`?)"]
    );
    assert_eq!(of("az11"), ["W1606: `a` must be in the zone `az11`, which has no host (did you mean `az1`?)"]);
    assert_eq!(
        of("'az2:h2'"),
        ["W1606: `a` must be on the host `h2` in the zone `az2`, but that host is in the zone `az1` (write `az1:h2`)"]
    );
}

/// Nova keeps at most so many of a group on one host.
#[test]
fn a_server_group_allows_as_many_on_a_host_as_its_rules_say() {
    let group = |most: usize, number: usize| {
        let group = format!(
            "  g: {{type: OS::Nova::ServerGroup, properties: {{policies: [anti-affinity], rules: {{max_server_per_host: {most}}}}}}}\n"
        );
        let hint = "      scheduler_hints: {group: {get_resource: g}}\n";
        let all: String = (0..number).map(|one| server(&format!("s{one}"), "small", hint)).collect();
        template(&(group + &all + &policies("{near: [s0, s1, s2], within: zone, preferred: 90}")))
    };
    let most = |text: &str| {
        let placed = admin(text);
        let mut on: BTreeMap<&str, usize> = BTreeMap::new();
        placed.servers.iter().for_each(|one| *on.entry(&one.host.name).or_default() += 1);
        on.into_values().max().expect("a host")
    };
    // Each host has room for four.
    assert_eq!((most(&group(2, 8)), most(&group(3, 11))), (2, 3));
    assert_eq!(most(&group(1, 4)), 1);
    let wrong = run(&group(2, 9), &[], true, &[]).expect_err("four hosts");
    assert_eq!(
        messages(&wrong),
        [
            "W1608: the servers cannot be placed: 9 servers must be on different hosts, at most 2 on each, but there are only 4 known hosts"
        ]
    );
    // A group that allows two is no guarantee for separate hosts.
    let text = group(2, 2).replace("{near: [s0, s1, s2], within: zone, preferred: 90}", "{apart: [s0, s1]}");
    let placed = run(&text, &[], false, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(messages(&placed.warnings), ["W1610: nothing guarantees the policy `apart` by host of `s0` and `s1`"]);
}

#[test]
fn hints_about_other_servers_are_policies() {
    let hint = |name: &str, hint: &str| server(name, "small", &format!("      scheduler_hints: {{{hint}}}\n"));
    let text = template(&format!(
        "{}{}{}{}",
        servers(&["a", "b"]),
        hint("c", "different_host: [{get_resource: a}, {get_resource: b}]"),
        hint("d", "same_host: {get_resource: c}"),
        policies("{near: [a, b, c, d], within: host, preferred: 500}")
    ));
    let placed = admin(&text);
    assert!(host(&placed, "c") != host(&placed, "a") && host(&placed, "c") != host(&placed, "b"), "{placed:#?}");
    assert_eq!((host(&placed, "d"), host(&placed, "a")), (host(&placed, "c"), host(&placed, "b")));
    let text = text.replace("{near: [a, b, c, d], within: host, preferred: 500}", "{together: [a, c]}");
    let wrong = run(&text, &[], true, &[]).expect_err("both cannot be");
    assert!(
        messages(&wrong)[0].contains("the hint `different_host` of `c` and the policy `together` of `a` and `c`"),
        "{wrong:#?}"
    );
}

#[test]
fn a_server_that_boots_from_a_volume_takes_no_root_disk_of_its_host() {
    let hosts = "
hosts: {h1: {vcpus: 8, memory: 8 GiB, disk: 30}}
flavors:
  f: {vcpus: 1, memory: 1 GiB, disk: 25, root: 20}
  old: {vcpus: 1, memory: 1 GiB, disk: 20}
";
    let boots = |flavor: &str, how: &str| {
        let server =
            |name: &str| format!("  {name}: {{type: OS::Nova::Server, properties: {{flavor: {flavor}, {how}}}}}\n");
        let volume = "  v: {type: OS::Cinder::Volume, properties: {size: 20}}\n";
        on(hosts, &template(&format!("{volume}{}{}", server("a"), server("b"))), true).is_ok()
    };
    // There is room for one root disk, but for six of the rest.
    assert!(!boots("f", "image: i"));
    for volume in [
        "block_device_mapping_v2: [{boot_index: 0, volume_id: {get_resource: v}}]",
        "block_device_mapping_v2: [{volume_id: {get_resource: v}}, {boot_index: '0', image: i, volume_size: 20}]",
        "image: i, block_device_mapping_v2: [{boot_index: 0, snapshot_id: s}]",
        "block_device_mapping: [{device_name: vda, volume_id: {get_resource: v}}]",
    ] {
        assert!(boots("f", volume), "{volume}");
        assert!(boots("old", volume), "{volume}: what is not said to be more is the root disk");
    }
    for local in [
        "image: i, block_device_mapping_v2: [{boot_index: 1, volume_id: {get_resource: v}}]",
        "image: i, block_device_mapping: [{device_name: vdb, volume_id: {get_resource: v}}]",
        "image: i, block_device_mapping_v2: [{boot_index: -1, volume_id: {get_resource: v}}]",
    ] {
        assert!(!boots("f", local), "{local}");
    }
}

#[test]
fn a_host_gives_no_server_more_than_its_largest_share() {
    let hosts = |more: &str| {
        format!(
            "
hosts:
  h1: {{vcpus: 16, memory: 64 GiB, disk: 500, allocation: {{vcpus: 4}}, {more}}}
  h2: {{vcpus: 12, memory: 64 GiB, disk: 500}}
flavors: {{f: {{vcpus: 20, memory: 1 GiB, disk: 1}}, odd: {{vcpus: 5, memory: 1 GiB, disk: 1}}}}
"
        )
    };
    let on_which = |more: &str, flavor: &str| {
        on(&hosts(more), &template(&server("a", flavor, "      availability_zone: nova\n")), true)
            .map(|placed| placed.servers[0].host.name.clone())
            .map_err(|wrong| messages(&wrong).join("\n"))
    };
    assert_eq!(on_which("", "f").as_deref(), Ok("h1"));
    assert_eq!(
        on_which("largest: {vcpus: 16}", "f"),
        Err("W1608: the servers cannot be placed: no host gives 20 vcpus to one server and has 20 vcpus left"
            .to_owned())
    );
    assert_eq!(on_which("largest: {vcpus: 4}", "odd").as_deref(), Ok("h2"));
    assert_eq!(on_which("smallest: {vcpus: 6}", "odd").as_deref(), Ok("h2"));
    assert_eq!(on_which("step: {vcpus: 2}", "odd").as_deref(), Ok("h2"));
    let exactly = "step: {vcpus: 20}, smallest: {vcpus: 20}, largest: {vcpus: 20}";
    assert_eq!(on_which(exactly, "f").as_deref(), Ok("h1"));
}
