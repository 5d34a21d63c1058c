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
