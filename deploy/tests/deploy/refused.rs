//! Everything that cannot be deployed without Heat is reported at once, before anything is created.

use std::sync::Arc;

use wattle_converge::{Wait, Why};
use wattle_deploy::Deployment;

use crate::corpus;
use crate::desk::{Desk, KEY, deployment, tried};
use crate::kinds::Drivers;

/// The messages about what is refused in a template.
fn refused(text: &str) -> Vec<String> {
    let refused = tried(text, &[]).expect_err("a refusal");
    let shown = refused.iter().map(|refused| {
        assert!(!refused.help.is_empty() && !refused.labels.is_empty(), "{refused:?}");
        let at = &refused.labels[0].at;
        format!(
            "{} {}:{}: {}",
            refused.code,
            at.line,
            at.column,
            refused.message.replace(" cannot be deployed without Heat", "")
        )
    });
    shown.collect()
}

#[test]
fn everything_is_said_at_once() {
    let text = "parameters: {size: {type: number}}
resources:
  handle: {type: OS::Heat::SwiftSignalHandle}
  deployed: {type: OS::Heat::SoftwareDeployment, properties: {server: s}}
  many: {type: OS::Heat::SoftwareDeploymentGroup, properties: {servers: {a: s}, config: c}}
  kept: {type: OS::Neutron::Net, deletion_policy: Retain}
  snapped: {type: OS::Cinder::Volume, deletion_policy: Snapshot, properties: {size: 1}}
  there: {type: OS::Neutron::Net, external_id: x}
  net: {type: OS::Neutron::Net, properties: {name: {get_param: 'OS::stack_id'}, admin_state_up: [a]}}
  counted: {type: OS::Heat::ResourceGroup, properties: {count: {get_attr: [net, mtu]}, resource_def: {type: OS::Neutron::Net}}}
  members: {type: OS::Heat::ResourceGroup, properties: {count: 3, resource_def: {type: OS::Heat::Delay}}}
  value: {type: OS::Heat::Value, properties: {value: 1}}
  named: {type: OS::Neutron::Net, properties: {name: {list_join: ['', [{get_resource: value}, {get_resource: counted}]]}}}
  sized: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}
  wrong: {type: OS::Neutron::Net, properties: {admin_state_up: maybe}}
  later: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24, enable_dhcp: 'yes'}}
  joined: {type: OS::Neutron::Net, properties: {name: {list_join: [1, [a]]}}}
  strange: {type: OS::Neutron::Net, properties: {nome: x}}
";
    assert_eq!(
        refused(text),
        [
            "W1401 4:3: `handle`: its type `OS::Heat::SwiftSignalHandle` is not supported without Heat",
            "W1401 5:3: `deployed`: its type `OS::Heat::SoftwareDeployment` is not supported without Heat",
            "W1401 6:3: `many`: its type `OS::Heat::SoftwareDeploymentGroup` is not supported without Heat",
            "W1401 12:3: `members/0`: its type `OS::Heat::Delay` is not supported without Heat",
            "W1402 7:3: `kept`: `deletion_policy: retain` keeps it when it leaves the template",
            "W1402 8:3: `snapped`: `deletion_policy: snapshot` keeps it when it leaves the template",
            "W1402 9:3: `there`: `external_id` names something that already exists",
            "W1403 10:3: `net`: `name`: only Heat knows `OS::stack_id`",
            "W1402 11:3: `counted`: `count` depends on what is known only once other resources exist",
            "W1403 14:3: `named`: `name`: `value` is a value, which has no identity here",
            "W1403 15:3: `sized`: `size`: the parameter `size` has no value",
            "W1403 18:3: `joined`: `name`: `list_join`: its delimiter must be a string, but this is an integer",
            "W1403 16:3: `wrong`: `admin_state_up`: expected a boolean, found a string `maybe`",
            "W1403 17:3: `later`: `enable_dhcp`: expected a boolean, found a string `yes`",
            "W1403 19:3: `strange`: `nome`: its type has no such property",
        ]
    );
}

#[test]
fn what_no_driver_carries_out_is_refused_with_its_place() {
    let files = "personality: {/etc/address: {get_attr: [net, mtu]}}";
    let text = format!(
        "resources:
  net: {{type: OS::Neutron::Net}}
  web: {{type: OS::Nova::Server, properties: {{flavor: f, image: i, {files}}}}}
  many: {{type: OS::Heat::ResourceGroup, properties: {{count: 2, resource_def: {{type: OS::Nova::Server, properties: {{flavor: f, image: i, {files}}}}}}}}}
"
    );
    let said = refused(&text);
    let [web, many] = said.as_slice() else { panic!("{said:?}") };
    // A value that is not known yet appears as the call that will provide it.
    assert!(web.starts_with("W1402 4:3: `web`: `personality` is ") && web.contains("get_attr"), "{web}");
    assert!(many.starts_with("W1402 5:3: `many/0`: `personality` is "), "of members it is said once: {many}");
}

/// A server with these properties, and further resources.
fn server(properties: &str, beside: &str) -> String {
    format!("resources:\n  web: {{type: OS::Nova::Server, properties: {{flavor: f, image: i{properties}}}{beside}}}\n")
}

#[test]
fn servers_that_ask_heat_are_refused() {
    for (properties, beside, expected) in [
        (", user_data: '#cloud-config'", "", "is not a script"),
        (", user_data: \"#!/bin/sh\\ncfn-init\"", "", "calls `cfn-init`"),
        ("", ", metadata: {a: 1}", "`user_data_format: HEAT_CFNTOOLS` asks Heat for"),
        (", user_data_format: SOFTWARE_CONFIG", ", metadata: {a: 1}", "asks Heat for"),
        (", user_data_format: SOFTWARE_CONFIG, user_data: '{\"ignition\": {}}'", "", "for Ignition"),
    ] {
        let said = refused(&server(properties, beside));
        assert!(said.len() == 1 && said[0].starts_with("W1402") && said[0].contains(expected), "{said:?}");
    }
    for (properties, beside) in [
        ("", ""),
        (", user_data: \"#!/bin/sh\\necho\"", ""),
        (", user_data_format: RAW, user_data: anything", ", metadata: {a: 1}"),
        (", user_data_format: SOFTWARE_CONFIG, user_data: '#cloud-config'", ""),
    ] {
        deployment(&server(properties, beside), &[]);
    }
}

#[test]
fn nothing_secret_is_shown() {
    let text = "
parameters: {word: {type: string, hidden: true, default: hunter2}}
resources: {net: {type: OS::Neutron::Net, properties: {name: {get_param: word}}}}
outputs: {word: {value: {list_join: ['', [{get_param: word}, x]]}}, name: {value: plain}}
";
    let target = deployment(text, &[]);
    let outputs = target.outputs(&|_| None);
    assert_eq!(outputs[0].value, Ok("hunter2x".into()));
    assert!(outputs[0].is_secret && !outputs[1].is_secret);
    assert!(!format!("{target:?} {outputs:?}").contains("hunter2"));
}

/// Every template is deployed, or a message gives the reason.
#[test]
fn every_form_is_deployed_or_refused() {
    let (mut deployed, mut refused) = (0, 0);
    for (name, loaded) in corpus::forms() {
        match Deployment::new(loaded, Arc::new(Drivers::Core), KEY) {
            Ok(target) => {
                let mut desk = Desk::new();
                let waits = desk.try_to_reach(&target);
                let is_reported = |wait: &Wait| matches!(wait.why, Why::Unresolved(_));
                assert!(waits.iter().all(is_reported), "{name}: {waits:?}");
                deployed += usize::from(desk.state.is_done());
            }
            Err(said) => {
                assert!(!said.is_empty() && said.iter().all(|said| said.code.starts_with("W14")), "{name}: {said:?}");
                refused += 1;
            }
        }
    }
    assert!(deployed > 100 && refused > 100, "{deployed} and {refused}");
}

/// The first example of a code is refused with it, and the second is deployed.
#[test]
fn what_is_explained_is_what_happens() {
    for about in wattle_deploy::codes::all() {
        let blocks: Vec<String> = about
            .docs
            .split("```yaml")
            .skip(1)
            .map(|rest| {
                let text = rest.split("```").next().expect("an end of the block");
                text.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
            })
            .collect();
        let [wrong, right] = blocks.as_slice() else { panic!("{} has {} examples", about.code, blocks.len()) };
        let found = refused(wrong);
        assert!(!found.is_empty() && found.iter().all(|line| line.starts_with(about.code)), "{found:?}");
        assert!(tried(right, &[]).is_ok(), "{}", about.code);
    }
}
