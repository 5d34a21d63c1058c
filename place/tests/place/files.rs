//! Hosts files: valid ones, and the diagnostics for invalid ones.

use wattle_place::{Cloud, DISK, Flavor, Level, MEMORY, VCPUS, codes};

fn said(text: &str) -> Vec<String> {
    let found = Cloud::read(text, "cloud.yaml").expect_err("it is wrong");
    let line = |one: &wattle_model::Diagnostic| {
        let at = one.place().map_or_else(String::new, |at| format!("{}:{} ", at.line, at.column));
        let help = if one.help.is_empty() { String::new() } else { format!(" ({})", one.help.join("; ")) };
        format!("{at}{} {}{help}", one.code, one.message)
    };
    found.iter().map(line).collect()
}

#[test]
fn a_hosts_file_is_read() {
    let text = "
places:
  north: {is: zone}
  hall: {is: room, in: north}
  a: {is: rack, in: hall}
defaults: {vcpus: 32, memory: 128 GiB, disk: 1 TiB, allocation: {vcpus: 4}}
hosts:
  c1: {in: a, used: {vcpus: 8, memory: 1 GiB}, traits: [LICENSED], resources: {gpu: 2}}
  c2: {memory: 4096}
flavors:
  small: {vcpus: 1, memory: 2 GiB, disk: 20}
";
    let (cloud, warnings) = Cloud::read(text, "cloud.yaml").expect("it is right");
    assert_eq!(warnings, []);
    let c1 = cloud.host("c1").expect("it is there");
    let free = |resource| c1.free(resource);
    assert_eq!((free(VCPUS), free(MEMORY), free(DISK)), (Some(120), Some(127 * 1024), Some(1024)));
    assert_eq!((free("gpu"), free("fpga")), (Some(2), Some(0)));
    assert_eq!(Level::ALL.map(|level| c1.place(level)), [Some("c1"), Some("a"), Some("hall"), Some("north")]);
    let c2 = cloud.host("c2").expect("it is there");
    assert_eq!((c2.free(MEMORY), c2.place(Level::Rack), c2.place(Level::Zone)), (Some(4096), None, Some("nova")));
    assert_eq!(cloud.flavors["small"].demand[MEMORY], 2048);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let text = "
places:
  hall: {is: room, in: a}
  a: {is: rack, in: hall}
  b: {is: reck}
  c: {in: nowhere}
  d: {is: zone, in: b2}
  b2: {is: rack}
hosts:
  c1: {in: a, vcpus: -1, memory: 64 GB, disk: 1 TiB}
  c2: {in: hal, vcpu: 3}
  c1: {}
  c3: {vcpus: 1, memory: 1 GiB, disk: 1, allocation: {vcpus: 0}, used: 7}
host: {}
";
    assert_eq!(
        said(text),
        [
            "3:24 W1602 the place `hall` is within itself (remove one `in`, or name a larger place)",
            "5:11 W1602 the place `b`: `reck` is not a kind of place (did you mean `rack`? it is one of `zone`, `room` and `rack`)",
            "6:3 W1601 the place `c` has no `is` (write `is: zone`, `is: room` or `is: rack`)",
            "7:21 W1602 the zone `d` cannot be in the rack `b2` (a rack is in a room or a zone, and a room in a zone)",
            "10:22 W1604 the host `c1`: `vcpus`: -1 is negative (write a whole number of 0 or more, such as `16`)",
            "10:34 W1604 the host `c1`: `memory`: `GB` is not a unit of size (did you mean `GiB`? units are `KiB`, `MiB`, `GiB` and `TiB`)",
            "11:3 W1604 the host `c2` has no `vcpus`, `memory` and `disk` (write what all hosts have in common only once, under `defaults`)",
            "11:12 W1602 the host `c2` is in `hal`, which is not a place in the file (did you mean `hall`?)",
            "11:17 W1601 the host `c2`: unknown key `vcpu` (did you mean `vcpus`? keys of the host `c2` are `in`, `vcpus`, `memory`, `disk`, `resources`, `used`, `allocation`, `largest`, `smallest`, `step` and `traits`)",
            "12:3 W1603 `c1` appears twice in the hosts (give each its own name, or remove one)",
            "13:62 W1604 the host `c3`: `allocation` of `vcpus`: it is not a ratio (write a number above 0 and up to 1000, such as `1.5`)",
            "13:72 W1601 `used` of the host `c3` must be a map, not an integer",
            "14:1 W1601 a hosts file: unknown key `host` (did you mean `hosts`? keys of a hosts file are `places`, `defaults`, `hosts` and `flavors`)",
            "7:3 W1602 no host is in the zone `d`",
        ]
    );
    assert_eq!(
        said("{}"),
        ["W1601 `cloud.yaml` has no hosts (describe them: `hosts: {NAME: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}}`)"]
    );
    assert_eq!(said("[").len(), 1);
}

#[test]
fn what_the_command_openstack_writes_is_read() {
    let hosts = r#"[{"ID": 1, "Hypervisor Hostname": "c1", "State": "up", "vCPUs Used": 2, "vCPUs": 8, "Memory MB Used": 512, "Memory MB": 16384},
        {"ID": 2, "Hypervisor Hostname": "c2", "State": "down"}]"#;
    let (cloud, _) = Cloud::read(hosts, "hosts.json").expect("it is right");
    assert_eq!(cloud.hosts.len(), 1, "one is down");
    let c1 = &cloud.hosts[0];
    assert_eq!((c1.free(VCPUS), c1.free(MEMORY), c1.free(DISK)), (Some(6), Some(15_872), None));
    let short = r#"[{"Hypervisor Hostname": "c1", "State": "up"}]"#;
    assert!(said(short).iter().any(|one| one.contains("W1604 the host `c1` has no `vCPUs` (")), "{:?}", said(short));
    let flavors = r#"[{"Name": "m1.small", "RAM": 2048, "Disk": 20, "Ephemeral": 5, "VCPUs": 1, "Is Public": true}]"#;
    let flavors = Flavor::read(flavors, "flavors.json").expect("it is right");
    let demand: Vec<_> = flavors["m1.small"].demand.iter().map(|(name, amount)| (name.as_str(), *amount)).collect();
    assert_eq!(demand, [(DISK, 25), (MEMORY, 2048), (VCPUS, 1)]);
}

/// Each code's first example is found, and its second one is not.
#[test]
fn examples_of_codes_are_what_they_say() {
    for about in codes::all() {
        let mut examples = about.docs.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().expect("an end"));
        let unindented =
            |text: &str| text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let mut codes_of = || {
            let text = unindented(examples.next().expect("two examples"));
            let found = if text.starts_with("heat_template_version") {
                crate::template::found(&text, about.code)
            } else {
                Cloud::read(&text, "cloud.yaml").map_or_else(|found| found, |(_, warnings)| warnings)
            };
            found.into_iter().map(|one| one.code).collect::<Vec<_>>()
        };
        assert!(codes_of().contains(&about.code), "{}", about.code);
        assert_eq!(codes_of(), Vec::<&str>::new(), "{}", about.code);
    }
}
