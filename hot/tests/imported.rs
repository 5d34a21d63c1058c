//! The text of an imported crate: its notes, its comments, and its names.

use wattle_heat::Loaded;
use wattle_hot::import::{Dependency, Options, import};

/// Why the config with these properties remains a resource; `None` if it becomes a component.
fn said(properties: &str) -> Option<String> {
    let text = format!(
        "heat_template_version: 2021-04-16
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {{{properties}}}
"
    );
    let options = Options::new("shop", Dependency::Version("1".into()));
    let notes = import(&Loaded::of(&text, "shop.yaml"), &options).expect("a crate").notes;
    let stays = "it stays a resource and does not become a component: ";
    let mut of_config = notes.into_iter().filter(|note| note.places.iter().any(|(_, subject)| subject == "`config`"));
    of_config.find_map(|note| note.text.strip_prefix(stays).map(str::to_owned))
}

#[test]
fn a_config_for_another_hook_stays_with_its_reason() {
    let of = |group: &str| said(&format!("group: {group}, config: 'it: test.nop', inputs: [{{name: port}}]"));
    assert_eq!(
        of("salt").as_deref(),
        Some("Heat passes its inputs as options of the minion, but a component as the pillar")
    );
    assert_eq!(of("ansible").as_deref(), Some("its group is not `script`"));
}

#[test]
fn a_config_whose_names_no_component_may_have_stays() {
    for (section, name) in
        [("inputs", "heat_outputs_path"), ("inputs", "new"), ("outputs", "component"), ("outputs", "_it")]
    {
        let script = format!("\"#!/bin/sh\\necho > \\\"$heat_outputs_path.{name}\\\"\\n\"");
        let why = said(&format!("group: script, config: {script}, {section}: [{{name: {name}}}]"));
        assert_eq!(why, Some(format!("`{name}` cannot be a field of a component")));
    }
}

const OLD_NAMES: &str = include_str!("../../tests/templates/import/forms/old_names.yaml");

/// The library of the template's crate, and the notes.
fn library(text: &str) -> (String, Vec<String>) {
    let files = std::collections::BTreeMap::from([("parts/boot.sh".to_owned(), b"true\n".to_vec())]);
    let loaded = wattle_hot::load(text, "shop.yaml", &files, &Default::default());
    let imported = import(&loaded, &Options::new("shop", Dependency::Version("1".into()))).expect("a crate");
    let library = imported.files.into_iter().find(|(path, _)| path == "src/lib.rs").expect("a library").1;
    (library, imported.notes.iter().map(ToString::to_string).collect())
}

#[test]
fn what_has_an_old_name_is_typed() {
    let (library, notes) = library(OLD_NAMES);
    assert!(!library.contains("raw("), "{library}");
    for expected in [
        "neutron::Subnet::new(p.net)",
        ".ip_address(\"10.0.0.7\")",
        "neutron::FloatingIp::new(\"public\").port(port)",
        "neutron::RouterInterface::new(router).port(port)",
        ".l3_agent_ids([\"agent\"])",
        ".network(p.net)",
        ".image(\"debian\")",
        ".timeout(7)",
        ".primaries([\"10.0.0.1\"])",
        // Heat reads the old one, although the new one is present.
        ".property(\"network_id\", \"\")",
    ] {
        assert!(library.contains(expected), "{expected} is not in:\n{library}");
    }
    let renamed = notes.iter().find(|note| note.contains("not its old one")).expect("a note");
    assert!(renamed.contains("shop.yaml:25:7: `network_id`, now `network`\n"), "{renamed}");
    assert!(renamed.lines().count() == 7 && renamed.contains("  ... and "), "{renamed}");
}

#[test]
fn parameters_that_nothing_reads_have_no_name() {
    let crate_of = |description: &str, flavor: &str| {
        let text = format!(
            "heat_template_version: 2021-04-16
parameters: {{size: {{type: string}}}}
resources:
  map: {{type: OS::Nova::Server, properties: {{image: \"{description}\", flavor: {flavor}}}}}
outputs:
  id: {{value: {{get_attr: [map, name]}}}}
"
        );
        library(&text).0
    };
    for unread in ["see the map. There", "of p.sizes"] {
        let library = crate_of(unread, "m1.small");
        assert!(library.contains("t: &mut Topology, _: Settings)"), "{library}");
    }
    let library = crate_of("debian", "{get_param: size}");
    assert!(library.contains("t: &mut Topology, p: Settings)"), "{library}");
}

#[test]
fn numbers_stay_in_their_base() {
    let (library, _) = library(OLD_NAMES);
    for expected in ["0o755", "0x1F, 0b11, 0o17, 0o10", ".length(0o12)", "default = 0x10", "the number `0644`"] {
        assert!(library.contains(expected), "{expected} is not in:\n{library}");
    }
}

#[test]
fn comments_stand_where_they_stood() {
    let (library, _) = library(OLD_NAMES);
    for expected in [
        "// Licensed to nobody.\n// A banner \\u202e of two lines.\n//! `shop.yaml`",
        "// What one chooses.\n/// Chosen when",
        "    // Where all is.\n    // by its name\n    #[parameter(default = \"private\")]\n    net:",
        "    // `default`: as for chmod\n",
        "    // Both are one.\n    let one = t.condition(\"one\"",
        "    // What there is.\n    // The subnet.\n    // `network_id`: an old name\n    // `cidr`: small\n    // gateway_ip: \
         10.0.0.1\n    let subnet =",
        "    // Nobody needs it.\n",
        "    // What it shows.\n    // The mode.\n    t.output(\"mode\"",
        "    // trailing, of the last\n    t.output(\"all\"",
        "\n    // The end.\n}\n",
    ] {
        assert!(library.contains(expected), "{expected} is not in:\n{library}");
    }
}

#[test]
fn no_comment_is_lost() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut count = 0;
    for folder in ["templates/good", "templates/import/forms", "heat/selftest/good"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a template");
            let loaded = Loaded::of(&text, "shop.yaml");
            let options = Options::new("shop", Dependency::Version("1".into()));
            let Ok(imported) = import(&loaded, &options) else { continue };
            let all: String = imported.files.into_iter().map(|(_, text)| text).collect();
            for comment in &loaded.template.comments {
                count += 1;
                let said = wattle::shown::one_line(comment.text.trim());
                assert!(all.contains(&said), "{}: {said}", path.display());
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn stacks_of_nested_templates_are_typed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/templates/import/forms");
    let read = |path: &str| std::fs::read(folder.join(path)).expect("a template");
    let files = ["parts/node.yaml", "parts/deep/leaf.yaml"].map(|path| (path.to_owned(), read(path)));
    let text = String::from_utf8(read("stacks.yaml")).expect("text");
    let loaded = wattle_hot::load(&text, "stacks.yaml", &std::collections::BTreeMap::from(files), &Default::default());
    let imported = import(&loaded, &Options::new("stacks", Dependency::Version("1".into()))).expect("a crate");
    let all: String = imported.files.into_iter().map(|(_, text)| text).collect();
    for expected in [
        "let node = t.template(\"parts/node.yaml\", node::node);",
        ".network(node::Outputs(first).address())",
        ".names([\"a\", \"b\"])",
        "t.add(\"lone\", leaf.stack())",
        "node::Outputs(second).some_name()",
        "pub fn some_name(self) -> Attribute<String> {\n        self.0.attribute(\"some-name\")",
        "    /// Where it is.\n    pub fn address(self) -> hot::Value {\n        hot::get_attr(self.0, [\"address\"])",
        "let leaf = t.add(\"leaf\", leaf_template.stack());",
        "t.member(\n            node.stack()\n                .image(\"debian-%index%\")\n                .network(\"private\")",
        "heat::ResourceGroup::new(t.member(leaf.stack()))",
        "heat::AutoScalingGroup::new(\n        t.member(",
        "heat::ResourceGroupResourceDef::new(\"parts/deep/leaf.yaml\").metadata(",
    ] {
        assert!(all.contains(expected), "{expected} is not in:\n{all}");
    }
    assert!(!all.contains("raw("), "{all}");
}

#[test]
fn what_heat_hides_is_typed_by_a_feature_of_the_catalog() {
    let text = "
heat_template_version: 2021-04-16
resources:
  server: {type: OS::Nova::Server, properties: {image: debian, flavor: m1.small}}
  address: {type: OS::Nova::FloatingIPAssociation, properties: {floating_ip: f, server_id: {get_resource: server}}}
  removed: {type: OS::Monasca::Notification}
";
    let imported = import(&Loaded::of(text, "shop.yaml"), &Options::new("shop", Dependency::Version("1".into())));
    let imported = imported.expect("a crate");
    let file = |name: &str| &imported.files.iter().find(|(path, _)| path == name).expect("a file").1;
    assert!(file("Cargo.toml").contains("features = [\"hidden\"]"), "{}", file("Cargo.toml"));
    assert!(file("src/lib.rs").contains("nova::FloatingIpAssociation::new("), "{}", file("src/lib.rs"));
    assert!(imported.notes.iter().any(|note| note.to_string().contains("feature `hidden`")));
    assert!(file("src/lib.rs").contains("raw(\"OS::Monasca::Notification\")"), "{}", file("src/lib.rs"));
}

#[test]
fn large_integers_stay_what_they_are_or_are_noted() {
    let (library, notes) = library(
        "heat_template_version: 2021-04-16
description: 4711
parameters:
  wide: {type: number, default: 12345678901234567890, description: 22}
  wider: {type: number, default: 123456789012345678901234567890}
  whole: {type: number, default: 9007199254740993, constraints: [{range: {min: 0.5}}]}
  list: {type: json, default: [1, 123456789012345678901234567890]}
  some: {type: string, default: a, constraints: [{allowed_values: [a, 123456789012345678901234567890]}]}
resources:
  value: {type: OS::Heat::Value, properties: {value: 123456789012345678901234567890}}
  values: {type: OS::Heat::Value, properties: {value: [1, -123456789012345678901234567890]}}
outputs:
  number: {value: {get_param: wide}, description: 5}
  truth: {value: {get_param: wider}, description: off}
",
    );
    for expected in [
        "/// 4711",
        "/// 22\n    #[parameter(default = 12345678901234567890)]\n    wide: Parameter<u64>",
        "wider: Parameter<i64>",
        "wattle::model::Value::Integer(123_456_789_012_345_678_901_234_567_890)",
        "hot::value(wattle::model::Value::Integer(-123_456_789_012_345_678_901_234_567_890))",
        ".description(\"5\")",
        ".description(\"off\")",
    ] {
        assert!(library.contains(expected), "{expected} in {library}");
    }
    assert!(!library.contains("e29"), "{library}");
    let about =
        |subject: &str| notes.iter().find(|note| note.contains(subject)).map(|note| note.lines().next().unwrap());
    let rounded = "note: Rust stores a number of the parameter as a float, which rounds such large integers";
    assert_eq!(about("`wider`"), Some("note: the default of the parameter needs more than 64 bits and is left out"));
    assert_eq!([about("`whole`"), about("`list`")], [Some(rounded); 2]);
    assert_eq!(about("`wide`"), None);
}
