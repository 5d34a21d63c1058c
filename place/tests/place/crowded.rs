//! More servers than there is room for: the conflict is proven at once, and explained with as few parts as possible.

use wattle_model::Diagnostic;
use wattle_place::Effort;

use crate::given::{on, with};
use crate::template::{policies, server, template};

/// Twelve racks of four hosts in two zones; the hosts of the last three racks have little left, and those of five have
/// a license.
fn hosts() -> String {
    let mut text = String::from("places: {z0: {is: zone}, z1: {is: zone}");
    (0..12).for_each(|rack| text += &format!(", r{rack}: {{is: rack, in: z{}}}", rack % 2));
    text += "}\nhosts:\n";
    for rack in 0..12 {
        let used = if rack > 8 { ", used: {vcpus: 14}" } else { "" };
        let traits = if rack < 5 { ", traits: [L]" } else { "" };
        for host in 0..4 {
            text +=
                &format!("  h{rack}x{host}: {{in: r{rack}, vcpus: 16, memory: 64 GiB, disk: 1 TiB{used}{traits}}}\n");
        }
    }
    text + "flavors: {tiny: {vcpus: 1, memory: 1 GiB, disk: 1}, four: {vcpus: 4, memory: 1 GiB, disk: 1}, half: {vcpus: 9, memory: 1 GiB, disk: 1}}\n"
}

fn names(number: usize) -> String {
    (0..number).map(|one| format!("s{one}")).collect::<Vec<_>>().join(", ")
}

/// The message if so many servers are placed there, and its labels.
fn said(flavor: &str, number: usize, all: &str) -> (String, Vec<String>) {
    let servers: String = (0..number).map(|one| server(&format!("s{one}"), flavor, "")).collect();
    // No effort, because conflicts that can be counted need no solver.
    let effort = Effort { steps: 0, nodes: 0, variables: 0 };
    let wrong = with(&hosts(), &template(&(servers + &policies(all))), true, effort).expect_err("there is no room");
    let [Diagnostic { message, labels, notes, .. }] = &wrong[..] else { panic!("{wrong:#?}") };
    assert!(notes.iter().all(|note| !note.contains("before it was certain")), "{wrong:#?}");
    (message.clone(), labels.iter().map(|label| label.text.clone()).collect())
}

#[test]
fn places_are_counted_only_if_somebody_can_be_there() {
    let (message, labels) = said("four", 10, &format!("{{apart: [{}], by: rack}}", names(10)));
    assert_eq!(
        message,
        "the servers cannot be placed: 10 servers must be in different racks, but only 9 racks have a host that has 4 vcpus left"
    );
    assert_eq!(labels, ["the policy `apart` by rack of `s0`, `s1`, `s2`, `s3`, `s4`, `s5` and 4 more"]);
    let (message, labels) =
        said("tiny", 8, &format!("{{apart: [{}], by: rack}}, {{license: L, servers: [{}]}}", names(8), names(6)));
    assert_eq!(
        message,
        "the servers cannot be placed: `s0`, `s1`, `s2`, `s3`, `s4` and `s5` must be in different racks, but only 5 racks have a \
         host that is `L`"
    );
    assert_eq!(labels.len(), 2, "{labels:?}");
    let (message, _) =
        said("tiny", 7, &format!("{{apart: [{}], by: rack}}, {{zone: z0, servers: [{}]}}", names(7), names(7)));
    assert_eq!(
        message,
        "the servers cannot be placed: 7 servers must be in different racks, but only 6 racks have a host that is in the zone `z0`"
    );
    let (message, _) =
        said("four", 49, &format!("{{apart: [{}]}}, {{license: L, servers: [{}]}}", names(40), names(21)));
    assert!(message.ends_with("21 servers must be on different hosts, but only 20 hosts are `L`"), "{message}");
}

/// Apart from one another by different policies.
#[test]
fn policies_that_keep_all_of_some_servers_apart_count_together() {
    let pairs = |number: usize, by: &str| {
        let pairs = (0..number).flat_map(|one| (0..one).map(move |other| (other, one)));
        pairs.map(|(one, other)| format!("{{apart: [s{one}, s{other}], by: {by}}}")).collect::<Vec<_>>().join(", ")
    };
    let (message, labels) = said("tiny", 3, &pairs(3, "zone"));
    assert_eq!(
        message,
        "the servers cannot be placed: `s0`, `s1` and `s2` must be in different zones, but there are only 2 known zones"
    );
    assert_eq!(labels.len(), 3, "{labels:?}");
    let (message, labels) = said("tiny", 13, &pairs(13, "rack"));
    assert!(message.contains("13 servers must be in different racks, but there are only 12 known racks"), "{message}");
    assert_eq!(labels.len(), 78, "each pair");
    // Servers in different zones are in different racks.
    let (message, _) = said(
        "four",
        10,
        &format!("{{apart: [{}], by: rack}}, {{apart: [s9, s0], by: zone}}, {}", names(9), {
            let zones = (1..9).map(|one| format!("{{apart: [s9, s{one}], by: rack}}"));
            zones.collect::<Vec<_>>().join(", ")
        }),
    );
    assert!(message.contains("10 servers must be in different racks, but only 9 racks"), "{message}");
}

/// Some must be apart within a place that is too small for that.
#[test]
fn a_place_that_all_must_share_has_places_enough_for_them() {
    let all = format!("{{apart: [{}]}}, {{near: [{}], within: rack}}", names(6), names(5));
    let (message, labels) = said("tiny", 7, &all);
    assert_eq!(
        message,
        "the servers cannot be placed: `s0`, `s1`, `s2`, `s3` and `s4` must be on different hosts of one rack, but no rack has more \
         than 4 hosts"
    );
    assert_eq!(labels.len(), 2, "{labels:?}");
}

/// The total suffices, but not in pieces that are large enough.
#[test]
fn room_in_pieces_that_are_too_small_is_no_room() {
    let (message, labels) = said("half", 37, "");
    assert_eq!(
        message,
        "the servers cannot be placed: 37 servers ask for at least 9 vcpus each, but all hosts together have room for only 36 of them"
    );
    assert!(labels.is_empty(), "{labels:?}");
    let (message, labels) = said("half", 25, &format!("{{license: L, servers: [{}]}}", names(21)));
    assert_eq!(
        message,
        "the servers cannot be placed: 21 servers ask for at least 9 vcpus each, but all hosts that are `L` together have room for \
         only 20 of them"
    );
    assert_eq!(labels.len(), 1, "{labels:?}");
    let (message, _) = said("four", 85, &format!("{{zone: z1, servers: [{}]}}", names(85)));
    assert!(
        message.contains("85 servers together ask for 340 vcpus, but all hosts that are in the zone `z1` together have only 272 vcpus left"),
        "{message}"
    );
}

/// Each part of the explanation is needed: a demand of only one server is reported only for that one.
#[test]
fn the_smallest_conflict_says_what_each_server_contributes() {
    let hosts = "
hosts:
  h1: {vcpus: 8, memory: 8 GiB, disk: 100, traits: [GPU]}
  h2: {vcpus: 2, memory: 64 GiB, disk: 100, traits: [GPU]}
  h3: {vcpus: 64, memory: 64 GiB, disk: 100}
flavors:
  gpu: {vcpus: 4, memory: 5 GiB, disk: 10, traits: [GPU]}
";
    let all = template(&format!(
        "{}{}{}",
        server("a", "gpu", ""),
        server("b", "gpu", ""),
        policies("{near: [a, b], within: zone, preferred: 3}")
    ));
    let wrong = on(hosts, &all, true).expect_err("the memory of h1 is not enough for both");
    let said: Vec<&str> =
        wrong[0].labels.iter().map(|label| &*label.text).chain(wrong[0].notes.iter().map(|note| &**note)).collect();
    assert_eq!(
        said,
        [
            "the server `a`, which asks for 5 GiB of memory and 4 vcpus, and for a host with the trait `GPU`",
            "the server `b`, which asks for 5 GiB of memory and 4 vcpus, and for a host with the trait `GPU`",
            "part of the conflict: the hosts' remaining `memory` and `vcpus`",
        ]
    );
}
