//! The actions on what is deployed.

mod groups;

use wattle::model::Value;
use wattle::plan::{Action, State, plan};

fn state(files: &[(&str, &str)], parameters: &[(&str, &str)]) -> State {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let parameters = parameters.iter().map(|(name, value)| ((*name).into(), Value::from(*value))).collect();
    State::new(&files, parameters, None).expect("a state")
}

/// All actions, as `NAME ACTION`, except on unchanged things.
fn actions(before: &State, after: &State) -> Vec<String> {
    let plan = plan(Some(before), after);
    assert_eq!(plan.is_empty(), plan.resources.values().all(|plan| plan.action == Action::Unchanged));
    let changed = plan.resources.iter().filter(|(_, plan)| plan.action != Action::Unchanged);
    changed.map(|(name, plan)| format!("{name} {:?}", plan.action)).collect()
}

const BASE: &str = r#"
heat_template_version: 2021-04-16
parameters:
  flavor: {type: string, default: m1.small}
  word: {type: string, hidden: true, default: hunter2}
  many: {type: boolean, default: false}
conditions:
  many: {get_param: many}
resources:
  told: {type: OS::Heat::Value, properties: {value: {str_replace: {template: "hello NAME", params: {NAME: you}}}}}
  net: {type: OS::Neutron::Net, properties: {name: a}}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, name: {get_param: word}}}
  web:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: debian
      networks: [{port: {get_resource: port}}]
      user_data: {get_attr: [told, value]}
  more: {type: OS::Nova::Server, condition: many, properties: {flavor: "1"}}
outputs:
  ip: {value: {get_attr: [web, first_address]}}
"#;

fn changed(from: &str, to: &str) -> Vec<String> {
    assert!(BASE.contains(from), "{from}");
    actions(&state(&[("template.yaml", BASE)], &[]), &state(&[("template.yaml", &BASE.replace(from, to))], &[]))
}

#[test]
fn what_is_the_same_stays() {
    assert!(changed("debian", "debian").is_empty());
    // Another notation, and defaults that are written out.
    assert!(changed("properties: {name: a}", "properties: {name: {list_join: ['', [a, '']]}}").is_empty());
    assert!(changed("image: debian", "image: debian\n      flavor_update_policy: RESIZE").is_empty());
    assert!(changed("name: {get_param: word}", "name: {get_param: word}, admin_state_up: 'True'").is_empty());
    assert!(changed("flavor: {get_param: flavor}", "flavor: m1.small").is_empty());
}

#[test]
fn properties_change_in_place_or_replace_as_the_schema_says() {
    assert_eq!(changed("default: m1.small", "default: m1.large"), ["web Update"]);
    assert_eq!(changed("image: debian", "image: debian\n      key_name: k"), ["web Replace"]);
    assert_eq!(changed("name: a", "name: b"), ["net Update"]);
    assert_eq!(
        changed("type: OS::Neutron::Net, properties: {name: a}", "type: OS::Heat::None"),
        ["net Replace", "port Replace", "web Update"]
    );
    assert_eq!(
        changed("flavor: {get_param: flavor}", "flavor: x\n      flavor_update_policy: REPLACE"),
        ["web Replace"]
    );
    assert_eq!(changed("default: false", "default: true"), ["more Create"]);
    assert_eq!(changed("  net: {", "  net: {metadata: {a: 1}, "), ["net Update"]);
}

#[test]
fn what_refers_to_what_is_replaced_changes_with_it() {
    // Changing a network's tenant replaces it and therefore the port, which the server takes in place.
    assert_eq!(changed("name: a", "name: a, tenant_id: t"), ["net Replace", "port Replace", "web Update"]);
    // The value contains user data.
    assert_eq!(changed("hello NAME", "good morning NAME"), ["told Update", "web Replace"]);
    assert_eq!(changed("{get_attr: [told, value]}", "{get_attr: [net, mtu]}"), ["web Replace"]);
    let attribute = |text: &str| text.replace("{get_attr: [told, value]}", "{get_attr: [net, mtu]}");
    let both = |text: &str| state(&[("template.yaml", &attribute(text))], &[]);
    assert_eq!(actions(&both(BASE), &both(&BASE.replace("name: a", "name: b"))), ["net Update", "web MayReplace"]);
    // A resource that certainly changes in place may also be replaced, and so may those that depend on it.
    let larger = BASE.replace("name: a", "name: b").replace("default: m1.small", "default: m1.large");
    assert_eq!(actions(&both(BASE), &both(&larger)), ["net Update", "web MayReplace"]);
}

#[test]
fn what_is_referred_to_by_its_name_may_be_another_of_that_name() {
    let with = |pair: &str| {
        let text = format!(
            "resources:\n  pair: {{type: OS::Nova::KeyPair, properties: {pair}}}\n  web: {{type: OS::Nova::Server, \
             properties: {{key_name: {{get_resource: pair}}}}}}"
        );
        state(&[("template.yaml", &text)], &[])
    };
    let before = with("{name: a, public_key: k}");
    assert_eq!(actions(&before, &with("{name: a, public_key: l}")), ["pair Replace"]);
    assert_eq!(actions(&before, &with("{name: b, public_key: k}")), ["pair Replace", "web Replace"]);
    // Without one, Heat generates a new key.
    assert_eq!(actions(&with("{public_key: k}"), &with("{public_key: l}")), ["pair Replace", "web Replace"]);
}

#[test]
fn what_is_computed_to_the_same_stays() {
    let replaced = r#"{str_replace: {template: "hello NAME", params: {NAME: you}}}"#;
    let computed = changed(replaced, "{list_join: [' ', [hello, you]]}");
    assert!(computed.is_empty(), "{computed:?}");
    let other = r#"{str_replace: {template: "hello NAME", params: {NAME: me}}}"#;
    assert_eq!(changed(replaced, other), ["told Update", "web Replace"]);
    // Functions do not compute with unknown values or secrets.
    let open = r#"{str_replace: {template: "hello NAME", params: {NAME: {get_attr: [net, mtu]}}}}"#;
    assert_eq!(changed(replaced, open), ["told Update", "web Replace"]);
    let hidden = |template: &str| {
        let name =
            format!(r#"name: {{str_replace: {{template: "{template}", params: {{NAME: {{get_param: word}}}}}}}}"#);
        let text = BASE.replace("name: {get_param: word}", &name);
        state(&[("template.yaml", &text)], &[])
    };
    let plan = plan(Some(&hidden("a NAME")), &hidden("b NAME"));
    assert_eq!(plan.resources["port"].action, Action::Update);
    assert!(!plan.to_json().contains("hunter2"), "{}", plan.to_json());
}

#[test]
fn parameters_count_only_where_both_sides_know_them() {
    let with = |parameters: &[(&str, &str)]| state(&[("template.yaml", BASE)], parameters);
    assert_eq!(actions(&with(&[]), &with(&[("flavor", "m1.large")])), ["web Update"]);
    let open = BASE.replace("default: m1.small", "description: x");
    let open = |parameters: &[(&str, &str)]| state(&[("template.yaml", &open)], parameters);
    assert!(actions(&open(&[]), &open(&[("flavor", "m1.large")])).is_empty());
    assert_eq!(actions(&open(&[("flavor", "m1.small")]), &open(&[("flavor", "m1.large")])), ["web Update"]);
}

#[test]
fn secrets_are_compared_and_not_shown() {
    let before = state(&[("template.yaml", BASE)], &[]);
    let after = state(&[("template.yaml", BASE)], &[("word", "swordfish")]);
    let plan = plan(Some(&before), &after);
    assert_eq!(plan.resources["port"].action, Action::Update);
    for text in [plan.to_text(false), plan.to_json()] {
        assert!(text.contains("(secret)") && !text.contains("hunter2") && !text.contains("swordfish"), "{text}");
    }
}

#[test]
fn nested_stacks_are_looked_through() {
    let root = "
resources:
  net: {type: OS::Neutron::Net, properties: {name: a}}
  part_1: {type: part-1.yaml, properties: {net: {get_resource: net}, flavor: m1.small}}
  web: {type: OS::Nova::Server, properties: {user_data: {get_attr: [part_1, told]}}}";
    let part = "
parameters: {net: {type: string}, flavor: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  db: {type: OS::Nova::Server, properties: {flavor: {get_param: flavor}, networks: [{port: {get_resource: port}}]}}
outputs: {told: {value: {list_join: [' ', [hello, you]]}}}";
    let of = |root: &str, part: &str| state(&[("template.yaml", root), ("part-1.yaml", part)], &[]);
    let before = of(root, part);
    assert!(actions(&before, &of(root, part)).is_empty());
    assert_eq!(actions(&before, &of(&root.replace("m1.small", "m1.large"), part)), ["part_1/db Update"]);
    assert_eq!(
        actions(&before, &of(&root.replace("name: a", "tenant_id: t"), part)),
        ["net Replace", "part_1/port Replace", "part_1/db Update"]
    );
    assert_eq!(actions(&before, &of(root, &part.replace("hello", "bye"))), ["web Replace"]);
    // In another stack, it is another resource.
    let elsewhere =
        root.replace("part_1: {type: part-1.yaml", "part_2: {type: part-1.yaml").replace("[part_1,", "[part_2,");
    let moved = plan(Some(&before), &of(&elsewhere, part));
    assert_eq!(moved.resources["part_1/db"].action, Action::Delete);
    assert_eq!(moved.resources["part_2/db"].action, Action::Create);
    let text = moved.to_text(false);
    assert!(text.contains("it moves from the nested stack `part_1` to the nested stack `part_2`"), "{text}");
}

#[test]
fn a_rename_is_reported_with_how_it_would_be_none() {
    let renamed = BASE.replace("  web:\n", "  shop:\n").replace("[web,", "[shop,");
    let plan = plan(Some(&state(&[("template.yaml", BASE)], &[])), &state(&[("template.yaml", &renamed)], &[]));
    assert_eq!((plan.resources["web"].action, plan.resources["shop"].action), (Action::Delete, Action::Create));
    assert!(plan.to_text(false).contains("`.moved_from(\"web\")` keeps it"), "{}", plan.to_text(false));
    assert_eq!(
        plan.summary.to_string(),
        "1 to create, 0 to update, 0 to replace, 1 to delete; no component runs; 3 resources and 0 components stay as they are"
    );
}

#[test]
fn what_heat_never_changes_is_refused() {
    let trunk = |port: &str| {
        let text = format!("resources: {{t: {{type: OS::Neutron::Trunk, properties: {{port: {port}}}}}}}");
        state(&[("template.yaml", &text)], &[])
    };
    assert_eq!(actions(&trunk("a"), &trunk("b")), ["t Refused"]);
}
