//! Properties of lowering, over random sound models.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use wattle::check::{Limits, check, has_errors};
use wattle::lower::hot::{Hot, Template};
use wattle::lower::seed::{Origin, Wire};
use wattle::lower::{Lowered, Options, Reader, Way, lower};
use wattle::model::{Expr, IndexMap, Model, Name, Reference};
use wattle_catalog::{neutron, nova};
use wattle_tests::random;

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400)
}

fn small_stacks() -> Options {
    let mut options = Options::default();
    options.stack_resources = 5;
    options
}

fn bytes(lowered: &Lowered) -> Vec<u8> {
    let mut out = Vec::new();
    wattle::emit::yaml(&lowered.template, &mut out).expect("emits");
    for (file, template) in &lowered.nested {
        out.extend(file.bytes());
        wattle::emit::yaml(template, &mut out).expect("emits");
    }
    out.extend(lowered.environment.to_yaml().bytes());
    lowered.seed.write(&mut out).expect("writes");
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn random_models_are_sound(choices in choices()) {
        let found = check(&random::model(&choices), &Limits::default());
        prop_assert!(!has_errors(&found), "{found:#?}");
    }

    #[test]
    fn lowering_is_deterministic(choices in choices()) {
        for options in [Options::default(), small_stacks()] {
            let first = bytes(&lower(&random::model(&choices), &options));
            prop_assert_eq!(first, bytes(&lower(&random::model(&choices), &options)));
        }
    }

    #[test]
    fn the_model_survives_its_file_form(choices in choices()) {
        let model = random::model(&choices);
        let text = serde_json::to_string(&model).expect("writes");
        let read: Model = serde_json::from_str(&text).expect("reads");
        prop_assert_eq!(&read, &model);
        prop_assert_eq!(bytes(&lower(&read, &Options::default())), bytes(&lower(&model, &Options::default())));
    }

    #[test]
    fn a_diagram_is_written_as_the_whole_is(choices in choices()) {
        let model = random::model(&choices);
        let mut written = Vec::new();
        wattle::diagram::write(&model, &mut written).expect("writes");
        let whole = wattle::diagram::of(&model).without_texts().to_json();
        prop_assert_eq!(String::from_utf8(written).expect("text"), whole);
    }

    #[test]
    fn no_server_depends_on_another(choices in choices()) {
        let lowered = lower(&random::model(&choices), &Options::default());
        prop_assert_eq!(server_behind_server(&lowered.template), None);
        let cut = lower(&random::model(&choices), &small_stacks());
        for template in cut.nested.values() {
            prop_assert_eq!(server_behind_server(template), None);
        }
        prop_assert_eq!(part_behind_part(&cut.template), None);
    }

    #[test]
    fn cutting_loses_nothing(choices in choices()) {
        let model = random::model(&choices);
        let whole = lower(&model, &Options::default());
        let cut = lower(&model, &small_stacks());
        prop_assert_eq!(&whole.seed, &cut.seed);
        let mut names: Vec<&Name> = Vec::new();
        for template in std::iter::once(&cut.template).chain(cut.nested.values()) {
            prop_assert_eq!(dangling(template), Vec::<String>::new());
            names.extend(template.resources.keys().filter(|name| !name.starts_with("wattle_")));
        }
        names.sort();
        let mut expected: Vec<&Name> = model.resources.keys().collect();
        expected.sort();
        prop_assert_eq!(names, expected);
    }

    #[test]
    fn every_entry_read_is_produced_exactly_once(choices in choices()) {
        let model = random::model(&choices);
        let seed = lower(&model, &Options::default()).seed;
        let mut produced: HashMap<String, usize> = HashMap::new();
        for (server, duties) in &seed.servers {
            for output in duties.publishes.keys() {
                *produced.entry(format!("{server}/server/{output}")).or_default() += 1;
            }
            for (name, component) in &duties.components {
                for output in seed.declarations[&component.declaration].outputs.keys() {
                    *produced.entry(format!("{server}/{name}/{output}")).or_default() += 1;
                }
            }
        }
        let (mut read, mut parameters, mut in_user_data) = (HashSet::new(), HashSet::new(), HashSet::new());
        let wires = seed.servers.iter().flat_map(|(server, s)| s.components.values().map(move |c| (Some(server), c)))
            .flat_map(|(server, component)| component.inputs.values().map(move |wire| (server, wire)))
            .chain(seed.exports.values().map(|export| (None, &export.value)));
        for (server, wire) in wires {
            read.extend(wire.leaves().filter_map(Origin::entry).map(|entry| (server, entry)));
            parameters.extend(wire.leaves().filter_map(Origin::parameter));
            in_user_data.extend(wire.leaves().filter_map(Origin::user_data).map(|key| (server, key)));
        }
        for (server, entry) in read {
            prop_assert_eq!(produced.get(&**entry), Some(&1), "{}", entry);
            let declared = seed.entries.get(entry);
            prop_assert!(declared.is_some(), "{entry} is no entry");
            if let (Some(server), Some(declared)) = (server, declared) {
                prop_assert!(declared.readers.contains(server), "{server} may not read {entry}");
            }
        }
        for name in parameters {
            prop_assert!(seed.parameters.contains_key(name), "{name} is no parameter");
        }
        // Least privilege: only wired readers may read an entry.
        for (entry, declared) in &seed.entries {
            prop_assert!(produced.contains_key(&**entry), "{entry} is produced by nobody");
            for reader in &declared.readers {
                let wires = seed.servers[reader].components.values().flat_map(|c| c.inputs.values());
                let wired = wires.flat_map(Wire::leaves).filter_map(Origin::entry).any(|name| name == entry);
                prop_assert!(wired, "{reader} may read {entry}, and does not");
            }
        }
        let template = lower(&model, &Options::default()).template;
        for (server, key) in in_user_data {
            let server = server.expect("only servers are told");
            let user_data = template.resources[server].property("user_data").expect("a server with an agent has user data");
            let mut held = false;
            user_data.visit(&mut |hot| held |= matches!(hot, Hot::Map(items) if items.iter().any(|(name, _)| name == key)));
            prop_assert!(held, "{server} is not told {key}");
        }
    }

    #[test]
    fn every_reference_has_a_decision(choices in choices()) {
        let model = random::model(&choices);
        let decisions = lower(&model, &Options::default()).decisions;
        let mut expected: IndexMap<(String, String), usize> = IndexMap::default();
        for (key, component) in &model.components {
            for (input, binding) in &component.inputs {
                // Resources within an attribute's path belong to the attribute.
                let references = binding.value.references().filter(|one| !matches!(one, Reference::Resource(_)));
                *expected.entry((key.to_string(), input.to_string())).or_default() += references.count();
            }
        }
        expected.retain(|_, count| *count > 0);
        let mut made: IndexMap<(String, String), usize> = IndexMap::default();
        for decision in &decisions {
            prop_assert!(decision.at.is_known());
            match &decision.reader {
                Reader::Input { component, input } => {
                    prop_assert_ne!(decision.way, Way::Heat);
                    *made.entry((component.to_string(), input.to_string())).or_default() += 1;
                }
                Reader::Property { .. } => prop_assert_eq!(decision.way, Way::Heat),
                Reader::Export(_) | Reader::Output(_) | Reader::Requirement(_) => {}
            }
        }
        // A forward reference counts once, but has as many decisions as the value that fulfills it has references.
        made.retain(|at, _| !reads_forward_reference(&model, at));
        expected.retain(|at, _| !reads_forward_reference(&model, at));
        prop_assert_eq!(made, expected);
    }
}

fn reads_forward_reference(model: &Model, (component, input): &(String, String)) -> bool {
    let value = &model.components[component.as_str()].inputs[input.as_str()].value;
    value.leaves().any(|reference| matches!(reference, Reference::ForwardReference(_)))
}

#[test]
fn changing_the_software_changes_no_user_data() {
    let mut model = random::model(&[7; 300]);
    let before = lower(&model, &Options::default());
    assert!(!model.components.is_empty());
    for component in model.components.values_mut() {
        component
            .inputs
            .insert("number".into(), wattle::model::Binding { value: Expr::from(9_u16), at: component.at.clone() });
    }
    for declaration in model.declarations.values_mut() {
        declaration.deadline = Some(60);
        declaration.recipe.files[0].content = wattle::model::Content::Text("#!/bin/sh\n".into());
    }
    let after = lower(&model, &Options::default());
    assert_eq!(before.template, after.template);
    assert_ne!(before.seed.digest, after.seed.digest);
}

/// `pair` needs ports of two servers; `last` needs `pair` and one of the ports. If `last` were put beside that port,
/// its part would need `pair`, which needs the part.
#[test]
fn what_needs_several_parts_stays_outside_with_all_that_needs_it() {
    use wattle::prelude::*;
    let mut t = Topology::new("late");
    let net = t.add("net", neutron::Net::new());
    let ports = ["a", "b", "c"].map(|name| {
        let port = t.add(format!("port-{name}"), neutron::Port::new(net));
        t.add(name, nova::Server::new().flavor("m1.small").image("debian-12").port(port));
        port
    });
    let pair = RawResource::new("Our::Pair").property("left", ports[0]).property("right", ports[1]);
    let pair = t.add("pair", pair);
    t.add("last", RawResource::new("Our::Last").property("pair", pair).property("port", ports[0]));
    let only = t.add("only", RawResource::new("Our::Only").property("port", ports[2]));
    t.add("after-only", RawResource::new("Our::Only").property("only", only));
    let cut = lower(&t.finish(Exports::new()), &small_stacks());
    assert!(cut.nested.len() > 1);
    assert_eq!(part_behind_part(&cut.template), None);
    for name in ["net", "pair", "last"] {
        assert!(cut.template.resources.contains_key(name), "{name}");
    }
    let with_c = cut.nested.values().find(|part| part.resources.contains_key("c")).expect("a part with c");
    assert!(with_c.resources.contains_key("only") && with_c.resources.contains_key("after-only"));
}

fn requires(template: &Template) -> IndexMap<&Name, Vec<&Name>> {
    let required = template.resources.iter().map(|(name, resource)| {
        let mut required = Vec::new();
        resource.requires(&mut |other| required.push(other));
        (name, required)
    });
    required.collect()
}

/// A server and another one that it depends on, through any resources.
fn server_behind_server(template: &Template) -> Option<(&Name, &Name)> {
    behind(template, &|name| template.resources[name].is_server())
}

/// A nested stack and another one that it depends on.
fn part_behind_part(template: &Template) -> Option<(&Name, &Name)> {
    behind(template, &|name| name.starts_with("wattle_part_"))
}

fn behind<'t>(template: &'t Template, is_meant: &dyn Fn(&Name) -> bool) -> Option<(&'t Name, &'t Name)> {
    let requires = requires(template);
    requires.keys().copied().filter(|name| is_meant(name)).find_map(|start| {
        let mut seen = HashSet::new();
        let mut open = requires[start].clone();
        while let Some(name) = open.pop() {
            if is_meant(name) {
                return Some((start, name));
            }
            if seen.insert(name) {
                open.extend(&requires[name]);
            }
        }
        None
    })
}

/// Dangling references of a template, and properties of nested stacks that are not parameters there.
fn dangling(template: &Template) -> Vec<String> {
    let mut dangling = Vec::new();
    let values = template.resources.values().flat_map(|resource| resource.properties.iter().map(|(_, value)| value));
    for value in values.chain(template.outputs.values().map(|output| &output.value)) {
        value.visit(&mut |hot| match hot {
            Hot::GetParam { parameter, .. } if !template.parameters.contains_key(parameter) => {
                dangling.push(format!("parameter {parameter}"));
            }
            Hot::GetResource(name) | Hot::GetAttr { resource: name, .. } if !template.resources.contains_key(name) => {
                dangling.push(format!("resource {name}"));
            }
            _ => {}
        });
    }
    dangling
}
