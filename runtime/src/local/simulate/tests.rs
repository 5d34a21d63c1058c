//! Attributes of simulated resources.

use super::*;

const TEMPLATE: &str = "
resources:
  net: {type: OS::Neutron::Net}
  other-net: {type: OS::Neutron::Net}
  web:
    type: OS::Nova::Server
    properties: {networks: [{port: {get_resource: web.port}}, {network: {get_resource: other-net}}]}
  web.port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}}
  lone-port:
    type: OS::Neutron::Port
    properties: {network: {get_param: net}}
  direct:
    type: OS::Neutron::FloatingIP
    properties: {port_id: {get_resource: web.port}}
  associated: {type: OS::Neutron::FloatingIP}
  association:
    type: OS::Neutron::FloatingIPAssociation
    properties: {floatingip_id: {get_resource: associated}, port_id: {get_resource: web.port}}
  lone-address: {type: OS::Neutron::FloatingIP}
  balancer: {type: OS::Octavia::LoadBalancer}
  volume: {type: OS::Cinder::Volume}
";

const SEED: &str = r"
format: wattle-seed/1
stack: s
digest: ''
parameters: {}
declarations: {}
servers:
  web:
    publishes:
      net: {attribute: networks, path: [{key: net}, {index: 0}]}
      host: {attribute: hostname}
      strange: {attribute: progress}
    components:
      nginx:
        declaration: d
        inputs:
          address: {user-data: web.port.fixed_ips.0.ip_address}
          urls: {list: [{text: [{value: x}, {user-data: balancer.vip_address}]}, {user-data: volume.size}]}
          size: {map: {a: {user-data: volume.size}}}
entries: {}
exports:
  public: {type: string, user-data: direct.floating_ip_address}
  lone: {type: string, user-data: lone-address.floating_ip_address}
recipes: {}
sources: {}
";

fn seed() -> Seed {
    Seed::read(SEED).unwrap()
}

/// Runs `ask` in a folder with the template.
fn ask<T>(given: &[(&str, Value)], ask: impl FnOnce(&Simulation<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("template.yaml"), TEMPLATE).unwrap();
    fs::write(folder.path().join("part.json"), r#"{"resources": {"nested": {"type": "OS::Neutron::Port"}}}"#).unwrap();
    // None of these is a template.
    for (file, text) in [("seed.yaml", SEED), ("environment.yaml", "resources: {volume: {}}"), ("x.yaml", ": : :")] {
        fs::write(folder.path().join(file), text).unwrap();
    }
    let given = given.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    ask(&Simulation::new(folder.path(), &given))
}

fn addresses(hosts: &[&str]) -> IndexMap<Name, Ipv4Addr> {
    (1..).zip(hosts).map(|(at, host)| ((*host).into(), Ipv4Addr::new(127, 0, 0, at))).collect()
}

#[test]
fn an_address_is_that_of_the_server_it_leads_to() {
    ask(&[], |simulation| {
        for name in ["web", "web.port", "direct", "associated"] {
            assert_eq!(&*simulation.host(name), "web", "{name}");
        }
        for name in ["lone-port", "lone-address", "balancer", "unknown"] {
            assert_eq!(&*simulation.host(name), name);
        }
        assert_eq!(simulation.networks("web"), ["other-net", "net"].map(Name::from));
        assert_eq!(simulation.networks("volume"), [] as [Name; 0]);
    });
}

#[test]
fn only_what_is_asked_for_gets_an_address() {
    let hosts = ask(&[], |simulation| simulation.hosts(&seed()));
    assert_eq!(hosts.iter().map(|host| &**host).collect::<Vec<_>>(), ["web", "balancer", "lone-address"]);
}

#[test]
fn attributes_as_openstack_has_them() {
    let addresses = addresses(&["web", "balancer", "nested"]);
    let cases = [
        ("web.first_address", Some("127.0.0.1")),
        ("web.accessIPv4", Some("127.0.0.1")),
        ("web.name", Some("web")),
        ("web.networks.net.0", Some("127.0.0.1")),
        ("web.networks.of-another-template.0", Some("127.0.0.1")),
        ("web.addresses.other-net.0.addr", Some("127.0.0.1")),
        ("web.addresses.net.1.addr", None),
        ("web.progress", None),
        ("web.port.fixed_ips.0.ip_address", Some("127.0.0.1")),
        ("web.port.name", Some("web.port")),
        ("nested.fixed_ips.0.ip_address", Some("127.0.0.3")),
        ("direct.floating_ip_address", Some("127.0.0.1")),
        ("associated.fixed_ip_address", Some("127.0.0.1")),
        ("balancer.vip_address", Some("127.0.0.2")),
        ("lone-address.floating_ip_address", None),
        ("volume.size", None),
        ("unknown.name", None),
        ("web", None),
    ];
    ask(&[], |simulation| {
        for (key, expected) in cases {
            assert_eq!(simulation.value(&key.into(), &addresses), expected.map(Value::from), "{key}");
        }
        let (id, other) = (simulation.value(&"volume.id".into(), &addresses), identity("web"));
        assert!(id == Some(identity("volume").into()) && id != Some(other.into()));
        let hardware = simulation.value(&"web.port.mac_address".into(), &addresses);
        assert!(hardware.is_some_and(|text| text.as_str().is_some_and(|text| text.starts_with("fa:16:3e:"))));
    });
}

#[test]
fn what_is_given_goes_over_what_is_made_up() {
    let given = [("web.name", "www".into()), ("volume.size", 5.into()), ("web.strange", "odd".into())];
    ask(&given, |simulation| {
        let addresses = addresses(&["web", "balancer", "lone-address"]);
        assert_eq!(simulation.value(&"web.name".into(), &addresses), Some("www".into()));
        let (known, missing) = simulation.user_data(&seed(), "web", &addresses);
        let known: Vec<_> = known.iter().map(|(name, value)| (&**name, value.clone())).collect();
        let expected = [
            ("web.port.fixed_ips.0.ip_address", "127.0.0.1".into()),
            ("balancer.vip_address", "127.0.0.2".into()),
            ("volume.size", 5.into()),
        ];
        assert_eq!((known, missing), (expected.to_vec(), Vec::new()));
        let (_, missing) = simulation.published(&seed(), &"web".into(), &addresses);
        assert_eq!(missing, [] as [Name; 0]);
    });
}

#[test]
fn what_nothing_stands_for_is_named_once() {
    ask(&[], |simulation| {
        let addresses = addresses(&["web"]);
        let (known, missing) = simulation.user_data(&seed(), "web", &addresses);
        assert_eq!(known.keys().map(|name| &**name).collect::<Vec<_>>(), ["web.port.fixed_ips.0.ip_address"]);
        assert_eq!(missing, ["balancer.vip_address", "volume.size"].map(Name::from));
        let (published, missing) = simulation.published(&seed(), &"web".into(), &addresses);
        assert_eq!(missing, ["web.strange"].map(Name::from));
        let expected = serde_json::json!({"networks": {"net": ["127.0.0.1"]}, "hostname": "web"});
        assert_eq!(serde_json::to_value(published).unwrap(), expected);
        let exported = simulation.exported(&seed(), &addresses);
        assert_eq!(exported, HashMap::from([("direct.floating_ip_address".into(), "127.0.0.1".to_owned())]));
    });
}
