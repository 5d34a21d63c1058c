//! Numbers that are too large, too small, or without a subject.

use wattle_place::{Amounts, Cloud, Effort, Flavor, Problem, Server, VCPUS, Wire, place};

use crate::given::on;
use crate::small::cloud;
use crate::template::{messages, server, template};

/// The diagnostics for a hosts file with one host, with these fields.
fn of_host(fields: &str) -> Vec<String> {
    let found = Cloud::read(&format!("hosts: {{h: {{{fields}}}}}"), "cloud.yaml");
    let found = found.map_or_else(|wrong| wrong, |(_, warnings)| warnings);
    found.iter().map(|one| format!("{}: {} ({})", one.code, one.message, one.help.join("; "))).collect()
}

fn usual(more: &str) -> Vec<String> {
    of_host(&format!("vcpus: 4, memory: 8 GiB, disk: 100, {more}"))
}

#[test]
fn a_number_that_is_far_too_small_is_no_panic() {
    for memory in ["-9223372036854775808 GiB", "-9223372036854775809 GiB", "9223372036854775807 TiB", "-0.5 GiB"] {
        let found = of_host(&format!("vcpus: 4, memory: {memory}, disk: 100"));
        assert!(found.len() == 1 && found[0].starts_with("W1604"), "{memory}: {found:?}");
    }
    let tiny = Flavor::read("{f: {vcpus: 1, memory: 0.0001 GiB, disk: 0.0004 TiB}}", "flavors.yaml").expect("flavors");
    assert_eq!((tiny["f"].demand["memory"], tiny["f"].demand["disk"]), (1, 1), "what is asked for is rounded up");
}

#[test]
fn ratios_have_as_many_decimals_as_a_cloud_gives_them() {
    let free = |ratio: &str| {
        let text = format!("hosts: {{h: {{vcpus: 3000, memory: 1, disk: 1, allocation: {{vcpus: {ratio}}}}}}}");
        let (cloud, _) = Cloud::read(&text, "cloud.yaml").unwrap_or_else(|wrong| panic!("{ratio}: {wrong:?}"));
        cloud.hosts[0].free(VCPUS).expect("it is known")
    };
    assert_eq!([free("1.3333333333333333"), free("0.6666666666666666"), free("16.0")], [3999, 1998, 48_000]);
    assert!(usual("allocation: {vcpus: 0.0001}")[0].contains("it is not a ratio"));
}

/// A misspelled resource is one that no host has.
#[test]
fn what_is_said_of_a_resource_that_the_host_does_not_have_is_reported() {
    assert_eq!(
        usual("allocation: {vcpu: 4}"),
        ["W1601: the host `h` has no `vcpu`, but `allocation` names it (did you mean `vcpus`?)"]
    );
    assert_eq!(
        usual("used: {memroy: 4, gpu: 1}"),
        [
            "W1601: the host `h` has no `memroy`, but `used` names it (did you mean `memory`?)",
            "W1601: the host `h` has no `gpu`, but `used` names it (add it: `resources: {gpu: 16}`)",
        ]
    );
    assert_eq!(usual("resources: {gpu: 2}, used: {gpu: 1}, allocation: {gpu: 2}"), [""; 0]);
    assert_eq!(
        usual("resources: {vcpus: 2}"),
        ["W1601: the host `h`: `vcpus` is a key of its own (write it beside `resources`)"]
    );
    // Only some hosts have the resource with a default ratio.
    let some =
        "defaults: {vcpus: 1, memory: 1, disk: 1, allocation: {gpu: 2}}\nhosts: {a: {resources: {gpu: 1}}, b: {}}";
    assert_eq!(Cloud::read(some, "cloud.yaml").expect("a cloud").1, []);
    let none = some.replace("gpu: 2", "gup: 2");
    let found = Cloud::read(&none, "cloud.yaml").expect_err("no host has it");
    assert_eq!(found[0].message, "no host has `gup`, but `allocation` in `defaults` names it");
}

/// The largest amounts of a file, for many servers and hosts, at the largest ratio.
#[test]
fn sums_of_the_largest_amounts_stay_right() {
    const MOST: i64 = 1 << 40;
    let mut all = cloud(&[(MOST * 1000, MOST * 1000, 0, false); 40]);
    for host in &mut all.hosts {
        host.total.remove("memory");
        host.total.insert("gpu".to_owned(), MOST * 1000);
    }
    let demand: Amounts = [VCPUS, "memory", "gpu", "disk"].map(|name| (name.to_owned(), MOST)).into();
    let servers: Vec<Server> = (0..60)
        .map(|number| Server { name: format!("s{number}"), demand: demand.clone(), ..Server::default() })
        .collect();
    let wires = (1..60).map(|other| Wire { between: (0, other), bandwidth: u32::MAX }).collect();
    let mut problem = Problem { servers, wires, ..Problem::default() };
    let effort = Effort { steps: 500, ..Effort::default() };
    let placed = place(&all, &problem, effort).expect("there is more than enough");
    assert_eq!(placed.verdict.breaches, []);
    problem.policies = vec![crate::small::policy(
        wattle_place::PlacementRule::Near(wattle_place::Level::Zone),
        &(0..60).collect::<Vec<_>>(),
        wattle_place::Strength::Preferred(u32::MAX),
    )];
    assert!(place(&all, &problem, effort).is_ok());
    problem.policies[0].strength = wattle_place::Strength::Required;
    assert!(place(&all, &problem, effort).is_ok(), "nobody knows a limit of memory");
    // The sum over ten thousand such hosts exceeds the range of numbers.
    let many = Cloud { hosts: vec![all.hosts[0].clone(); 10_000], ..Cloud::default() };
    let many = Cloud {
        hosts: many
            .hosts
            .into_iter()
            .enumerate()
            .map(|(n, host)| wattle_place::Host { name: n.to_string(), ..host })
            .collect(),
        ..many
    };
    problem.policies.clear();
    problem.servers.truncate(3);
    problem.wires.clear();
    assert!(place(&many, &problem, effort).is_ok());
}

#[test]
fn a_flavor_of_the_stack_asks_for_no_more_than_there_can_be() {
    let of = |flavor: &str| {
        let flavor = format!("  f: {{type: OS::Nova::Flavor, properties: {{{flavor}}}}}\n");
        on(
            "hosts: {h: {vcpus: 4, memory: 8 GiB, disk: 100}}",
            &template(&(flavor + &server("a", "{get_resource: f}", ""))),
            true,
        )
        .map_or_else(|wrong| messages(&wrong), |_| Vec::new())
    };
    let most = i64::MAX;
    assert!(of(&format!("ram: 1, vcpus: 1, disk: {most}, ephemeral: {most}"))[0].starts_with("W1608"));
    assert_eq!(of("ram: 1, vcpus: 1, disk: 99, ephemeral: 1"), [""; 0]);
    assert!(
        of("ram: 1, vcpus: 1, disk: 99, ephemeral: 1, swap: 1")[0].starts_with("W1608"),
        "swap is on the same disk"
    );
    let flavors = r#"[{"Name": "f", "RAM": 1, "Disk": 20, "Ephemeral": 5, "Swap": 1, "VCPUs": 1}, {"Name": "g", "RAM": 1, "Disk": 20, "Ephemeral": 0, "Swap": "", "VCPUs": 1}]"#;
    let flavors = Flavor::read(flavors, "flavors.json").expect("flavors");
    assert_eq!((flavors["f"].demand["disk"], flavors["g"].demand["disk"]), (26, 20));
    let long = r#"[{"Name": "f", "RAM": 1, "Disk": 20, "VCPUs": 1, "Properties": {"trait:CUSTOM_FAST": "required", "resources:VGPU": "2"}}]"#;
    let long = Flavor::read(long, "flavors.json").expect("flavors");
    assert_eq!((long["f"].demand["VGPU"], long["f"].traits.len()), (2, 1));
    assert!(Flavor::read(r#"[{"Name": "f", "RAM": 1, "Disk": 20, "Ephemeral": -5, "VCPUs": 1}]"#, "f.json").is_err());
}
