//! `wattle check --policy`.

use std::fs;
use std::path::Path;
use std::process::Command;

use wattle_tests::command::wattle;

use super::golden;

/// The codes that `wattle check` reports, in order.
fn codes(folder: &Path, template: &str, policies: &str) -> Vec<String> {
    fs::write(folder.join("template.yaml"), template).expect("writes");
    fs::write(folder.join("policies.yaml"), policies).expect("writes");
    let args = ["check", "template.yaml", "--policy", "policies.yaml", "--format", "json"];
    let ran = Command::new(wattle()).args(args).current_dir(folder).output().expect("runs");
    let out = String::from_utf8(ran.stdout).expect("text");
    assert!(ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let code = |line: &str| {
        let found: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {out}"));
        found["code"].as_str().expect("a code").to_owned()
    };
    out.lines().map(code).collect()
}

/// The documentation of each code contains a policy file, a template that violates it, and one that does not.
#[test]
fn the_examples_of_policies_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = wattle::policy::all();
    assert_eq!(all.len(), 4);
    for about in all {
        let blocks: Vec<&str> =
            about.docs.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let plain = |block: &&str| {
            block.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
        };
        let blocks: Vec<String> = blocks.iter().map(plain).collect();
        let [policies, against, within] = &blocks[..] else { panic!("{}: {blocks:?}", about.code) };
        assert_eq!(codes(folder.path(), against, policies), [about.code], "{against}");
        assert_eq!(codes(folder.path(), within, policies), [""; 0], "{within}");
    }
}

/// A template of one resource.
fn template(ty: &str, properties: &str) -> String {
    format!("heat_template_version: 2021-04-16\nresources:\n  one:\n    type: {ty}\n    properties: {properties}\n")
}

/// A group whose members are servers.
const GROUP_OF_SERVERS: &str = "{type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 1, \
     resource: {type: OS::Nova::Server, properties: {flavor: m1.small, image: windows}}}}";

/// A chain with one member.
fn members_of(ty: &str) -> String {
    let properties = "{flavor: m1.small, image: windows}";
    template("OS::Heat::ResourceChain", &format!("{{resources: ['{ty}'], resource_properties: {properties}}}"))
}

#[test]
fn each_policy_sees_what_it_is_about() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = |properties: &str| template("OS::Nova::Server", &format!("{{flavor: m1.small, {properties}}}"));
    let group = |rule: &str| template("OS::Neutron::SecurityGroup", &format!("{{rules: [{{{rule}}}]}}"));
    let images = "images: {allowed: [debian-*]}";
    let ports = "open-ports: {allowed: [443, icmp]}";
    let tags = "tags: {required: [owner]}";
    let members = template(
        "OS::Heat::ResourceGroup",
        "{count: 2, resource_def: {type: OS::Nova::Server, properties: {flavor: m1.small, image: windows}}}",
    );
    let volume = template("OS::Cinder::Volume", "{size: 1, image: windows, metadata: {owner: us}}");
    let away =
        "heat_template_version: 2021-04-16\nresources:\n  one:\n    type: OS::Nova::Server\n    external_id: abc\n";
    let rule = template(
        "OS::Neutron::SecurityGroupRule",
        "{security_group: default, protocol: tcp, port_range_min: 22, port_range_max: 22}",
    );
    for (policies, template, expected) in [
        (images, server("image: debian-12"), &[][..]),
        (images, server("image: Debian-12"), &["W1503"]),
        (images, server("block_device_mapping_v2: [{image: windows, volume_size: 1}]"), &["W1503"]),
        (images, volume, &["W1503"]),
        (images, members, &["W1503"]),
        (images, members_of("OS::Nova::Server"), &["W1503"]),
        (images, members_of("My::Server"), &["W1201", "W1504"]),
        (images, template("OS::Heat::ResourceGroup", &format!("{{resource_def: {GROUP_OF_SERVERS}}}")), &["W1503"]),
        (images, template("OS::Heat::Stack", "{template: 'heat_template_version: 2021-04-16'}"), &["W1504"]),
        (images, template("AWS::CloudFormation::Stack", "{TemplateURL: 'http://h/t'}"), &["W1504"]),
        (images, template("AWS::EC2::Instance", "{ImageId: windows, InstanceType: m1.small}"), &["W1503"]),
        (images, template("AWS::EC2::Volume", "{AvailabilityZone: nova, SnapshotId: a}"), &["W1503"]),
        (images, server("block_device_mapping: [{device_name: vda, volume_id: a}]"), &["W1503"]),
        (images, server("block_device_mapping_v2: [{snapshot_id: a}]"), &["W1503"]),
        (images, template("OS::Cinder::Volume", "{snapshot_id: a}"), &["W1503"]),
        (images, template("OS::Cinder::Volume", "{size: 1}"), &[]),
        (
            tags,
            template("AWS::EC2::Instance", "{ImageId: a, InstanceType: m1.small, Tags: [{Key: other, Value: us}]}"),
            &["W1501"],
        ),
        (
            tags,
            template("AWS::EC2::Instance", "{ImageId: a, InstanceType: m1.small, Tags: [{Key: owner, Value: us}]}"),
            &[],
        ),
        (images, away.to_owned(), &[]),
        (tags, server("image: a, tags: ['owner:us']"), &[]),
        (tags, server("image: a, tags: [ownership]"), &["W1501"]),
        (tags, template("OS::Neutron::Net", "{}"), &[]),
        (
            "tags: {required: [owner], types: [OS::Neutron::Net]}",
            template("OS::Neutron::Net", "{tags: [x]}"),
            &["W1501"],
        ),
        (ports, group("protocol: tcp, port_range_min: 443, port_range_max: 443"), &[]),
        (ports, group("protocol: tcp, port_range_min: 443, port_range_max: 444"), &["W1502"]),
        (
            ports,
            group("protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: '::/0', ethertype: IPv6"),
            &["W1502"],
        ),
        (ports, group("protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 10.0.0.0/8"), &[]),
        (ports, group("protocol: tcp, port_range_min: 22, port_range_max: 22, remote_mode: remote_group_id"), &[]),
        (ports, group("direction: egress"), &[]),
        (ports, group("ethertype: IPv4"), &["W1502"]),
        (ports, group("protocol: icmp"), &[]),
        (
            ports,
            group("protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 128.0.0.0/1"),
            &["W1502"],
        ),
        (ports, template("OS::Neutron::Port", "{network: private, port_security_enabled: false}"), &["W1502"]),
        (ports, template("OS::Neutron::Port", "{network: private, port_security_enabled: true}"), &[]),
        (
            ports,
            template(
                "AWS::EC2::SecurityGroup",
                "{GroupDescription: x, SecurityGroupIngress: [{IpProtocol: tcp, FromPort: '22', ToPort: '22', CidrIp: 0.0.0.0/0}]}",
            ),
            &["W1502"],
        ),
        (
            ports,
            template(
                "AWS::EC2::SecurityGroup",
                "{GroupDescription: x, SecurityGroupIngress: [{IpProtocol: tcp, FromPort: '22', ToPort: '22', SourceSecurityGroupName: ours}]}",
            ),
            &[],
        ),
        (ports, rule, &["W1502"]),
    ] {
        assert_eq!(codes(folder.path(), &template, policies), expected, "{policies}\n{template}");
    }
}

/// Values chosen only at deployment are neither ignored nor refused.
#[test]
fn what_cannot_be_known_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(
        here.join("template.yaml"),
        "heat_template_version: 2021-04-16
parameters:
  image: {type: string, default: debian-12}
  old: {type: string, default: debian-8}
  from: {type: string, default: 10.0.0.0/8}
  labels: {type: json, default: {}}
resources:
  a:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: {get_param: image}, metadata: {get_param: labels}}
  b:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: {get_param: old}, metadata: {owner: us}}
  access:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
        - {protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: {get_param: from}}
        - {protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: {get_param: from}}
",
    )
    .expect("writes");
    fs::write(
        here.join("team.yaml"),
        "tags: {required: [owner]}\nimages: {allowed: [debian-12, debian-13]}\nopen-ports: {allowed: [443]}\n",
    )
    .expect("writes");
    golden("check-policies", here, &["check", "template.yaml", "--policy", "team.yaml"]);
    fs::write(here.join("typo.yaml"), "open-port: {allowed: [443]}\n").expect("writes");
    golden("check-typo-policy", here, &["check", "template.yaml", "--policy", "typo.yaml"]);
    golden("check-no-policy", here, &["check", "template.yaml", "--policy", "none.yaml"]);
}

/// The environment decides what a type is.
#[test]
fn policies_see_what_a_type_is_mapped_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let server = |ty: &str| template(ty, "{flavor: m1.small, image: windows}");
    let group = template(
        "OS::Heat::ResourceGroup",
        "{resource_def: {type: My::Server, properties: {flavor: m1.small, image: windows}}}",
    );
    fs::write(
        here.join("inner.yaml"),
        "heat_template_version: 2021-04-16\nparameters:\n  flavor: {type: string}\n  image: {type: string}\n",
    )
    .expect("writes");
    fs::write(here.join("policies.yaml"), "images: {allowed: [debian-12]}").expect("writes");
    for (template, ty, mapped, expected) in [
        (server("My::Server"), "My::Server", "OS::Nova::Server", "W1503"),
        (server("My::Server"), "My::Server", "inner.yaml", "W1504"),
        (server("OS::Nova::Server"), "OS::Nova::Server", "inner.yaml", "W1504"),
        (group.clone(), "My::Server", "OS::Nova::Server", "W1503"),
        (group, "My::Server", "inner.yaml", "W1504"),
    ] {
        fs::write(here.join("template.yaml"), template).expect("writes");
        fs::write(here.join("env.yaml"), format!("resource_registry:\n  {ty}: {mapped}\n")).expect("writes");
        let args = ["check", "template.yaml", "-e", "env.yaml", "--policy", "policies.yaml", "--format", "concise"];
        let ran = Command::new(wattle()).args(args).current_dir(here).output().expect("runs");
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(out.contains(expected), "{ty} as {mapped}: {out}");
    }
}
