//! The effects of a change: on the resource itself, and on those whose resolved properties change with it.

use crate::desk::{Desk, deployment};

const TEMPLATE: &str = "
parameters: {word: {type: string, default: hunter2, hidden: true}}
resources:
  key: {type: OS::Nova::KeyPair, properties: {name: k, public_key: 'ssh-rsa a'}}
  net: {type: OS::Neutron::Net, properties: {name: inside}}
  other: {type: OS::Neutron::Net, properties: {name: other}}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  router: {type: OS::Neutron::Router, properties: {external_gateway_info: {network: public}}}
  interface: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: {get_resource: subnet}}}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{subnet: {get_resource: subnet}}]}}
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: public, port_id: {get_resource: port}}}
  volume: {type: OS::Cinder::Volume, properties: {size: 1, volume_type: fast}}
  text: {type: OS::Heat::Value, properties: {value: '#!/bin/sh'}}
  web:
    type: OS::Nova::Server
    properties:
      flavor: small
      image: debian
      key_name: {get_resource: key}
      networks: [{port: {get_resource: port}}]
      user_data: {list_join: [\"\\n\", [{get_attr: [text, value]}, {get_attr: [net, name]}]]}
  mount: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: web}, volume_id: {get_resource: volume}}}
";

/// The effects of a change of the template, always from the same state.
fn after(from: &str, to: &str) -> Vec<String> {
    let mut desk = Desk::new();
    desk.reach(&deployment(TEMPLATE, &[]));
    assert!(TEMPLATE.contains(from), "{from}");
    let jobs = desk.reach(&deployment(&TEMPLATE.replace(from, to), &[])).jobs;
    let again = desk.reach(&deployment(&TEMPLATE.replace(from, to), &[]));
    assert_eq!((again.jobs, again.writes), (Vec::new(), 0), "{to}");
    jobs
}

#[test]
fn it_changes_what_differs_and_no_more() {
    for (from, to, expected) in [
        // In place.
        ("name: other", "name: another", "update other"),
        ("flavor: small", "flavor: large", "update web"),
        ("image: debian", "image: fedora", "update web"),
        ("size: 1", "size: 2", "update volume"),
        // It parses to the same value.
        ("size: 1", "size: '1'", ""),
        (
            "{network: {get_resource: net}, cidr",
            "{network_id: {get_resource: net}, ip_version: 4, enable_dhcp: 'True', cidr",
            "",
        ),
        ("value: '#!/bin/sh'", "value: \"#!/bin/sh\"", ""),
        // A value that is inlined.
        ("value: '#!/bin/sh'", "value: '#!/bin/bash'", "create web, update mount, delete web"),
        // An attribute that others read: the user data of the server.
        ("name: inside", "name: within", "update net, create web, update mount, delete web"),
        // Attributes that show values of changed resources are read again.
        ("{subnet: {get_resource: subnet}}]", "{ip_address: 10.0.0.9}]", "update port, read address, read web"),
        // A replacement: its dependents refer to the new one.
        ("name: other}", "name: other, value_specs: {a: b}}", "update other"),
        ("volume_type: fast", "volume_type: slow", "create volume, update mount, delete volume"),
        // Policies and their influence on a change.
        ("flavor: small", "flavor: large\n      flavor_update_policy: RESIZE", "update web"),
        ("name: other", "name: {get_param: word}", "update other"),
        ("flavor: small", "flavor: small\n      flavor_update_policy: REPLACE", ""),
        ("flavor: small", "flavor: large\n      flavor_update_policy: REPLACE", "create web, update mount, delete web"),
        // Added and removed resources.
        ("  other: {type: OS::Neutron::Net, properties: {name: other}}\n", "", "delete other"),
        ("  text:", "  more: {type: OS::Neutron::Net}\n  text:", "create more"),
        ("  text:", "  more: {type: OS::Heat::Value, properties: {value: 1}}\n  text:", ""),
    ] {
        let jobs = after(from, to);
        assert_eq!(jobs.join(", "), expected, "{from} -> {to}");
    }
}

#[test]
fn what_is_ignored_is_no_change() {
    let ignoring = TEMPLATE.replace("flavor: small", "flavor: small\n      user_data_update_policy: IGNORE");
    let mut desk = Desk::new();
    desk.reach(&deployment(&ignoring, &[]));
    let other = ignoring.replace("#!/bin/sh", "#!/bin/bash");
    assert_eq!(desk.reach(&deployment(&other, &[])).jobs, [""; 0]);
    // A resource that is replaced for another reason has the new text.
    let replaced = other.replace("key_name: {get_resource: key}", "config_drive: true");
    desk.reach(&deployment(&replaced, &[]));
    assert_eq!(desk.property("web", "user_data"), "#!/bin/bash\ninside".into());
}

#[test]
fn a_thing_that_is_referred_to_by_its_name_is_the_same() {
    // The cloud of this test returns no `reference`, so another key pair has another name.
    let jobs = after("ssh-rsa a", "ssh-rsa b");
    assert_eq!(jobs[..2], ["create key", "create web"]);
}

#[test]
fn properties_are_as_they_were_given() {
    let mut desk = Desk::new();
    desk.reach(&deployment(TEMPLATE, &[]));
    let [net, subnet, port] = ["net", "subnet", "port"].map(|name| desk.phys(name));
    assert_eq!(desk.given("subnet"), format!(r#"{{"network":"{net}","cidr":"10.0.0.0/24"}}"#));
    assert_eq!(desk.given("port"), format!(r#"{{"network":"{net}","fixed_ips":[{{"subnet":"{subnet}"}}]}}"#));
    assert_eq!(desk.given("volume"), r#"{"size":1,"volume_type":"fast"}"#);
    assert_eq!(desk.property("web", "networks").to_string(), format!(r#"[{{"port":"{port}"}}]"#));
    assert_eq!(desk.property("web", "user_data"), "#!/bin/sh\ninside".into());
    assert_eq!(desk.property("web", "user_data_format"), "RAW".into());
}
