//! A server's address is that of its port, even if only the port changes.

use wattle_tests::site::{Ground, NOTHING, Site};

/// The possible places of the operator's key.
const KEYS: [&str; 2] = ["operator.key", "box/operator.key"];

/// A server on a port with this address.
fn template(address: &str) -> String {
    format!(
        "heat_template_version: 2018-08-31
resources:
  lan: {{type: OS::Neutron::Net}}
  range: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: lan}}, cidr: 10.9.0.0/24}}}}
  port:
    type: OS::Neutron::Port
    properties:
      network: {{get_resource: lan}}
      fixed_ips: [{{subnet: {{get_resource: range}}, ip_address: {address}}}]
  box:
    type: OS::Nova::Server
    properties: {{flavor: m1.small, image: debian-12, networks: [{{port: {{get_resource: port}}}}]}}
  group:
    type: OS::Neutron::SecurityGroup
    properties: {{description: {{list_join: [' ', [for, {{get_attr: [box, first_address]}}]]}}}}
outputs:
  address: {{value: {{get_attr: [box, first_address]}}}}
"
    )
}

/// Deploys a server, changes its port's address, and rolls back.
pub(crate) fn follows_its_port<G: Ground>(site: &Site<G>) {
    let folder = site.path().join("box");
    std::fs::create_dir_all(&folder).expect("makes");
    // The first deployment creates the key unless it already exists.
    let asked = |args: &[&str]| {
        let key = KEYS.into_iter().find(|key| site.path().join(key).exists());
        let key: Vec<&str> = key.into_iter().flat_map(|key| ["--key", key]).collect();
        site.ask(&[args, &["--yes"], &key].concat())
    };
    let shown = |args: &[&str], address: &str, lines: &[&str]| {
        let ran = asked(args);
        assert!(ran.code == Some(0) && ran.out.contains(&format!("  address  {address}\n")), "{address}: {ran}");
        let done: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("✓ ")?.split(" (").next()).collect();
        assert_eq!(done, lines, "{ran}");
        let groups = site.there().remove("security_groups").expect("they are listed");
        let named: Vec<&str> = groups.iter().filter_map(|group| group["description"].as_str()).collect();
        // The group's description, which reads the address and ends with wattle's mark, changes as well.
        let is_it = |named: &&str| named.starts_with(&format!("for {address} "));
        assert!(named.iter().any(is_it), "what reads it has it as well: {named:?}");
    };
    let deployed = |address: &str, lines: &[&str]| {
        std::fs::write(folder.join("template.yaml"), template(address)).expect("writes");
        shown(&["deploy", "box"], address, lines);
    };
    let made = ["lan created", "range created", "port created", "box created", "group created"];
    deployed("10.9.0.20", &made);
    let changed = ["port changed", "box read again", "group changed"];
    deployed("10.9.0.77", &changed);
    deployed("10.9.0.77", &[]);
    shown(&["rollback"], "10.9.0.20", &changed);
    let ran = asked(&["destroy"]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}
