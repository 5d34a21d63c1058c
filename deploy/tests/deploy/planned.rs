//! A plan predicts what the engine does, for random changes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use wattle::plan::{Action, Own, Reason, State, plan};
use wattle_deploy::ResourceTypes as _;

use crate::desk::{Desk, deployment};
use crate::kinds::Drivers;

const TEMPLATE: &str = "
resources:
  key: {type: OS::Nova::KeyPair, properties: {name: <k|l>, public_key: ssh-rsa a}}
  net: {type: OS::Neutron::Net, properties: {name: <inside|within>, admin_state_up: <true|false>}}
<|  other: {type: OS::Neutron::Net, properties: {name: other}}>
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: <10.0.0.0/24|10.1.0.0/24>, name: <one|two>}
  router: {type: OS::Neutron::Router, properties: {name: <a|b>, external_gateway_info: {network: public}}}
  interface: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: {get_resource: subnet}}}
  port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}, fixed_ips: [{subnet: {get_resource: subnet}}], name: <{get_attr: [net, name]}|mine>}
<|  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: public, port_id: {get_resource: port}}}>
  volume: {type: OS::Cinder::Volume, properties: {size: 1, volume_type: <fast|slow>, name: <x|y>}}
  text: {type: OS::Heat::Value, properties: {value: <one|two>}}
  web:
    type: OS::Nova::Server
    properties:
      flavor: <small|large>
      flavor_update_policy: <RESIZE|REPLACE>
      image: <debian|fedora>
      image_update_policy: <REBUILD|REPLACE>
      key_name: {get_resource: key}
      metadata: {a: <b|c>}
      networks: [{port: {get_resource: port}}]
      user_data_format: RAW
      user_data: {list_join: [' ', [{get_attr: [text, value]}, <{get_attr: [net, name]}|plain>]]}
      user_data_update_policy: <REPLACE|IGNORE>
  mount: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: web}, volume_id: {get_resource: volume}}}
";

/// The number of choices in the template.
const CHOICES: usize = 19;

/// The template with one of the two alternatives for each choice.
fn chosen(choices: &[bool]) -> String {
    let mut choices = choices.iter();
    let mut text = String::new();
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once('<') {
        let (both, after) = after.split_once('>').expect("a choice ends");
        let (one, other) = both.split_once('|').expect("a choice is between two");
        text += before;
        text += if *choices.next().expect("there are enough") { other } else { one };
        rest = after;
    }
    assert!(choices.next().is_none(), "there are too many choices");
    text + rest
}

/// Properties that are only recorded, and change nothing.
const NOTED: [&str; 3] = ["flavor_update_policy", "image_update_policy", "user_data_update_policy"];

fn state(template: &str) -> State {
    let text = format!("heat_template_version: 2021-04-16{template}");
    let files = [("template.yaml".to_owned(), text)].into_iter().collect();
    let state = State::new(&files, Default::default(), None).expect("a state");
    state
        .without_heat(Own { is_fixed: |ty, property| Drivers::Core.fixed(ty).contains(&property), stays: |_, _| false })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_planned_is_what_is_done(
        first in prop::collection::vec(any::<bool>(), CHOICES),
        changes in prop::collection::vec(any::<Index>(), 0..4),
    ) {
        let mut second = first.clone();
        for change in &changes {
            let place = change.index(CHOICES);
            second[place] = !second[place];
        }
        let (before, after) = (chosen(&first), chosen(&second));
        let mut desk = Desk::new();
        let was: BTreeSet<String> = desk.reach(&deployment(&before, &[])).jobs.into_iter().collect();
        let jobs: BTreeSet<String> = desk.reach(&deployment(&after, &[])).jobs.into_iter().collect();
        let said = plan(Some(&state(&before)), &state(&after));
        for (name, resource) in said.resources.iter().filter(|(name, _)| &***name != "text") {
            let is_done = |word: &str| jobs.contains(&format!("{word} {name}"));
            let did = match (is_done("create"), is_done("update"), is_done("delete")) {
                (true, _, _) if was.contains(&format!("create {name}")) => "replaced",
                (true, ..) => "created",
                (_, true, _) => "updated",
                (_, _, true) => "deleted",
                _ => "nothing",
            };
            let is_noted = |reason: &Reason| {
                NOTED.contains(&&*reason.what) || reason.what == "user_data" && after.contains("policy: IGNORE")
            };
            // What surely changes in place may be replaced as well, because of a value that only the cloud knows.
            let is_sure = resource.because.iter().any(|reason| !is_noted(reason) && reason.through.is_none());
            let fitting: &[&str] = match resource.action {
                Action::Unchanged => &["nothing"],
                Action::Update if resource.because.iter().all(is_noted) => &["nothing"],
                Action::MayUpdate | Action::MayRebuild => &["nothing", "updated"],
                Action::MayReplace if is_sure => &["updated", "replaced"],
                Action::MayReplace => &["nothing", "updated", "replaced"],
                Action::Update | Action::Rebuild => &["updated"],
                Action::Create => &["created"],
                Action::Replace => &["replaced"],
                Action::Delete => &["deleted"],
                Action::Refused => &[],
            };
            prop_assert!(
                fitting.contains(&did),
                "`{name}` is {did}, and the plan says {:?} because of {:?}\n{jobs:?}\n{before}\n{after}",
                resource.action, resource.because
            );
        }
        let known = |job: &String| said.resources.contains_key(job.split_once(' ').expect("two words").1);
        prop_assert!(jobs.iter().all(known), "{jobs:?}");
    }
}
