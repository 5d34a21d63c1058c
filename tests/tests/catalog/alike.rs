//! A program's `check`, and `wattle check` of its emitted template, refuse the same resources for the same reasons.

use std::collections::BTreeSet;

use wattle::author::ParameterOptions;
use wattle::check::{Limits, Severity, check};
use wattle::lower::{Options, lower};
use wattle::model::{Expr, IndexMap, Model, Name, Parameter, Source, Type, Value};
use wattle::prelude::{Exports, Topology};
use wattle_heat::Loaded;

use super::{built, types};

/// Pairs of equivalent diagnostics: the program's, and that of `wattle check`.
const PAIRS: [(&str, &str); 7] = [
    ("W0401", "W1202"),
    ("W0402", "W1203"),
    ("W0403", "W1204"),
    (PORTS, "W1207"),
    ("W0409", "W1207"),
    ("W0410", "W1110"),
    ("W0411", "W1201"),
];

/// Faults of ports. A program reports all that Neutron refuses; Heat refuses only some of them.
const PORTS: &str = "W0407";

fn of_program(model: &Model, other: &BTreeSet<&'static str>) -> BTreeSet<&'static str> {
    let found = check(model, &Limits::default());
    let codes = found.iter().filter(|one| one.severity == Severity::Error).map(|one| one.code);
    let codes = codes.filter(|code| *code != PORTS || other.contains("W1207"));
    codes.map(|code| one_of(PAIRS.iter().find(|(own, _)| *own == code).map_or(code, |(_, other)| other))).collect()
}

fn of_template(model: &Model) -> BTreeSet<&'static str> {
    let mut text = Vec::new();
    wattle::emit::json(&lower(model, &Options::default()).template, &mut text).expect("emits");
    let loaded = Loaded::of(std::str::from_utf8(&text).expect("text"), "template.yaml");
    let found = wattle_heat::check::check(&loaded);
    found.iter().filter(|one| one.severity == Severity::Error).map(|one| one_of(one.code)).collect()
}

/// One code for faults that the two classify differently: a missing key in a value is a wrong value to one and a
/// missing property to the other, and an unknown type of members is a wrong value to the program.
fn one_of(code: &'static str) -> &'static str {
    if matches!(code, "W1201" | "W1204") { "W1203" } else { code }
}

/// A parameter with a default.
fn parameter(ty: Type, default: Value) -> Parameter {
    let mut t = Topology::new("demo");
    let options = ParameterOptions { default: Some(default), ..ParameterOptions::default() };
    t.parameter::<String>("given", ty, options, Source::caller());
    t.finish(Exports::new()).parameters["given"].clone()
}

/// Copies of the model, each with one fault or change somewhere in the resource `it`.
fn mutants(model: &Model) -> Vec<(String, Model)> {
    let mut found = Vec::new();
    let names: Vec<Name> = model.resources["it"].properties.keys().cloned().collect();
    let mut with = |what: String, change: &dyn Fn(&mut Model)| {
        let mut mutant = model.clone();
        change(&mut mutant);
        found.push((what, mutant));
    };
    for name in &names {
        with(format!("without {name}"), &|model| drop(model.resources["it"].properties.shift_remove(name)));
        with(format!("only {name}"), &|model| model.resources["it"].properties.retain(|own, _| own == name));
        let others: [Value; 4] = [Value::Null, 1.into(), "".into(), Value::List(Vec::new())];
        for other in others {
            with(format!("{name}: {other}"), &|model| {
                model.resources["it"].properties[name].value = other.clone().into();
            });
        }
    }
    for (ty, default) in [(Type::STR, "x".into()), (Type::STR, "".into()), (Type::FLOAT, (-1).into())] {
        let parameter = parameter(ty, default);
        for name in &names {
            with(format!("{name}: a parameter, {:?}", parameter.default), &|model| {
                model.parameters.insert("given".into(), parameter.clone());
                model.resources["it"].properties[name].value = Expr::parameter("given");
            });
        }
    }
    with("no snapshot".to_owned(), &|model| model.resources["it"].deletion_policy = Some(Box::new("Snapshot".into())));
    found
}

#[test]
fn both_commands_refuse_the_same() {
    let (mut differ, mut seen, mut number) = (Vec::new(), BTreeSet::new(), 0);
    for case in types::all() {
        for add in [case.required, case.every] {
            let whole = built(case.ty, add);
            for (what, mutant) in mutants(&whole) {
                number += 1;
                let other = of_template(&mutant);
                let own = of_program(&mutant, &other);
                seen.extend(own.iter().copied());
                let what = format!("{}, {what}", case.ty);
                if own != other {
                    differ.push(format!("{what}: the program says {own:?}, the template {other:?}"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} of {number} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(number > 3_000 && ["W1203", "W1207"].iter().all(|code| seen.contains(code)), "{number} {seen:?}");
}

/// Groups, with the keys of the definition and of the properties of their members.
const GROUPS: [(&str, [&str; 2]); 3] = [
    ("OS::Heat::ResourceGroup", ["resource_def", ""]),
    ("OS::Heat::AutoScalingGroup", ["resource", ""]),
    ("OS::Heat::ResourceChain", ["resources", "resource_properties"]),
];

/// The model with a group in place of `it`, whose members have the type `ty` and these properties.
fn grouped(model: &Model, group: (&str, [&str; 2]), ty: &str, properties: IndexMap<Name, Expr>) -> Model {
    let (group, [definition, given]) = group;
    let case = types::all().into_iter().find(|case| case.ty == group).expect("a group");
    let mut grouped = built(group, case.required);
    let it = &mut grouped.resources["it"].properties;
    let mut binding = it[definition].clone();
    if given.is_empty() {
        let properties = Expr::Map(properties);
        binding.value = Expr::map([("type".into(), ty.into()), ("properties".into(), properties)]);
    } else {
        let members = it[definition].clone();
        it.insert(given.into(), wattle::model::Binding { value: Expr::Map(properties), ..members });
        binding.value = Expr::list([ty.into()]);
    }
    it.insert(definition.into(), binding);
    let others = model.resources.iter().filter(|(name, _)| &***name != "it");
    grouped.resources.extend(others.map(|(name, resource)| (name.clone(), resource.clone())));
    grouped.schemas.extend(model.schemas.clone());
    grouped.parameters.extend(model.parameters.clone());
    grouped
}

#[test]
fn both_commands_refuse_the_same_of_members() {
    let (mut differ, mut seen, mut number) = (Vec::new(), BTreeSet::new(), 0);
    for case in types::all() {
        let whole = built(case.ty, case.required);
        let given: IndexMap<Name, Expr> =
            whole.resources["it"].properties.iter().map(|(name, given)| (name.clone(), given.value.clone())).collect();
        let mut changes = vec![("as it is".to_owned(), case.ty, given.clone())];
        changes.push(("of no type".to_owned(), "OS::Nova::Sever", given.clone()));
        changes.push(("nothing".to_owned(), case.ty, IndexMap::default()));
        let mut more = given.clone();
        more.insert("nmae".into(), "x".into());
        changes.push(("with nmae".to_owned(), case.ty, more));
        for name in given.keys() {
            let mut less = given.clone();
            less.shift_remove(name);
            changes.push((format!("without {name}"), case.ty, less));
        }
        for group in GROUPS {
            for (what, ty, properties) in &changes {
                number += 1;
                let model = grouped(&whole, group, ty, properties.clone());
                let other = of_template(&model);
                let own = of_program(&model, &other);
                seen.extend(own.iter().copied());
                if own != other {
                    let what = format!("{} of {}, {what}", group.0, case.ty);
                    differ.push(format!("{what}: the program says {own:?}, the template {other:?}"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} of {number} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(number > 1_000 && ["W1202", "W1203", "W1207"].iter().all(|code| seen.contains(code)), "{number} {seen:?}");
}

#[test]
fn both_commands_refuse_the_same_of_functions() {
    let list = |items: Vec<Expr>| Expr::list(items);
    let data = || Expr::map([("a".into(), 1.into())]);
    let yaql = |expression: &str| Expr::map([("expression".into(), expression.into()), ("data".into(), data())]);
    let replaced = |key: &str| {
        let params = Expr::map([(key.into(), "b".into())]);
        Expr::map([("template".into(), "x".into()), ("params".into(), params)])
    };
    let (mut differ, mut refused) = (Vec::new(), 0);
    for (function, argument) in [
        ("yaql", yaql("$.data.a")),
        ("yaql", yaql("$.data.nope")),
        ("yaql", yaql("$.(")),
        ("str_replace", replaced("x")),
        ("str_replace", replaced("")),
        ("str_replace_strict", replaced("y")),
        ("list_join", list(vec![",".into(), list(vec!["a".into(), "b".into()])])),
        ("list_join", list(vec![",".into()])),
        ("list_join", list(vec![",".into(), list(vec![1.into()])])),
        ("digest", list(vec!["md6".into(), "a".into()])),
        ("str_split", list(vec![",".into(), "a,b".into(), 5.into()])),
        ("map_merge", list(vec![data(), "a".into()])),
        ("make_url", Expr::map([("port".into(), 70_000.into())])),
    ] {
        let mut model = built(
            "OS::Heat::Value",
            types::all().iter().find(|case| case.ty == "OS::Heat::Value").expect("it").required,
        );
        let value = Expr::function(function, argument.clone());
        model.resources["it"].properties["value"].value = value;
        let other = of_template(&model);
        let own = of_program(&model, &other);
        refused += usize::from(other.contains("W1110"));
        if own != other {
            differ.push(format!("{function} of {argument:?}: the program says {own:?}, the template {other:?}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!((6..12).contains(&refused), "{refused}");
}
