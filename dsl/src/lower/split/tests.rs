use super::super::dependence::requires;
use super::super::hot::HotParameter;
use super::super::places::{Moved, Places};
use super::*;
use crate::model::{Name, ParameterType};

/// A template of these resources, each with its requirements. A name that begins with `server` makes it a server.
fn template<'n>(resources: impl IntoIterator<Item = (String, Vec<&'n str>)>) -> Template {
    let mut template = Template::new("");
    for (name, required) in resources {
        let ty = if name.starts_with("server") { "OS::Nova::Server" } else { "OS::Neutron::Port" };
        let mut resource = HotResource::new(ty.into());
        let required = required.into_iter().map(|name| Hot::GetResource(name.into()));
        resource.set("x".into(), Hot::List(required.collect()));
        template.resources.insert(name.into(), resource);
    }
    template
}

fn of(resources: &[(&str, &[&str])]) -> Template {
    template(resources.iter().map(|(name, required)| ((*name).to_owned(), required.to_vec())))
}

/// Options for stacks that had these resources, each cut as small as possible.
fn deployed(stacks: &[(u32, &[&str])]) -> Options {
    let mut root = Template::new("");
    let mut nested = IndexMap::default();
    for (number, names) in stacks {
        let part = of(&names.iter().map(|name| (*name, &[][..])).collect::<Vec<_>>());
        if *number == 0 {
            root.resources.extend(part.resources);
        } else {
            let file = super::super::places::part_file(*number);
            let name = super::super::places::part_name(*number);
            root.resources.insert(name, HotResource::new(file.as_str().into()));
            nested.insert(file, part);
        }
    }
    Options { stack_resources: 2, deployed: Places::of(&root, &nested), ..Options::default() }
}

fn cut(whole: Template, options: &Options) -> Places {
    let requires = requires(&whole);
    let (template, nested) = split(&Model::default(), whole, &requires, options);
    Places::of(&template, &nested)
}

fn moved(whole: Template, options: &Options) -> Vec<(String, Place)> {
    let moved = options.deployed.moved(&cut(whole, options)).into_iter();
    moved.map(|Moved { name, to, .. }| (name.to_string(), to)).collect()
}

#[test]
fn what_came_to_be_shared_stays_where_it_is() {
    let options = deployed(&[(1, &["server1", "port1"]), (2, &["server2", "port2"]), (0, &["server0"])]);
    let whole = |one: &'static [&'static str], two: &'static [&'static str]| {
        of(&[
            ("server0", &["port1"]),
            ("server1", one),
            ("port1", &[]),
            ("server2", two),
            ("port2", &[]),
            ("server3", &["port1", "port2"]),
        ])
    };
    // The second part waits for the first, and so does the parent.
    assert_eq!(moved(whole(&["port1"], &["port2", "port1"]), &options), []);
    // One must move.
    let both = moved(whole(&["port1", "port2"], &["port2", "port1"]), &options);
    assert_eq!(both, [("port1".to_owned(), Place::Stack)]);
}

#[test]
fn who_needs_something_of_a_part_comes_to_it() {
    let options = deployed(&[(1, &["server1", "port1"]), (2, &["server2"]), (3, &["server3"])]);
    let places = cut(
        of(&[
            ("server1", &["port1"]),
            ("port1", &[]),
            ("server2", &[]),
            ("server3", &[]),
            ("server4", &["port1", "port4"]),
            ("port4", &[]),
            ("server5", &["port1"]),
        ]),
        &options,
    );
    for name in ["server4", "port4", "server5"] {
        assert_eq!(places.get(name), Some(Place::Nested(1)), "{name}");
    }
}

#[test]
fn what_a_removed_server_leaves_stays_where_it_is() {
    let options = deployed(&[(0, &["net"]), (1, &["server1", "port1", "late1"]), (2, &["server2"])]);
    let whole = of(&[("net", &[]), ("port1", &["net"]), ("late1", &["server2"]), ("server2", &["net"])]);
    assert_eq!(moved(whole, &options), []);
}

/// Two servers in parts, each with a port, and a network in the parent.
fn two_servers() -> (Template, Options) {
    let parts: [(u32, &[&str]); 3] = [(0, &["net"]), (1, &["server1", "port1"]), (2, &["server2", "port2"])];
    let whole =
        of(&[("net", &[]), ("server1", &["port1"]), ("port1", &["net"]), ("server2", &["port2"]), ("port2", &["net"])]);
    (whole, deployed(&parts))
}

fn templates(whole: Template, options: &Options) -> (Template, IndexMap<String, Template>) {
    let requires = requires(&whole);
    split(&Model::default(), whole, &requires, options)
}

#[test]
fn an_order_moves_nothing() {
    let new = |after: &str| {
        let mut new = HotResource::new("OS::Neutron::Port".into());
        new.depends_on.push(after.into());
        new
    };
    let (mut whole, options) = two_servers();
    whole.resources.insert("late".into(), new("server1"));
    whole.resources.insert("late1".into(), new("port2"));
    let mut both = new("server1");
    both.depends_on.extend(["port1".into(), "server2".into(), "net".into()]);
    whole.resources.insert("both".into(), both);
    whole.resources["port2"].depends_on.extend(["port1".into(), "net".into()]);
    assert_eq!(moved(whole.clone(), &options), []);
    let (parent, parts) = templates(whole, &options);
    assert_eq!(parts["part-1.yaml"].resources["late"].depends_on, ["server1".into()]);
    assert_eq!(parent.resources["both"].depends_on, ["wattle_part_1", "wattle_part_2", "net"].map(Name::from));
    assert_eq!(parent.resources["wattle_part_2"].depends_on, ["wattle_part_1", "net"].map(Name::from));
    assert!(parts["part-2.yaml"].resources["port2"].depends_on.is_empty());
}

#[test]
fn what_is_new_between_two_of_a_part_comes_to_it() {
    let options = deployed(&[(1, &["server1", "server2", "server4"]), (2, &["server3"])]);
    // Several servers need it, and it also needs something from another part, so it would be in the parent.
    let whole = of(&[
        ("server1", &[]),
        ("server2", &["new"]),
        ("server3", &[]),
        ("server4", &["new"]),
        ("new", &["server1", "server3"]),
    ]);
    assert_eq!(moved(whole.clone(), &options), []);
    assert_eq!(cut(whole, &options).get("new"), Some(Place::Nested(1)));
}

#[test]
fn a_condition_moves_nothing() {
    let (mut whole, options) = two_servers();
    let decides = |name: &str| {
        let branches = [Hot::from(name), Hot::from("x"), Hot::GetResource("net".into())];
        Hot::Function("if".into(), Box::new(Hot::List(branches.into())))
    };
    whole.resources["port2"].condition = Some(Box::new(Hot::from("is-large")));
    whole.resources["server2"].set("y".into(), decides("is-large"));
    whole.resources["server1"].set("y".into(), decides("is-new"));
    whole.resources["server1"].set("z".into(), Hot::GetResource("port2".into()));
    for name in ["is-large", "is-new"] {
        whole.conditions.insert(name.into(), Hot::from("x"));
    }
    assert_eq!(moved(whole.clone(), &options), []);
    let (parent, parts) = templates(whole, &options);
    let text = serde_json::to_value((&parent.resources["wattle_part_1"], &parts)).expect("JSON");
    let port = serde_json::json!({"if": ["is-large", {"get_resource": "port2"}, null]});
    assert_eq!(text[1]["part-2.yaml"]["outputs"]["port2"]["value"], port);
    assert_eq!(text[1]["part-1.yaml"]["resources"]["server1"]["properties"]["z"]["get_param"][1], "value");
    let given = &text[0]["properties"];
    assert_eq!(given["port2"]["value"]["if"][1]["get_attr"], serde_json::json!(["wattle_part_2", "port2"]));
    assert_eq!(given["wattle_if:is-new"], serde_json::json!({"if": ["is-new", true, false]}));
    let holds = serde_json::json!({"equals": [{"get_param": "wattle_if:is-new"}, true]});
    assert_eq!(text[1]["part-1.yaml"]["conditions"]["is-new"], holds);
    assert_eq!(text[1]["part-2.yaml"]["conditions"].as_object().map(serde_json::Map::len), Some(1));
}

#[test]
fn a_computed_reference_moves_nothing() {
    let (mut whole, options) = two_servers();
    whole.parameters.insert("key".into(), HotParameter::new(ParameterType::Str));
    let path = vec![Hot::from("server1"), Hot::from("addresses"), Hot::parameter("key")];
    let computed = Hot::Function("get_attr".into(), Box::new(Hot::List(path)));
    whole.resources["server2"].set("y".into(), computed.clone());
    let mut new = HotResource::new("OS::Neutron::Port".into());
    new.set("y".into(), computed);
    whole.resources.insert("new".into(), new);
    // The target of this reference is unknown.
    let mut odd = HotResource::new("OS::Neutron::Port".into());
    odd.set("y".into(), Hot::Function("get_attr".into(), Box::new(Hot::List(vec![Hot::parameter("key")]))));
    whole.resources.insert("odd".into(), odd);
    assert_eq!(moved(whole.clone(), &options), []);
    let (_, parts) = templates(whole, &options);
    assert!(parts["part-1.yaml"].parameters.contains_key("key"));
    assert_eq!(parts["part-1.yaml"].outputs.len(), 1);
    assert_eq!(parts["part-2.yaml"].parameters.values().filter(|one| one.ty == ParameterType::Json).count(), 1);
}

#[test]
fn the_name_of_the_stack_is_the_parent_s() {
    let (mut whole, options) = two_servers();
    let written = Hot::Function("get_param".into(), Box::new(Hot::from("OS::stack_id")));
    whole.resources["server1"].set("y".into(), Hot::parameter("OS::stack_name"));
    whole.resources["server1"].set("z".into(), written);
    whole.resources["net"].set("y".into(), Hot::parameter("OS::stack_name"));
    assert_eq!(moved(whole.clone(), &options), []);
    let (parent, parts) = templates(whole, &options);
    let text = serde_json::to_value((&parent.resources, &parts["part-1.yaml"])).expect("JSON");
    let properties = &text[1]["resources"]["server1"]["properties"];
    let given = &text[0]["wattle_part_1"]["properties"];
    for (name, set) in [("stack_name", "y"), ("stack_id", "z")] {
        let ours = format!("wattle_{name}");
        assert_eq!(properties[set], serde_json::json!({ "get_param": ours }));
        assert_eq!(given[&ours], serde_json::json!({ "get_param": format!("OS::{name}") }));
        assert_eq!(text[1]["parameters"][&ours]["type"], "string");
    }
    assert_eq!(text[0]["net"]["properties"]["y"], serde_json::json!({ "get_param": "OS::stack_name" }));
    assert!(parts["part-2.yaml"].parameters.keys().all(|name| !name.starts_with("wattle_stack")));
}

#[test]
fn only_what_heat_does_not_take_leaves() {
    let names: Vec<(String, String)> = (0..600).map(|i| (format!("server{i}"), format!("port{i}"))).collect();
    let whole = || {
        template(
            names.iter().flat_map(|(server, port)| [(server.clone(), vec![port.as_str()]), (port.clone(), Vec::new())]),
        )
    };
    let servers: Vec<&str> = names.iter().map(|(server, _)| server.as_str()).collect();
    let options = deployed(&[(0, &servers)]);
    let moved = moved(whole(), &options);
    assert_eq!(moved.len(), 101, "of 1,200 resources, those of 101 servers leave 998");
    assert!(moved.iter().all(|(_, to)| *to != Place::Stack));
    // If Heat accepted more before, it still accepts as much.
    let all: Vec<&str> = names.iter().flat_map(|(server, port)| [server.as_str(), port.as_str()]).collect();
    let options = deployed(&[(0, &all)]);
    assert_eq!(super::tests::moved(whole(), &options), []);
}
