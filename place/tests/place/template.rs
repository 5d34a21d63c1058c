//! From templates to placed templates.

use std::collections::BTreeMap;

use wattle_heat::Loaded;
use wattle_heat::evaluate::Value;
use wattle_heat::parameters::Inputs;
use wattle_model::{Bandwidth, Diagnostic};
use wattle_place::template::{Order, Placed, Way, check, placed};
use wattle_place::{Cloud, Effort, Flavors};

pub(crate) const HOSTS: &str = "
places:
  r1: {is: rack, in: az1}
  r2: {is: rack, in: az1}
  r3: {is: rack, in: az2}
  az1: {is: zone}
  az2: {is: zone}
hosts:
  h1: {in: r1, vcpus: 4, memory: 8 GiB, disk: 100}
  h2: {in: r1, vcpus: 4, memory: 8 GiB, disk: 100}
  h3: {in: r2, vcpus: 4, memory: 8 GiB, disk: 100, traits: [windows]}
  h4: {in: r3, vcpus: 4, memory: 8 GiB, disk: 100}
flavors:
  small: {vcpus: 1, memory: 1 GiB, disk: 10}
  large: {vcpus: 4, memory: 8 GiB, disk: 80}
  m1.small: {vcpus: 1, memory: 1 GiB, disk: 10}
  m1.huge: {vcpus: 5, memory: 1 GiB, disk: 10}
";

/// A template with these resources, one per line.
pub(crate) fn template(resources: &str) -> String {
    format!(
        "heat_template_version: 2021-04-16\nparameters:\n  size: {{type: number}}\n  flavor: {{type: string}}\nresources:\n{resources}"
    )
}

pub(crate) fn server(name: &str, flavor: &str, rest: &str) -> String {
    format!("  {name}:\n    type: OS::Nova::Server\n    properties:\n      image: i\n      flavor: {flavor}\n{rest}")
}

pub(crate) fn servers(names: &[&str]) -> String {
    names.iter().map(|name| server(name, "small", "")).collect()
}

pub(crate) fn policies(all: &str) -> String {
    format!(
        "  placement:\n    type: OS::Heat::None\n    metadata:\n      wattle.placement:\n        policies: [{all}]\n"
    )
}

/// Places a template and the files that it names.
pub(crate) fn run(
    text: &str,
    files: &[(&str, &str)],
    is_admin: bool,
    given: &[(&str, Value)],
) -> Result<Placed, Vec<Diagnostic>> {
    with_wires(text, files, is_admin, given, &[])
}

/// Likewise, with wires from elsewhere.
fn with_wires(
    text: &str,
    files: &[(&str, &str)],
    is_admin: bool,
    given: &[(&str, Value)],
    wires: &[(String, String, Bandwidth)],
) -> Result<Placed, Vec<Diagnostic>> {
    let (cloud, _) = Cloud::read(HOSTS, "cloud.yaml").expect("a cloud");
    let read: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let loaded = Loaded::load(text, "template.yaml", &read, &Inputs { given, ..Inputs::default() });
    assert!(loaded.unreadable.is_none(), "{text}");
    let all = |file: &str| {
        let nested = || files.iter().find(|(name, _)| *name == file).map(|(_, text)| (*text).to_owned());
        if file == "template.yaml" { Some(text.to_owned()) } else { nested() }
    };
    placed(Order {
        loaded: &loaded,
        text: &all,
        said: &|_| None,
        wires,
        cloud: &cloud,
        flavors: &Flavors::default(),
        runs: &BTreeMap::new(),
        moves: false,
        is_admin,
        effort: Effort::default(),
    })
}

/// What is found in the example of a code: of those that are only found without an administrator's rights, without these.
pub(crate) fn found(text: &str, code: &str) -> Vec<Diagnostic> {
    run(text, &[], code != "W1610", &[]).map_or_else(|wrong| wrong, |placed| placed.warnings)
}

pub(crate) fn admin(text: &str) -> Placed {
    run(text, &[], true, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

pub(crate) fn host<'p>(placed: &'p Placed, server: &str) -> &'p str {
    let found = placed.servers.iter().find(|one| one.server == server);
    &found.unwrap_or_else(|| panic!("{server}: {placed:#?}")).host.name
}

pub(crate) fn messages(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|one| format!("{}: {}", one.code, one.message)).collect()
}

#[test]
fn an_administrators_template_names_hosts_and_nothing_else_changes() {
    let text =
        template(&(servers(&["a", "b", "c"]) + "  # who is where\n" + &policies("{apart: [a, b, c], by: rack}")));
    let placed = admin(&text);
    let [(file, written)] = &placed.files[..] else { panic!("{placed:#?}") };
    assert_eq!((file.as_str(), &*placed.warnings), ("template.yaml", &[][..]));
    for one in &placed.servers {
        assert_eq!(one.way, Way::Host);
        assert!(written.contains(&format!("availability_zone: \"{}:{}\"", one.host.zone, one.host.name)), "{written}");
    }
    let without: String =
        written.lines().filter(|line| !line.contains("availability_zone")).map(|line| format!("{line}\n")).collect();
    assert_eq!(without, text);
    let racks: std::collections::BTreeSet<_> = placed.servers.iter().map(|one| &one.host.rack).collect();
    assert_eq!(racks.len(), 3);
    // A placed template stays the same.
    let again = run(written, &[], true, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(&again.files[0].1, written);
}

#[test]
fn policies_of_every_kind_are_read() {
    let text = template(
        &(servers(&["a", "b", "c", "d"])
            + &policies(
                "{together: [a, b]}, {license: windows, servers: [c]}, {zone: az2, servers: [d]}, {near: [b, c], within: zone, preferred: 7}",
            )),
    );
    let placed = admin(&text);
    assert_eq!(host(&placed, "a"), host(&placed, "b"));
    assert_eq!((host(&placed, "c"), host(&placed, "d")), ("h3", "h4"));
    assert_ne!(host(&placed, "a"), "h4", "another zone than c's");
}

#[test]
fn wires_bring_servers_near() {
    let wires = "  placement:\n    type: OS::Heat::None\n    metadata:\n      wattle.placement:\n        policies:\n        - {zone: az2, \
                 servers: [a]}\n        wires:\n        - {between: [a, b], bandwidth: 5 Mbit/s}\n";
    let placed = admin(&template(&(servers(&["a", "b"]) + wires)));
    assert_eq!((host(&placed, "a"), host(&placed, "b")), ("h4", "h4"));
    assert_eq!((placed.bandwidth, placed.placement.verdict.across_racks), (5, 0));
}

/// Bandwidths are compared by value, not by spelling.
#[test]
fn the_heavier_wire_decides_and_its_unit_counts() {
    let placed = |to_az1: &str, to_az2: &str| {
        let wires = format!(
            "  placement:\n    type: OS::Heat::None\n    metadata:\n      wattle.placement:\n        policies:\n        - {{zone: az1, servers: \
             [one]}}\n        - {{zone: az2, servers: [two]}}\n        wires:\n        - {{between: [one, b], bandwidth: {to_az1}}}\n        - \
             {{between: [b, two], bandwidth: {to_az2}}}\n"
        );
        let placed = admin(&template(&(servers(&["one", "two", "b"]) + &wires)));
        let zone = &placed.servers.iter().find(|one| one.server == "b").expect("a server").host.zone;
        (zone.clone(), placed.bandwidth, placed.placement.verdict.across_racks)
    };
    assert_eq!(placed("900 Mbit/s", "1 Gbit/s"), ("az2".to_owned(), 1900, 900));
    assert_eq!(placed("1.5 Gbit/s", "1000 Mbit/s"), ("az1".to_owned(), 2500, 1000));
    assert_eq!(placed("0 Mbit/s", "1 Mbit/s"), ("az2".to_owned(), 1, 0));
}

#[test]
fn a_bandwidth_without_a_unit_is_refused() {
    let wrong = |bandwidth: &str| {
        let wires = format!(
            "  placement:\n    type: OS::Heat::None\n    metadata: {{wattle.placement: {{wires: [{{between: [a, b], bandwidth: {bandwidth}}}]}}}}\n"
        );
        let wrong = run(&template(&(servers(&["a", "b"]) + &wires)), &[], true, &[]).expect_err("not a bandwidth");
        wrong
            .into_iter()
            .map(|one| format!("{}: {}; {}", one.code, one.message, one.help.join("; ")))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        wrong("3"),
        ["W1607: `bandwidth` of a wire: `3` is not a bandwidth; add a unit, `Mbit/s` or `Gbit/s`: write `3 Mbit/s`"]
    );
    assert_eq!(
        wrong("10 MB/s"),
        [
            "W1607: `bandwidth` of a wire: `10 MB/s` is not a bandwidth; bandwidth is in bits, not in bytes: write `80 Mbit/s`"
        ]
    );
}

/// The template's statements about wires are complete, even that there are none.
#[test]
fn wires_of_the_seed_count_only_if_the_template_says_nothing() {
    let of = |wires: &str| {
        let text = format!(
            "{}  placement:\n    type: OS::Heat::None\n    metadata: {{wattle.placement: {{policies: [{{zone: az2, servers: [a]}}]{wires}}}}}\n",
            servers(&["a", "b"])
        );
        let known = [("a".to_owned(), "b".to_owned(), Bandwidth::of_mbit(7))];
        let placed = with_wires(&template(&text), &[], true, &[], &known).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        placed.bandwidth
    };
    assert_eq!(of(""), 7);
    assert_eq!(of(", wires: []"), 0);
    assert_eq!(of(", wires: [{between: [a, b], bandwidth: 1 Gbit/s}]"), 1000);
}

#[test]
fn server_groups_are_policies_and_what_a_zone_says_is_kept() {
    let group = |policy: &str| {
        let hint = "      scheduler_hints: {group: {get_resource: g}}\n";
        let zone = format!("{hint}      availability_zone: az1\n");
        template(&format!(
            "  g: {{type: OS::Nova::ServerGroup, properties: {{policies: [{policy}]}}}}\n{}{}{}",
            server("a", "small", &zone),
            server("b", "small", &zone),
            server("c", "small", hint)
        ))
    };
    let placed = admin(&group("anti-affinity"));
    let hosts: std::collections::BTreeSet<_> = ["a", "b", "c"].map(|name| host(&placed, name)).into();
    assert_eq!(hosts.len(), 3);
    assert!(["a", "b"].iter().all(|name| host(&placed, name) != "h4"));
    let placed = admin(&group("affinity"));
    assert!(host(&placed, "a") == host(&placed, "b") && host(&placed, "b") == host(&placed, "c"));
    // Without an administrator, Nova keeps them by the same group, and nothing is left to guarantee.
    let placed = run(&group("anti-affinity"), &[], false, &[]).expect("it can be");
    assert_eq!(messages(&placed.warnings), [""; 0]);
    assert!(!placed.files[0].1.contains("wattle_"), "{}", placed.files[0].1);
}

#[test]
fn without_an_administrator_zones_and_groups_promise_what_they_can() {
    let text = template(
        &(servers(&["a", "b", "c", "d"])
            + &policies(
                "{apart: [a, b]}, {apart: [c, d], by: rack}, {license: windows, servers: [a]}, {apart: [a, c], by: zone}, {near: \
                 [b, d], within: rack, preferred: 3}",
            )),
    );
    let placed = run(&text, &[], false, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let written = &placed.files[0].1;
    assert!(placed.servers.iter().all(|one| one.way == Way::Zone));
    assert!(!written.contains(":h") && written.contains("availability_zone: \"az2\""), "{written}");
    assert!(
        written.contains(
            "wattle_apart_1: {\"type\": \"OS::Nova::ServerGroup\", \"properties\": {\"policies\": [\"anti-affinity\"]}}"
        ),
        "{written}"
    );
    // A placed template can be placed again, without further groups.
    let again = run(written, &[], false, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(
        again.files[0].1.matches("OS::Nova::ServerGroup").count(),
        written.matches("OS::Nova::ServerGroup").count()
    );
    let loaded = Loaded::of(written, "template.yaml");
    let of = wattle_heat::Desired::unfolded(&loaded);
    let hints = of.resources["b"].property("scheduler_hints").to_model().to_string();
    assert!(hints.contains("wattle_apart_1"), "{hints}");
    let warnings = messages(&placed.warnings);
    assert!(
        warnings.iter().any(|one| one.contains("nothing guarantees the policy `license` `windows` of `a`")),
        "{warnings:#?}"
    );
    assert!(warnings.iter().all(|one| !one.contains("by zone")), "{warnings:#?}");
}

#[test]
fn members_of_groups_are_left_to_nova_with_room_kept_for_them() {
    let group = "  web:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: {get_param: size}\n      resource_def:\n        \
                 type: OS::Nova::Server\n        properties: {image: i, flavor: large}\n";
    let text = template(&(server("a", "large", "") + group + &policies("{apart: [a, web]}")));
    let placed = run(&text, &[], true, &[("size", Value::Integer(2))]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let hosts: std::collections::BTreeSet<_> = placed.servers.iter().map(|one| &one.host.name).collect();
    assert_eq!(hosts.len(), 3);
    assert_eq!(
        messages(&placed.warnings),
        [
            "W1609: `web/0` and `web/1` are left to Nova",
            "W1610: nothing guarantees the policy `apart` by host of `a` and `web`"
        ]
    );
    let wrong = run(&text, &[], true, &[("size", Value::Integer(4))]).expect_err("five on four hosts");
    assert!(messages(&wrong)[0].contains("5 servers must be on different hosts"), "{wrong:#?}");
    let wrong = run(&text, &[], true, &[]).expect_err("nobody knows how many");
    assert_eq!(messages(&wrong), ["W1606: it is not known which servers the group `web` has"]);
}

#[test]
fn servers_of_nested_templates_are_placed_in_their_files() {
    let part =
        template(&servers(&["b"])).replace("parameters:\n  size: {type: number}\n  flavor: {type: string}\n", "");
    let text =
        template(&(servers(&["a"]) + "  part: {type: part.yaml}\n" + &policies("{apart: [a, part/b], by: zone}")));
    let placed = run(&text, &[("part.yaml", &part)], true, &[]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(placed.files.iter().map(|(file, _)| &**file).collect::<Vec<_>>(), ["part.yaml", "template.yaml"]);
    assert!(placed.files[0].1.contains(host(&placed, "part/b")), "{placed:#?}");
    // A file used twice is one text for two servers.
    let twice = template("  one: {type: part.yaml}\n  two: {type: part.yaml}\n");
    let placed = run(&twice, &[("part.yaml", &part)], true, &[]).expect("it can be");
    assert_eq!(
        (placed.files.len(), &*messages(&placed.warnings)),
        (0, &["W1609: `one/b` and `two/b` are left to Nova".to_owned()][..])
    );
}

#[test]
fn flavors_come_from_the_cloud_the_stack_and_parameters() {
    let flavor = "  f: {type: OS::Nova::Flavor, properties: {ram: 8192, vcpus: 4, disk: 1}}\n";
    let text = template(
        &(flavor.to_owned() + &server("a", "{get_resource: f}", "") + &server("b", "{get_param: flavor}", "")),
    );
    let placed = run(&text, &[], true, &[("flavor", "large".into())]).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_ne!(host(&placed, "a"), host(&placed, "b"));
    let wrong = run(&text, &[], true, &[]).expect_err("nobody knows the flavor");
    assert_eq!(messages(&wrong), ["W1606: it is not known which flavor `b` will have"]);
    let wrong = run(&text, &[], true, &[("flavor", "lagre".into())]).expect_err("nobody describes it");
    assert_eq!(messages(&wrong), ["W1606: the flavor `lagre` of `b` is not described"]);
    assert!(wrong[0].help[0].contains("`large`"), "{wrong:#?}");
}

#[test]
fn what_a_flavor_of_the_stack_asks_by_its_extra_specs_is_asked_of_its_host() {
    let of = |specs: &str| {
        let flavor = format!(
            "  f: {{type: OS::Nova::Flavor, properties: {{ram: 1024, vcpus: 1, disk: 1, extra_specs: {{{specs}}}}}}}\n"
        );
        let text = template(&(flavor + &server("a", "{get_resource: f}", "")));
        run(&text, &[], true, &[]).map_or_else(|wrong| messages(&wrong).join("; "), |_| String::new())
    };
    assert_eq!(of("quota:cpu_quota: 10"), "");
    for (specs, lacks) in [
        ("'resources:CUSTOM_GPU': 1", "CUSTOM_GPU"),
        ("'trait:CUSTOM_FAST': required", "CUSTOM_FAST"),
        ("'hw:cpu_policy': dedicated", "PCPU"),
    ] {
        let said = of(specs);
        assert!(said.starts_with("W1608") && said.contains(lacks), "{said}");
    }
}

#[test]
fn everything_wrong_with_policies_is_reported_at_once() {
    let net = "  net: {type: OS::Neutron::Net}\n";
    let all = "{apart: [a, net]}, {apart: [a, bb]}, {apart: [a]}, {together: [a, b]}, {apart: [b, a], by: rack}, {apart: [a, a, b]}, \
               {apart: [a, b], within: rack}, {near: [a, b]}, {aprat: [a, b]}, {apart: [a, b], by: shelf}, {apart: [a, b], \
               preferred: no}, {zone: az1}, 3";
    let wrong =
        run(&template(&(net.to_owned() + &servers(&["a", "b"]) + &policies(all))), &[], true, &[]).expect_err("wrong");
    assert!(wrong.iter().all(|one| one.code == "W1607" && one.labels[0].at.file == "template.yaml"), "{wrong:#?}");
    assert_eq!(
        messages(&wrong),
        [
            "W1607: the policy `apart` by host of `a` and `net`: `net` is not a server",
            "W1607: the policy `apart` by host of `a` and `bb`: there is no server `bb`",
            "W1607: the policy `apart` by host of `a` needs at least 2 servers",
            "W1607: the policy `together` of `a` and `b` and the policy `apart` by rack of `b` and `a` can never hold together",
            "W1607: `a` appears twice in the servers of the policy `apart`",
            "W1607: the policy `apart`: unknown key `within`",
            "W1607: the policy `near` has no `within`",
            "W1607: a policy needs exactly one of `apart`, `together`, `near`, `zone` and `license`",
            "W1607: `by` of the policy `apart`: `shelf` is not a kind of place",
            "W1607: `preferred` of the policy `apart` must be an integer from 1 to 1000000",
            "W1607: the policy `zone` has no `servers`",
            "W1607: a policy needs exactly one of `apart`, `together`, `near`, `zone` and `license`",
        ]
    );
}

/// `check` reports the same, except for what depends on a cloud or on values that are given later.
#[test]
fn policies_are_checked_without_a_cloud() {
    let checked = |text: &str| {
        let loaded = Loaded::load(text, "template.yaml", &BTreeMap::<String, Vec<u8>>::new(), &Inputs::default());
        messages(&check(&loaded))
    };
    let with =
        |all: &str| template(&(server("a", "huge", "") + &server("b", "{get_param: flavor}", "") + &policies(all)));
    assert_eq!(checked(&with("{apart: [a, b]}, {zone: nowhere, servers: [a]}")), [""; 0]);
    assert_eq!(
        checked(&with("{apart: [a, bb]}, {together: [a, b]}, {apart: [a, b], by: rack}")),
        [
            "W1607: the policy `apart` by host of `a` and `bb`: there is no server `bb`",
            "W1607: the policy `together` of `a` and `b` and the policy `apart` by rack of `a` and `b` can never hold together",
        ]
    );
    // The number of members is chosen later.
    let group = "  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: {get_param: size}\n      resource_def: \
                 {type: OS::Nova::Server, properties: {image: i, flavor: small}}\n";
    assert_eq!(
        checked(&template(
            &(group.to_owned() + &servers(&["a"]) + &policies("{apart: [g/0, a]}, {near: [g, a], within: rack}"))
        )),
        [""; 0]
    );
    assert_eq!(checked(&template(&servers(&["a"]))), [""; 0]);
}

#[test]
fn what_conflicts_is_named_with_its_places() {
    let text = template(
        &(servers(&["a", "b", "c", "d"])
            + &policies("{apart: [a, b, c], by: rack}, {zone: az1, servers: [a, b, c]}, {together: [c, d]}")),
    );
    let wrong = run(&text, &[], true, &[]).expect_err("az1 has two racks");
    let [one] = &wrong[..] else { panic!("{wrong:#?}") };
    assert_eq!(one.code, "W1608");
    let labels: Vec<_> = one.labels.iter().map(|label| &*label.text).collect();
    assert!(labels.contains(&"the policy `apart` by rack of `a`, `b` and `c`"), "{one:#?}");
    assert!(labels.contains(&"the policy `zone` `az1` of `a`, `b` and `c`"), "{one:#?}");
    assert!(!labels.iter().any(|label| label.contains("together")), "{one:#?}");
}

#[test]
fn json_and_shared_properties() {
    let json = "{\"heat_template_version\": \"2021-04-16\", \"resources\": {\"a\": {\"type\": \"OS::Nova::Server\", \"properties\": \
                {\"image\": \"i\", \"flavor\": \"small\", \"availability_zone\": \"az2\"}}}}";
    assert_eq!(admin(json).files[0].1, json.replace("\"az2\"", "\"az2:h4\""));
    let shared = template(
        "  a:\n    type: OS::Nova::Server\n    properties: &p {image: i, flavor: small}\n  b:\n    type: \
                           OS::Nova::Server\n    properties: *p\n",
    );
    let wrong = run(&shared, &[], true, &[]).expect_err("one text for both");
    assert_eq!(messages(&wrong), ["W1606: the places of the servers cannot be written into `template.yaml`"]);
}
