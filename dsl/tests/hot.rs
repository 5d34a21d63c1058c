//! Every part of HOT besides resources and their properties, written in Rust, as it appears in the template.

use wattle::author::Blueprint;
use wattle::model::Constraint;
use wattle::prelude::*;

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    /// Whether there is an address outside.
    #[parameter(name = "With Address", default = true, immutable, tags = ["network"])]
    with_address: Parameter<bool>,
    /// A key.
    #[parameter(label = "Key", hidden, pattern = "[a-z]+", constraints = [Constraint::Modulo { step: 2.0, offset: 0.0 }])]
    key: Parameter<String>,
    #[parameter(default = r#"{"a": [1, null]}"#)]
    labels: Parameter<hot::Json>,
}

/// The whole.
#[blueprint]
pub fn whole(t: &mut Topology, p: Settings) {
    t.version("2018-08-31");
    t.parameter_group("Access", "Who may enter.", &["key"]);
    let outside = t.condition("outside", hot::equals(p.with_address, true));
    let inside = t.condition("inside", hot::not(outside));
    t.condition("some", hot::or([hot::value(outside), hot::and([inside, outside]), hot::contains("a", ["a", "b"])]));
    let wall = t.add("wall", RawResource::new("Our::Wall").property("names", hot::empty_list()));
    let door = RawResource::new("Our::Door")
        .property("size", hot::if_(outside, 2, hot::null()))
        .property("labels", hot::map_merge([hot::value(p.labels), hot::value([("n", 1)]), hot::empty_map()]))
        .property("first", hot::get_param(p.labels, [hot::value("a"), hot::value(0)]))
        .property("wall", hot::list_join(":", [hot::get_resource(wall), hot::get_attr(wall, ["names", "b"])]))
        .property("script", t.file("door.sh", "#!/bin/sh\n"))
        .property("image", t.file("door.png", b"\x89PNG"))
        .property("text", hot::str_replace("say $it", [("$it", p.key)]))
        .property("stack", text!("{}!", hot::stack_name()));
    let door = t.add("door", door);
    let door = t.resource(door).condition(outside).depends_on(wall).description("The way in.");
    let door = door.metadata([("a", [1, 2])]).deletion_policy("Retain");
    door.update_policy([("rolling", [("size", 1)])]).external_id("d-1");
    t.output("wall", wall).description("Its id.").condition(hot::not(inside));
}

/// Reviewed by a person.
const TEMPLATE: &str = include_str!("hot.yaml");

#[test]
fn all_of_hot_can_be_said() {
    let model = whole.model(Default::default());
    let diagnostics = wattle::check::check(&model, &Default::default());
    assert!(!wattle::check::has_errors(&diagnostics), "{diagnostics:?}");
    let lowered = wattle::lower::lower(&model, &Default::default());
    assert_eq!(wattle::emit::to_yaml(&lowered.template).expect("YAML"), TEMPLATE);
}

#[test]
fn what_a_member_is_given_twice_is_found() {
    let codes = |member: RawResource| {
        let mut t = Topology::new("demo");
        let member = t.member(member);
        t.add("group", RawResource::new("Our::Group").property("member", member));
        let model = t.finish(Exports::new());
        let diagnostics = wattle::check::check(&model, &Default::default());
        (model, diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>())
    };
    let (model, found) = codes(RawResource::new("Our::Wall").property("size", 1).property("name", "wall-%index%"));
    assert!(found.is_empty(), "{found:?}");
    assert!(model.unused.is_empty(), "a member is no resource that nobody adds");
    let template = wattle::emit::to_yaml(&wattle::lower::lower(&model, &Default::default()).template).expect("YAML");
    let member = "      member:\n        type: Our::Wall\n        properties:\n          size: 1\n          name: wall-%index%\n";
    assert!(template.contains(member), "{template}");
    let (_, found) = codes(RawResource::new("Our::Wall").property("size", 1).property("size", 2));
    assert_eq!(found, ["W0406"]);
}

#[test]
fn a_handle_of_another_topology_is_found() {
    let mut other = Topology::new("other");
    let strange = other.add("strange", RawResource::new("Our::Wall"));
    let condition = other.condition("strange", true);
    let mut t = Topology::new("own");
    let own = t.add("own", RawResource::new("Our::Wall").property("size", hot::if_(condition, 1, 2)));
    t.resource(own).depends_on(strange);
    t.resource(strange).description("lost");
    let model = t.finish(Exports::new());
    assert!(model.resources["own"].description.is_empty());
    let diagnostics = wattle::check::check(&model, &Default::default());
    assert_eq!(diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["W0301"], "{diagnostics:?}");
    assert_eq!(diagnostics[0].labels.len(), 2, "each place is shown: {diagnostics:?}");
}
