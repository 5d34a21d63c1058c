//! Configs: the software to run, one for each component type.

use crate::lower::hot::{Hot, HotResource, Template};
use crate::model::{Carrier, Declaration, Name, Type, Value};

use super::form::{Form, Forms, LoweredType};
use super::program;
use super::value::variable;

const SHELL: &str = "#!/bin/sh\n";

pub(super) fn add(forms: &Forms<'_>, template: &mut Template) {
    for kind in forms.component_types.values() {
        for (lack, name) in &kind.configs {
            template.resources.insert(name.clone(), config(kind, lack));
        }
    }
}

/// The program to run, and the hook that runs it.
fn run(kind: &LoweredType<'_>) -> (&'static str, String) {
    match kind.form {
        Form::Program => ("script", program::of(kind.declaration)),
        Form::Hook(hook, text) if hook.runs_programs && !text.starts_with("#!") => {
            (hook.group, format!("{SHELL}{text}"))
        }
        Form::Hook(hook, text) => (hook.group, text.to_owned()),
    }
}

/// The component type whose configs have the most bytes, and their size.
pub(super) fn largest<'m>(forms: &Forms<'m>) -> Option<(&'m Declaration, usize)> {
    let sizes = forms.component_types.values().map(|kind| (kind.declaration, run(kind).1.len() * kind.configs.len()));
    sizes.max_by_key(|(_, bytes)| *bytes)
}

fn config(kind: &LoweredType<'_>, lack: &[&Name]) -> HotResource {
    let declaration = kind.declaration;
    let (group, text) = run(kind);
    let mut config = HotResource::new("OS::Heat::SoftwareConfig".into());
    config.set("group".into(), group.into());
    // The hooks read this, and would not start without it.
    config.set("options".into(), Hot::Map(Vec::new()));
    let inputs = declaration.inputs.iter().filter(|(name, _)| !lack.contains(name));
    let inputs: Vec<Hot> = inputs
        .map(|(name, input)| {
            let ty = heat_type(kind, &input.ty);
            let mut entries = vec![("name".into(), text_of(name)), ("type".into(), ty.into())];
            if !input.doc.is_empty() {
                entries.push(("description".into(), input.doc.as_str().into()));
            }
            if let Some(default) = &input.default {
                let default = if ty == "String" { variable(&input.ty, default) } else { default.clone() };
                entries.push(("default".into(), default.into()));
            }
            Hot::Map(entries)
        })
        .collect();
    if !inputs.is_empty() {
        config.set("inputs".into(), Hot::List(inputs));
    }
    let outputs = declaration.outputs.iter().map(|(name, output)| {
        let mut entries = vec![("name".into(), text_of(name))];
        if !output.doc.is_empty() {
            entries.push(("description".into(), output.doc.as_str().into()));
        }
        Hot::Map(entries)
    });
    if !declaration.outputs.is_empty() {
        config.set("outputs".into(), Hot::List(outputs.collect()));
    }
    config.set("config".into(), text.as_str().into());
    config
}

/// The type of an input for heat-agents. They convert the value of a `String` to text, and leave the rest unchanged.
/// Environment variables must be text, except for lists and maps, which become JSON.
fn heat_type(kind: &LoweredType<'_>, ty: &Type) -> &'static str {
    match ty.revealed() {
        Type::List(_) => "CommaDelimitedList",
        Type::Map(_) | Type::Struct(_) => "Json",
        Type::Scalar(scalar) if kind.is_typed() => match scalar.carrier() {
            Carrier::Boolean => "Boolean",
            Carrier::Number => "Number",
            Carrier::Text => "String",
        },
        Type::Any | Type::Hidden(_) if kind.is_typed() => "Number",
        _ => "String",
    }
}

fn text_of(name: &Name) -> Hot {
    Hot::Value(Value::Str(name.clone()))
}
