//! Resources of the engine itself, and the repository's templates from creation to deletion.

use std::sync::Arc;

use wattle_converge::Target as _;
use wattle_deploy::Deployment;

use crate::corpus;
use crate::desk::{Desk, KEY, deployment, loaded};
use crate::kinds::Drivers;

/// Templates whose resources are all of types that a cloud or the engine creates here.
#[test]
fn templates_are_reached_and_stay() {
    let mut reached = Vec::new();
    for (name, loaded) in corpus::examples().into_iter().chain(corpus::good()) {
        let Ok(target) = Deployment::new(loaded, Arc::new(Drivers::Core), KEY) else { continue };
        let mut desk = Desk::new();
        let all = target.resources().len();
        let done = desk.reach(&target);
        assert_eq!(done.jobs.len(), all, "{name}: {:?}", done.jobs);
        let again = desk.reach(&target);
        assert_eq!((again.jobs, again.writes), (Vec::new(), 0), "{name}");
        for output in desk.outputs(&target) {
            assert!(output.value.is_ok(), "{name}: {output:?}");
        }
        desk.delete();
        reached.push((name, all));
    }
    let of = |name: &str| reached.iter().find(|(reached, _)| reached == name).map_or(0, |(_, all)| *all);
    for (name, least) in [("connections", 10), ("hello", 2), ("three_tier", 10), ("nested_unknown_values.yaml", 9)] {
        assert!(of(name) >= least, "{name}: {reached:?}");
    }
    assert!(reached.len() >= 12, "{reached:?}");
}

#[test]
fn a_random_string_stays_until_its_properties_change() {
    let template = |properties: &str| {
        format!(
            "
resources:
  word: {{type: OS::Heat::RandomString, properties: {properties}}}
  net: {{type: OS::Neutron::Net, properties: {{name: {{get_attr: [word, value]}}}}}}
outputs: {{word: {{value: {{get_resource: word}}}}}}
"
        )
    };
    let mut desk = Desk::new();
    let mut word = |properties: &str| {
        let target = deployment(&template(properties), &[]);
        let done = desk.reach(&target);
        let output = desk.outputs(&target).remove(0);
        assert!(output.is_secret && !format!("{output:?}{target:?}").contains("value: "));
        let value = output.value.expect("a value");
        assert_eq!(desk.property("net", "name"), value);
        (value.as_str().expect("text").to_owned(), done.jobs)
    };
    let (first, jobs) = word(
        "{length: 20, character_classes: [{class: digits, min: 3}], character_sequences: [{sequence: '-_', min: 4}]}",
    );
    assert_eq!(jobs, ["create word", "create net"]);
    assert_eq!(first.len(), 20);
    assert!(first.chars().all(|each| "0123456789-_".contains(each)), "{first}");
    assert!(first.chars().filter(char::is_ascii_digit).count() >= 3, "{first}");
    assert!(first.chars().filter(|each| "-_".contains(*each)).count() >= 4, "{first}");
    let same =
        "{length: '20', character_classes: [{class: digits, min: 3}], character_sequences: [{sequence: '-_', min: 4}]}";
    assert_eq!(word(same), (first.clone(), Vec::new()));
    let salted = same.replace("{length", "{salt: new, length");
    let (second, jobs) = word(&salted);
    assert_ne!(first, second);
    assert_eq!(jobs, ["create word", "update net", "delete word"]);
    assert_eq!(word(same).0, first);
    let (plain, _) = word("{}");
    assert!(plain.len() == 32 && plain.chars().all(|each| each.is_ascii_alphanumeric()), "{plain}");
    let (octal, _) = word("{sequence: octdigits}");
    assert!(octal.chars().all(|each| ('0'..='7').contains(&each)), "{octal}");
    // A different key or name yields a different string.
    let mut words = Vec::new();
    for (key, name) in [(KEY, "word"), ([8; 32], "word"), (KEY, "other")] {
        let text = template("{}").replace("word", name);
        let target = Deployment::new(loaded(&text, &[], &[]), Arc::new(Drivers::Core), key).expect("a target");
        let mut desk = Desk::new();
        desk.reach(&target);
        words.push(desk.outputs(&target).remove(0).value.expect("a value").to_string());
    }
    words.dedup();
    assert_eq!(words.len(), 3, "{words:?}");
}

#[test]
fn groups_say_what_heat_says() {
    let text = "
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, removal_policies: [{resource_list: ['0']}], resource_def: {type: OS::Neutron::Net, properties: {name: 'n%index%'}}}
  scaled:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, desired_capacity: 2, resource: {type: OS::Neutron::Net, properties: {name: x}}}
  chain: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Neutron::Net], resource_properties: {name: y}}}
  none: {type: OS::Heat::None, properties: {any: thing}}
outputs:
  names: {value: {get_attr: [group, name]}}
  name: {value: {get_attr: [group, name, 1]}}
  refs: {value: {get_attr: [group, refs, 0]}}
  map: {value: {get_attr: [group, refs_map, '2']}}
  one: {value: {get_attr: [group, resource.2.name]}}
  itself: {value: {get_attr: [group, resource.2]}}
  by_name: {value: {get_attr: [group, attributes, name]}}
  size: {value: {get_attr: [scaled, current_size]}}
  outputs: {value: {get_attr: [scaled, outputs, name]}}
  list: {value: {get_attr: [scaled, outputs_list, name]}}
  chain: {value: {get_attr: [chain, refs]}}
  nothing: {value: {get_attr: [none, whatever]}}
";
    let target = deployment(text, &[]);
    let mut desk = Desk::new();
    desk.reach(&target);
    let outputs: Vec<_> = desk
        .outputs(&target)
        .into_iter()
        .map(|output| format!("{}: {}", output.name, output.value.expect("a value")))
        .collect();
    let phys = |name: &str| desk.phys(name);
    assert_eq!(
        outputs,
        [
            r#"names: ["n1","n2"]"#.to_owned(),
            // The path applies to each member's attribute; here, it selects the second character.
            r#"name: ["1","2"]"#.to_owned(),
            format!("refs: \"{}\"", phys("group/1")),
            format!("map: \"{}\"", phys("group/2")),
            r#"one: "n2""#.to_owned(),
            format!("itself: \"{}\"", phys("group/2")),
            r#"by_name: {"1":"n1","2":"n2"}"#.to_owned(),
            "size: 2".to_owned(),
            r#"outputs: {"0":"x","1":"x"}"#.to_owned(),
            r#"list: ["x","x"]"#.to_owned(),
            format!("chain: [\"{}\"]", phys("chain/0")),
            "nothing: null".to_owned(),
        ]
    );
}

/// Parameters of nested stacks also convert values that become known later.
#[test]
fn a_value_that_comes_late_is_read_by_the_parameters_type() {
    let root = "
resources:
  first: {type: OS::Neutron::Net, properties: {name: 'a,b', tenant_id: '7'}}
  part:
    type: part.yaml
    properties: {list: {get_attr: [first, name]}, number: {get_attr: [first, tenant_id]}, json: {get_attr: [first, name]}}
";
    let part = "
parameters: {list: {type: comma_delimited_list}, number: {type: number}, json: {type: string}}
conditions: {never: false}
resources:
  net:
    type: OS::Neutron::Net
    properties:
      name: {list_join: ['-', {get_param: list}]}
      tags: {get_param: list}
      value_specs: {n: {get_param: number}, second: {get_param: [list, 1]}, r: {repeat: {template: '<i>!', for_each: {<i>: {get_param: list}}}}}
";
    let target = deployment(root, &[("part.yaml", part)]);
    let mut desk = Desk::new();
    desk.reach(&target);
    assert_eq!(
        desk.given("part/net"),
        r#"{"name":"a-b","value_specs":{"n":7,"second":"b","r":["a!","b!"]},"tags":["a","b"]}"#
    );
}
