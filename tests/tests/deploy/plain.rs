//! Templates without software: plain ones, and those emitted from blueprints.

use serde_json::{Value, json};
use wattle_cloud::Setting;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::running::Ran;
use wattle_tests::site::{NOTHING, Site};

use super::KEY;

const TEMPLATE: &str = "heat_template_version: 2018-08-31
parameters:
  flavor: {type: string, default: m1.small}
  word: {type: string, hidden: true, default: open-sesame}
resources:
  lan: {type: OS::Neutron::Net, properties: {name: lan}}
  lan-subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: lan}, cidr: 10.9.0.0/24}}
  guard: {type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: tcp, port_range_min: 22, port_range_max: 22}]}}
  box:
    type: OS::Nova::Server
    depends_on: lan-subnet
    properties: {flavor: {get_param: flavor}, image: debian-12, networks: [{network: {get_resource: lan}}]}
outputs:
  lan_id: {value: {get_resource: lan}}
  address: {value: {get_attr: [box, first_address]}}
  word: {value: {get_param: word}}
";

/// A plain template in its own folder.
pub(super) struct Plain {
    pub(super) site: Site,
}

impl Plain {
    pub(super) fn new(template: &str) -> Self {
        Self::at(Setting::default(), template)
    }

    /// A plain template in a cloud with this setting.
    pub(super) fn at(setting: Setting, template: &str) -> Self {
        let plain = Self { site: Site::embedded(setting) };
        std::fs::create_dir(plain.site.path().join("plain")).expect("makes");
        plain.write(template);
        plain
    }

    pub(super) fn write(&self, template: &str) {
        std::fs::write(self.site.path().join("plain/template.yaml"), template).expect("writes");
    }

    pub(super) fn deploy(&self, more: &[&str]) -> Ran {
        self.site.ask(&[&["deploy", "plain", "--yes"][..], &KEY, more].concat())
    }

    pub(super) fn deployed(&self) -> Ran {
        let ran = self.deploy(&[]);
        assert_eq!(ran.code, Some(0), "{ran}");
        ran
    }

    pub(super) fn plan(&self) -> Ran {
        self.site.ask(&["plan", "plain", "--cloud", "simulated", KEY[0], KEY[1]])
    }

    pub(super) fn volumes(&self) -> Vec<Value> {
        let list = Call::new("block-storage", Method::Get, "/volumes/detail");
        self.site.at_cloud(async |session| session.list(list, "volumes").await.expect("volumes"))
    }

    pub(super) fn drift(&self) -> Ran {
        self.site.ask(&["drift", KEY[0], KEY[1]])
    }
}

#[test]
fn a_plain_template_is_deployed_with_its_outputs_and_lives() {
    let plain = Plain::new(TEMPLATE);
    let site = &plain.site;
    let ran = plain.deployed();
    let lan = site.there()["networks"][0]["id"].as_str().expect("text").to_owned();
    for line in ["plain is up\n", &format!("  lan_id   {lan}\n"), "  address  10.9.0.", "  word     (secret)\n"] {
        assert!(ran.out.contains(line), "{line}: {ran}");
    }
    assert!(!ran.out.contains("open-sesame"), "{ran}");
    assert_eq!(plain.plan().code, Some(0));
    let ran = plain.deployed();
    assert!(!ran.err.contains('✓') && ran.out.contains(&lan), "{ran}");
    let ran = plain.deploy(&["-P", "flavor=m1.medium"]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ box changed"), "{ran}");
    let ran = site.ask(&["rollback", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.out.contains("  lan_id   "), "{ran}");
    assert_eq!(plain.drift().code, Some(0));
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
    assert!(!site.path().join("plain/credentials.yaml").exists(), "it opens nothing any more");
}

/// A blueprint without software has a seed, and its template has no parameter for credentials.
#[test]
fn what_was_emitted_without_software_is_deployed() {
    let plain = Plain::new(TEMPLATE);
    let site = &plain.site;
    let ran = site.stage.run_at(site.path(), &["lower", "plain/template.yaml", "-o", "low", "--stack", "low"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = site.ask(&["deploy", "low/low", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.out.contains("low is up"), "{ran}");
    assert_eq!(site.there()["servers"].len(), 1);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

#[test]
fn what_is_no_plain_template_is_said() {
    let plain = Plain::new(TEMPLATE);
    let site = &plain.site;
    let refused = |args: &[&str], says: &[&str]| {
        let ran = site.ask(&[args, &KEY].concat());
        assert!(ran.code == Some(2) && says.iter().all(|says| ran.err.contains(says)), "{args:?}: {ran}");
    };
    let at = |name: &str| site.path().join(name);
    std::fs::rename(at("plain"), at("1 plain")).expect("renames");
    refused(
        &["deploy", "1 plain", "--yes"],
        &["`1 plain`, the name of the template's folder, cannot be the name of a stack", "`--stack NAME`"],
    );
    // A plain template has no seed to apply.
    refused(&["seed", "apply", "1 plain"], &["cannot read the seed"]);
    std::fs::create_dir(at("wired")).expect("makes");
    let wired = TEMPLATE.replace("    depends_on: lan-subnet\n", "    metadata: {wattle: {components: {}}}\n");
    std::fs::write(at("wired/template.yaml"), wired).expect("writes");
    refused(
        &["deploy", "wired", "--yes"],
        &["`wired/template.yaml` describes software", "`wattle lower wired/template.yaml`"],
    );
    assert_eq!(site.counts(), NOTHING);
}

fn rules(site: &Site) -> usize {
    site.there()["security_groups"][0]["security_group_rules"].as_array().map_or(0, Vec::len)
}

/// When a template no longer sets a property, the plan shows that it is reverted, `deploy` reverts it, and setting it
/// again is drift.
#[test]
fn what_leaves_a_template_leaves_the_cloud() {
    let more = "  disk: {type: OS::Cinder::Volume, properties: {size: 1, volume_type: fast, metadata: {tier: db, rack: a}}}
  door: {type: OS::Neutron::Port, properties: {network: {get_resource: lan}, tags: [one], fixed_ips: [{ip_address: 10.9.0.77}]}, depends_on: lan-subnet}
outputs:
";
    let template = TEMPLATE.replace("outputs:\n", more);
    let plain = Plain::new(&template);
    let site = &plain.site;
    plain.deployed();
    assert_eq!(rules(site), 3);
    let less = template.replace("rules: [{protocol: tcp, port_range_min: 22, port_range_max: 22}]", "");
    let less = less.replace(", volume_type: fast, metadata: {tier: db, rack: a}", ", metadata: {tier: db}");
    plain.write(&less.replace(", tags: [one], fixed_ips: [{ip_address: 10.9.0.77}]", ""));
    let ran = plain.plan();
    let says = [
        "~ guard (OS::Neutron::SecurityGroup): changes in place\n      rules: [{",
        "      volume_type: no longer fast\n",
        "      fixed_ips: no longer [{\"ip_address\":\"10.9.0.77\"}]\n",
        "      note: its `fixed_ips` stays in the cloud as it is\n",
        "      tags: no longer [\"one\"]\n",
        "      metadata: {\"tier\":\"db\",\"rack\":\"a\"} -> {\"tier\":\"db\"}\n",
    ];
    for says in says {
        assert!(ran.code == Some(4) && ran.out.contains(says), "{says}: {ran}");
    }
    plain.deployed();
    assert_eq!(rules(site), 2, "nothing comes in any more");
    assert_eq!(plain.volumes()[0]["volume_type"], "__DEFAULT__");
    let port = |site: &Site| -> Value {
        let there = site.there();
        let is_door = |port: &&Value| port["name"].as_str().is_some_and(|name| name.ends_with("-door"));
        let ports = there["ports"].iter().find(is_door);
        ports.unwrap_or_else(|| panic!("{there:?}")).clone()
    };
    assert_eq!((&port(site)["tags"], &port(site)["fixed_ips"][0]["ip_address"]), (&json!([]), &json!("10.9.0.77")));
    let ran = plain.drift();
    assert_eq!(ran.code, Some(0), "{ran}");
    // Someone opens the security group again.
    let group = site.there()["security_groups"][0]["id"].clone();
    let rule = json!({ "security_group_id": group, "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp" });
    site.at_cloud(async |session| {
        let call = Call::new("network", Method::Post, "/security-group-rules");
        session.call(call.body(json!({ "security_group_rule": rule }))).await.expect("made");
    });
    let ran = plain.drift();
    assert!(ran.code == Some(4) && ran.out.contains("guard differs: `rules` also has one"), "{ran}");
    plain.deployed();
    assert_eq!(rules(site), 2);
}
