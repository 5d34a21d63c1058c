//! A program's `check` and `wattle check` of what it emits refuse the same resources, for the same reasons.

use std::collections::BTreeSet;

use wattle::check::{Limits, Severity, check};
use wattle::lower::{Options, lower};
use wattle::model::{Model, Name, Value};
use wattle_heat::Loaded;

use super::{built, types};

/// The same diagnostic, as the one reports it and as the other does.
const PAIRS: [(&str, &str); 5] =
    [("W0401", "W1202"), ("W0402", "W1203"), ("W0403", "W1204"), (PORTS, "W1207"), ("W0409", "W1207")];

/// What is wrong with ports: Heat refuses a little of it and Neutron all, which a program is told.
const PORTS: &str = "W0407";

/// Mistakes that only one of both sees, each with the reason.
const OTHERWISE: &[(&str, &str)] =
    &[("OS::Heat::ResourceChain, ", "what its members are is looked at in a whole template only")];

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

/// A key that is missing in a value is a wrong value to the one and a missing property to the other.
fn one_of(code: &'static str) -> &'static str {
    if code == "W1204" { "W1203" } else { code }
}

/// The model with one thing wrong, or other, in each place of the resource `it`.
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
                let is_known = OTHERWISE.iter().any(|(known, _)| what.contains(known));
                if own != other && !is_known {
                    differ.push(format!("{what}: the program says {own:?}, the template {other:?}"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} of {number} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(number > 3_000 && ["W1203", "W1207"].iter().all(|code| seen.contains(code)), "{number} {seen:?}");
}
