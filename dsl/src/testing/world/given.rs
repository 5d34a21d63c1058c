//! Checks the values that the test provides against those that are needed. Everything that is missing, misspelt or does not
//! fit is reported at once.

use std::collections::HashMap;
use std::fmt::Write as _;

use wattle_agent_core::planning::ImportKey;
use wattle_agent_core::server_plan::ValueSource;

use crate::lower::Seed;
use crate::lower::seed::{Origin, SeedDeclaration, Wire};
use crate::model::{IndexMap, IndexSet, Name, Type, Value};
use crate::values;

use super::super::fake::Fake;
use super::super::made_up;
use super::super::setting::Setting;
use super::{meant, short};

/// Everything that is read at run time.
fn wires(seed: &Seed) -> Vec<&Wire> {
    let components = seed.servers.values().flat_map(|server| server.components.values());
    let mut wires: Vec<&Wire> = components.flat_map(|component| component.inputs.values()).collect();
    wires.extend(seed.exports.values().map(|export| &export.value));
    for requirement in seed.requirements.values() {
        requirement.predicate.each(&mut |operand| wires.push(&operand.from));
    }
    wires
}

/// The values of parameters: the test's, otherwise the default. Parameters that nothing reads at run time need no value.
pub(super) fn parameters(setting: &Setting, seed: &Seed, faults: &mut Vec<String>) -> IndexMap<Name, Value> {
    let mut found = IndexMap::default();
    let mut missing = String::new();
    let mut needed = IndexSet::default();
    for wire in wires(seed) {
        needed.extend(wire.leaves().filter_map(Origin::parameter));
    }
    for (name, parameter) in &seed.parameters {
        let value = match (setting.parameters.get(name), &parameter.default) {
            (Some(given), _) => given.clone(),
            (None, Some(default)) => default.clone(),
            (None, None) if !needed.contains(name) => continue,
            (None, None) if setting.made_up => made_up::value(&parameter.ty, name),
            (None, None) => {
                let _ = write!(
                    missing,
                    "\n    .parameter(\"{name}\", {})  // {}",
                    made_up::value(&parameter.ty, name),
                    parameter.ty
                );
                continue;
            }
        };
        let wrong = setting.model.parameters.get(name).map(|parameter| crate::check::refused(parameter, &value));
        let wrong = wrong.into_iter().flatten();
        faults.extend(wrong.map(|why| format!("the parameter `{name}` does not fit: {why}")));
        found.insert(name.clone(), value);
    }
    for name in setting.parameters.keys().filter(|name| !seed.parameters.contains_key(*name)) {
        let known: Vec<&str> = seed.parameters.keys().map(|name| &**name).collect();
        faults.push(format!("the blueprint has no parameter `{name}`{}", meant(name, &known)));
    }
    if !missing.is_empty() {
        faults.push(format!("parameters without a value; give them one, or add `.made_up()` for all:{missing}"));
    }
    found
}

/// The values of other stacks' exports, from the test.
pub(super) fn imports(setting: &Setting, seed: &Seed, faults: &mut Vec<String>) -> IndexMap<ImportKey, ValueSource> {
    let mut wanted = IndexSet::default();
    for wire in wires(seed) {
        for leaf in wire.leaves() {
            if let Origin::Import { stack, export } = leaf {
                wanted.insert((stack.clone(), export.clone()));
            }
        }
    }
    let mut missing = String::new();
    let mut values = IndexMap::default();
    for (stack, export) in &wanted {
        let key = (stack.clone(), export.clone());
        let declared = setting.model.imports.iter().find(|import| import.stack == *stack && import.export == *export);
        let ty = declared.map_or(&Type::Any, |import| &import.ty);
        match setting.imports.get(&key) {
            Some(given) => {
                if let Some(why) = values::refuse(ty, given) {
                    faults.push(format!("the export `{export}` of the stack `{stack}` does not fit: {why}"));
                }
                values.insert(key, given.clone().into());
            }
            None if setting.made_up => {
                values.insert(key, made_up::value(ty, &format!("{stack}.{export}")).into());
            }
            None => {
                let _ = write!(
                    missing,
                    "\n    .import(\"{stack}\", \"{export}\", {})  // {ty}",
                    made_up::value(ty, export)
                );
            }
        }
    }
    let is_declared = |(stack, export): &(Name, Name)| {
        setting.model.imports.iter().any(|import| import.stack == *stack && import.export == *export)
    };
    for (stack, export) in setting.imports.keys().filter(|key| !wanted.contains(*key) && !is_declared(key)) {
        let known: Vec<String> = wanted.iter().map(|(stack, export)| format!("{stack}.{export}")).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let meant = meant(&format!("{stack}.{export}"), &known);
        faults.push(format!("nothing reads the export `{export}` of the stack `{stack}`{meant}"));
    }
    if !missing.is_empty() {
        faults.push(format!(
            "values of other stacks that are not given; give them, or add `.made_up()` for all:{missing}"
        ));
    }
    values
}

/// The fake of each component, by its key.
pub(super) fn fakes(setting: &Setting, seed: &Seed, faults: &mut Vec<String>) -> HashMap<Name, Fake> {
    let mut found = HashMap::new();
    let mut lacking: IndexMap<&Name, (&SeedDeclaration, Vec<Name>)> = IndexMap::default();
    for (server, duties) in &seed.servers {
        for (name, component) in &duties.components {
            let key: Name = format!("{server}/{name}").into();
            let Some(declaration) = seed.declarations.get(&component.declaration) else { continue };
            let own = setting.own_fakes.get(&key);
            if let Some((kind, fake)) = own
                && kind.is_some_and(|kind| *kind != *component.declaration)
            {
                let given = kind.map_or("", short);
                let declared = short(&component.declaration);
                faults.push(format!("the fake at {} is for `{given}`, but `{key}` is a `{declared}`", fake.at));
            }
            let fake = own.map(|(_, fake)| fake).or_else(|| setting.fakes.get(&component.declaration));
            match fake {
                Some(fake) => drop(found.insert(key, fake.clone())),
                None if setting.made_up => drop(found.insert(key, made_up::fake(declaration))),
                None => lacking.entry(&component.declaration).or_insert((declaration, Vec::new())).1.push(key),
            }
        }
    }
    let known: Vec<&str> = seed.declarations.keys().map(|kind| &**kind).collect();
    for (kind, fake) in setting.fakes.iter().filter(|(kind, _)| !seed.declarations.contains_key(*kind)) {
        let shorts: Vec<&str> = known.iter().map(|kind| short(kind)).collect();
        let meant = meant(short(kind), &shorts);
        faults.push(format!("no component is a `{}`, but there is a fake for it at {}{meant}", short(kind), fake.at));
    }
    if !lacking.is_empty() {
        let mut text =
            String::from("components without a fake; give each component type one, or add `.made_up()` for all:");
        for (kind, (declaration, components)) in &lacking {
            let kind = short(kind);
            let fields: Vec<String> = declaration.outputs.keys().map(|output| format!("{output}: todo!()")).collect();
            let fields = if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) };
            let more = if components.len() > 1 { format!(" and {} more", components.len() - 1) } else { String::new() };
            let _ =
                write!(text, "\n    .fake(|it: Given<{kind}>| Outputs::<{kind}> {fields})  // {}{more}", components[0]);
        }
        faults.push(text);
    }
    found
}

/// Checks the names of servers and components that the test mentions.
pub(super) fn names(setting: &Setting, seed: &Seed, faults: &mut Vec<String>) {
    let servers: Vec<&str> = seed.servers.keys().map(|name| &**name).collect();
    for server in setting.absent.iter().filter(|server| !seed.servers.contains_key(*server)) {
        faults.push(format!("no server is called `{server}` that runs components{}", meant(server, &servers)));
    }
    let components: Vec<&str> = setting.model.components.keys().map(|name| &**name).collect();
    let mentioned = setting.own_fakes.keys().chain(&setting.deaths);
    for name in mentioned.filter(|name| !setting.model.components.contains_key(*name)) {
        faults.push(format!("no component is called `{name}`{}", meant(name, &components)));
    }
}
