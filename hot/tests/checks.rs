//! Properties of all checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle::view::{Format, Options, render};

use wattle_heat::environment::Environment;
use wattle_heat::files::NoFiles;
use wattle_heat::parameters::Inputs;

use wattle::check::About;
use wattle_heat::Loaded;
use wattle_hot::check::{all, check};

/// The templates in the documentation of a check.
fn examples(check: &About) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    for line in check.docs.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut current, line) {
            (None, "```yaml") => current = Some(String::new()),
            (Some(text), "```") => {
                found.push(std::mem::take(text));
                current = None;
            }
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    found
}

/// An example: a template, or an environment for an empty one.
fn loaded(text: &str) -> Loaded {
    if !text.starts_with("# environment.yaml") {
        return Loaded::of(text, "template.yaml");
    }
    let environment = Environment::read([("environment.yaml", text)]);
    let inputs = Inputs { environment: environment.into(), ..Inputs::default() };
    wattle_hot::load("heat_template_version: 2021-04-16", "template.yaml", &NoFiles, &inputs)
}

fn codes(text: &str) -> Vec<&'static str> {
    check(&loaded(text)).iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn every_check_is_documented_with_a_template_that_fails_and_the_same_fixed() {
    for check in all() {
        let examples = examples(check);
        let [failing, fixed] = examples.as_slice() else { panic!("{} has {} examples", check.code, examples.len()) };
        assert_eq!(codes(failing), [check.code], "the failing example");
        assert_eq!(codes(fixed), [""; 0], "the fixed example of {}", check.code);
        assert!(!check.summary.ends_with('.') && check.summary.starts_with(char::is_lowercase), "{}", check.code);
    }
}

#[test]
fn codes_are_sorted_and_unique() {
    assert!(all().is_sorted_by(|one, next| one.code < next.code));
    for check in all() {
        let digits = check.code.strip_prefix("W1").expect("a code");
        assert!(digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{}", check.code);
    }
}

#[test]
fn messages_are_written_the_same_way() {
    for check in all() {
        for diagnostic in wattle_hot::check(&loaded(&examples(check)[0])) {
            let code = diagnostic.code;
            let texts =
                diagnostic.labels.iter().map(|label| &label.text).chain(&diagnostic.notes).chain(&diagnostic.help);
            for text in texts.chain([&diagnostic.message]) {
                assert!(!text.ends_with('.') && !text.contains('\n') && !text.is_empty(), "{code}: {text}");
                let first = text.chars().next().expect("text");
                assert!(
                    !first.is_uppercase() || text.starts_with("Heat") || text.starts_with("YAML"),
                    "{code}: {text}"
                );
            }
            assert!(diagnostic.labels.first().is_some_and(|label| label.at.is_known()), "{code}");
            assert_eq!(diagnostic.severity, all().find(|check| check.code == code).expect("a check").severity);
        }
    }
}

/// Goldens of every diagnostic as it is rendered: `INSTA_UPDATE=always` rewrites them for review.
#[test]
fn diagnostics_look_as_they_did() {
    for check in all() {
        let text: Arc<str> = examples(check)[0].clone().into();
        let found = wattle_hot::check(&loaded(&text));
        let rendered = render(&found, Format::Full, &|_| Some(text.clone()), &Options::default());
        insta::assert_snapshot!(check.code, rendered);
    }
}

#[test]
fn nested_templates_are_judged_where_they_are() {
    let child = "heat_template_version: 2021-04-16\nparameters: {p: {type: string, lable: x}}\n\
                 resources: {r: {type: OS::Heat::Value, properties: {value: {list_join: 3}}}}\n";
    let files: BTreeMap<_, _> = [("sub/child.yaml".to_owned(), child.as_bytes().to_vec())].into();
    let root = |condition: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources: {{a: {{type: sub/child.yaml, condition: {condition}, properties: {{p: x}}}}}}\n"
        )
    };
    let found = check(&wattle_hot::load(&root("true"), "template.yaml", &files, &Inputs::default()));
    let places: Vec<_> = found
        .iter()
        .map(|diagnostic| (diagnostic.code, &*diagnostic.labels[0].at.file, diagnostic.labels[0].at.line))
        .collect();
    assert_eq!(places, [("W1101", "sub/child.yaml", 2), ("W1110", "sub/child.yaml", 3)]);
    let found = check(&wattle_hot::load(&root("false"), "template.yaml", &files, &Inputs::default()));
    let codes: Vec<_> = found.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["W1101"], "of what is not there Heat reads the parameters alone");
}

#[test]
fn a_template_in_the_place_of_a_type_has_what_the_type_has() {
    let found = |child: &str, root: &str| {
        let child = format!("heat_template_version: 2021-04-16\n{child}\n");
        let files: BTreeMap<_, _> = [("child.yaml".to_owned(), child.into_bytes())].into();
        let environment =
            Environment::read([("e.yaml", "resource_registry: {'OS::Heat::RandomString': child.yaml}\n")]);
        let inputs = Inputs { environment: environment.into(), ..Inputs::default() };
        let root = format!("heat_template_version: 2021-04-16\n{root}\n");
        let found = check(&wattle_hot::load(&root, "template.yaml", &files, &inputs));
        found.into_iter().map(|one| (one.code, one.message)).collect::<Vec<_>>()
    };
    let root = "resources: {r: {type: OS::Heat::RandomString, properties: {length: 8}}}";
    let value = "outputs: {value: {value: x}}";
    assert_eq!(found(&format!("parameters: {{length: {{type: number}}}}\n{value}"), root), []);
    for (child, why) in [
        (format!("parameters: {{length: {{type: string}}}}\n{value}"), "its parameter `length` is"),
        (format!("parameters: {{length: {{type: number}}, x: {{type: string}}}}\n{value}"), "lacks"),
        ("parameters: {length: {type: number}}".to_owned(), "lacks the output `value`"),
    ] {
        let found = found(&child, root);
        assert!(matches!(&*found, [("W1207" | "W1204", message)] if message.contains(why)), "{child}: {found:?}");
    }
    let unknown = found(&format!("parameters: {{x: {{type: string, default: y}}}}\n{value}"), root);
    assert!(unknown.iter().any(|(code, message)| *code == "W1202" && message.contains("`length`")), "{unknown:?}");
}

#[test]
fn what_a_nested_stack_does_not_have_is_reported() {
    let child = "heat_template_version: 2021-04-16\noutputs: {o: {value: x}}\n";
    let files: BTreeMap<_, _> = [("child.yaml".to_owned(), child.as_bytes().to_vec())].into();
    let found = |resources: &str, output: &str| {
        let root = format!(
            "heat_template_version: 2021-04-16\nresources: {{{resources}}}\noutputs: {{x: {{value: {output}}}}}\n"
        );
        let found = check(&wattle_hot::load(&root, "template.yaml", &files, &Inputs::default()));
        found.into_iter().map(|one| one.code).collect::<Vec<_>>()
    };
    let nested = "nested: {type: child.yaml}";
    assert_eq!(found(nested, "{get_attr: [nested, o]}"), [""; 0]);
    assert_eq!(found(nested, "{get_attr: [nested, 0]}"), ["W1206"]);
    // Heat looks up an output once it needs its value.
    let copy =
        format!("{nested}, copy: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [nested, nope]}}}}}}");
    assert_eq!(found(&copy, "x"), ["W1116"]);
    assert_eq!(found(nested, "{get_attr: [nested, nope]}"), ["W1116"]);
    let members = "g: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: child.yaml}}}";
    assert_eq!(found(members, "{get_attr: [g, o]}"), [""; 0]);
    assert_eq!(found(members, "{get_attr: [g, nope]}"), ["W1116"]);
    for within in ["show", "resource.r"] {
        assert_eq!(found(nested, &format!("{{get_attr: [nested, {within}]}}")), [""; 0], "{within}");
    }
    assert_eq!(found("'a b': {type: child.yaml}", "x"), ["W1210"]);
    let group = |flavor: &str| {
        format!(
            "g: {{type: OS::Heat::ResourceGroup, properties: {{count: 1, resource_def: {{type: OS::Nova::Server, \
             properties: {{image: i, flavor: {flavor}, networks: [{{network: n}}]}}}}}}}}"
        )
    };
    assert_eq!(found(&group("f"), "x"), [""; 0]);
    assert_eq!(found(&group("[1]"), "x"), ["W1207"]);
}

#[test]
fn an_output_of_a_resource_that_does_not_exist_is_empty() {
    let template = |name: &str| {
        format!(
            "heat_template_version: 2021-04-16\nconditions: {{never: {{equals: [a, b]}}}}\nresources:\n  \
             text: {{type: OS::Heat::RandomString}}\n  absent: {{type: OS::Heat::RandomString, condition: never}}\n\
             outputs: {{o: {{value: {{get_resource: {name}}}}}}}\n"
        )
    };
    assert_eq!(codes(&template("text")), [""; 0]);
    // In this way, a template declares that it may be empty.
    assert_eq!(codes(&template("absent")), [""; 0]);
    let found = check(&loaded(&template("txet")));
    assert_eq!((found[0].code, &*found[0].message), ("W1116", "there is no resource `txet`"));
    assert_eq!((found.len(), found[0].severity), (1, wattle::check::Severity::Warning));
    assert_eq!(found[0].help, ["did you mean `text`?"]);
}

#[test]
fn a_failing_call_is_one_mistake() {
    let template = |length: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources:\n  \
             r: {{type: OS::Heat::RandomString, properties: {{length: {length}}}}}\n"
        )
    };
    assert_eq!(codes(&template("{digest: [md5, [1]]}")), ["W1110"]);
    assert_eq!(codes(&template("{get_param: nope}")), ["W1114"]);
}

#[test]
fn one_mistake_in_an_extended_template_is_reported_once() {
    let template = |properties: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources:\n  v: {{type: OS::Heat::Value, properties: {{value: a}}}}\n  \
             s:\n    type: OS::Nova::Server\n    properties:\n      image: i\n      flavor: f\n{properties}    \
             metadata: {{wattle: {{components: [{{name: web, recipe: {{script: 'true'}}}}]}}}}\n"
        )
    };
    let found = |properties: &str| {
        let loaded = loaded(&template(properties));
        let model = wattle_hot::model::read(&loaded).model;
        let found =
            wattle_hot::check::with_wiring(check(&loaded), &loaded, || &model, &wattle::check::Limits::default());
        found.into_iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(found("      networks:\n        - network: n\n"), [""; 0]);
    for (properties, code) in [
        ("      networks:\n        - network: n\n          allocate_network: what\n", "W1203"),
        (
            "      networks: [{network: n}]\n      block_device_mapping:\n        - device_name: vda\n          \
             volume_id: v\n        - volume_id: w\n",
            "W1204",
        ),
        ("      networks:\n        - network: n\n        - nonsense: n\n", "W1202"),
        ("      networks: [{network: n}]\n      metadata:\n        a:\n          get_param: nope\n", "W1114"),
        (
            "      networks: [{network: n}]\n      metadata:\n        a:\n          get_resource:\n            nope\n",
            "W1205",
        ),
        (
            "      networks: [{network: n}]\n      metadata:\n        a:\n          get_attr:\n            - v\n            - nope\n",
            "W1206",
        ),
    ] {
        assert_eq!(found(properties), [code], "{properties}");
    }
}

#[test]
fn one_thing_is_counted_as_one() {
    let found = |ty: &str, default: &str| {
        let text = format!(
            "heat_template_version: 2021-04-16\nparameters:\n  p: {{type: {ty}, default: {default}, constraints: [length: \
             {{min: 2}}]}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\n"
        );
        let found = check(&loaded(&text));
        found.iter().map(|one| format!("{}{}", one.message, one.labels[0].text)).collect::<String>()
    };
    for (ty, default, expected) in [
        ("string", "a", "it has 1 character, "),
        ("comma_delimited_list", "[a]", "it has 1 item, "),
        ("string", "''", "0 characters"),
    ] {
        let found = found(ty, default);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn software_in_nested_templates_is_reported() {
    let child = "heat_template_version: 2021-04-16\nresources:\n  s:\n    type: OS::Nova::Server\n    \
                 properties: {flavor: f, image: i, networks: [{network: n}]}\n    \
                 metadata: {wattle: {components: [{name: web, recipe: {script: 'true'}}]}}\n";
    let files: BTreeMap<_, _> = [("child.yaml".to_owned(), child.as_bytes().to_vec())].into();
    for body in [
        "{type: child.yaml}",
        "{type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: child.yaml}}}",
    ] {
        let root = format!("heat_template_version: 2021-04-16\nresources: {{a: {body}}}\n");
        let found = check(&wattle_hot::load(&root, "template.yaml", &files, &Inputs::default()));
        let places: Vec<_> =
            found.iter().map(|found| (found.code, &*found.labels[0].at.file, found.labels[0].at.line)).collect();
        assert_eq!(places, [("W1308", "child.yaml", 6)], "{body}");
    }
}

#[test]
fn what_heat_does_not_need_yet_may_be_computed_of_attributes() {
    let template = |argument: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources: {{v: {{type: OS::Heat::Value, properties: {{value: a}}}}}}\n\
             outputs: {{o: {{value: {{digest: {argument}}}}}}}\n"
        )
    };
    assert_eq!(codes(&template("[md5, {get_attr: [v, value]}]")), [""; 0]);
    assert_eq!(codes(&template("[md6, a]")), ["W1116"]);
}

#[test]
fn a_parameter_without_a_value_is_not_an_empty_one() {
    let subnet = |default: &str| {
        format!(
            "heat_template_version: 2021-04-16\nparameters: {{c: {{type: string{default}}}}}\n\
             resources: {{s: {{type: OS::Neutron::Subnet, properties: {{network: n, cidr: {{get_param: c}}}}}}}}\n"
        )
    };
    assert_eq!(codes(&subnet("")), ["W1104"]);
    assert_eq!(codes(&subnet(", default: ''")), ["W1203"]);
    assert_eq!(codes(&subnet(", default: 10.0.0.0/24")), [""; 0]);
}

/// Templates without errors can also be lowered.
#[test]
fn servers_on_networks_by_subnets_and_older_names_are_lowered() {
    let text = include_str!("../../tests/templates/import/forms/subnets.yaml");
    let model = wattle_hot::model::read(&Loaded::of(text, "template.yaml")).model;
    let found = wattle::check::check(&model, &wattle::check::Limits::default());
    assert!(!wattle::check::has_errors(&found), "{found:?}");
    // If neither is connected, both reads are refused.
    let unconnected = text
        .replace("get_resource: front}, fixed", "get_resource: other}, fixed")
        .replace("subnet: {get_resource: inside}", "subnet: private");
    let unconnected = unconnected.replace("resources:\n", "resources:\n  other: {type: OS::Neutron::Net}\n");
    let model = wattle_hot::model::read(&Loaded::of(&unconnected, "template.yaml")).model;
    let found = wattle::check::check(&model, &wattle::check::Limits::default());
    assert_eq!(found.iter().filter(|diagnostic| diagnostic.code == "W0306").count(), 2, "{found:?}");
}
