//! The report on each value of a template's software.

use wattle::lower::{Options, Reader, Way, computed_by_heat, lower};
use wattle_heat::Loaded;
use wattle_hot::model::read;

#[test]
fn what_heat_computes_of_constants_is_reported_under_the_name_that_servers_know_it_by() {
    let text = "heat_template_version: 2021-04-16
resources:
  db:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: debian, networks: [{allocate_network: auto}]}
    metadata:
      wattle:
        components:
          - name: store
            recipe: {script: 'echo $all $one'}
            inputs:
              all: {repeat: {for_each: {'%x%': [a, b]}, template: '%x%'}}
              one: {list_join: ['', [a, b]]}
";
    let lowered = lower(&read(&Loaded::of(text, "shop.yaml")).model, &Options::default());
    let [reported] = lowered.decisions.as_slice() else { panic!("{:?}", lowered.decisions) };
    assert_eq!(reported.reader, Reader::Input { component: "db/store".into(), input: "all".into() });
    assert_eq!((computed_by_heat(&reported.reference), reported.way), (Some("repeat"), Way::UserData));
    let emitted = wattle::emit::to_yaml(&lowered.template).expect("it emits");
    assert!(emitted.contains(&reported.reference), "{emitted}");
    assert_eq!(computed_by_heat("net.name"), None);
    assert_eq!(computed_by_heat("list_join.0123abcd"), None, "agents compute it");
}
