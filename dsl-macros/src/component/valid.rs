//! Requirements on a declaration beyond its grammar.

use std::collections::HashMap;

use syn::Type;

use crate::constant::argument;
use crate::errors::Errors;
use crate::{docs, names};

use super::ast::{Component, Field, Role};

pub(super) fn check(component: &Component, errors: &mut Errors) {
    let mut seen: HashMap<&str, &Field> = HashMap::new();
    for field in &component.fields {
        name(component, field, errors);
        if let Some(first) = seen.get(&*field.name) {
            let message = match (&first.role, &field.role) {
                (Role::Input { .. }, Role::Output { .. }) | (Role::Output { .. }, Role::Input { .. }) => {
                    format!("`{}` is both an input and an output of the component `{}`", field.name, component.ident)
                }
                _ => format!("`{}` of the component `{}` is declared twice", field.name, component.ident),
            };
            errors.push(&field.ident, message, "an input and an output need different names");
        } else {
            seen.insert(&field.name, field);
        }
        value(component, field, errors);
    }
    if let (Some((_, at)), None) = (&component.keys.bandwidth, component.outputs().next()) {
        let message = format!("nothing reads from the component `{}`, which has no outputs", component.ident);
        errors.push(
            at,
            message,
            "declare the bandwidth on the component that this one reads from, or on its port type",
        );
    }
    for attr in component.attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        let derived = docs::source(attr);
        if derived.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "Clone" || word == "Copy") {
            let message = format!("the component `{}` is already `Clone` and `Copy`", component.ident);
            errors.push(attr, message, "remove them from `#[derive(...)]`");
        }
    }
}

fn name(component: &Component, field: &Field, errors: &mut Errors) {
    let Field { ident, name, .. } = field;
    let what = field.what();
    if let Some(why) = names::refuse(name) {
        let message = format!("`{name}` cannot name {what} of the component `{}`: {why}", component.ident);
        errors.push(ident, message, "choose another name: it also names an entry of the data space");
        return;
    }
    match field.role {
        Role::Output { .. } if name == "component" => {
            let message = format!("an output of the component `{}` cannot be called `component`", component.ident);
            errors.push(
                ident,
                message,
                "choose another name: the handle has a field of this name for the component itself",
            );
        }
        Role::Input { .. } if name == "new" => {
            let message = format!("an input of the component `{}` cannot be called `new`", component.ident);
            errors.push(
                ident,
                message,
                format_args!("choose another name: `{}::new()` starts the component", component.ident),
            );
        }
        Role::Input { .. } if component.keys.chef.is_none() && wattle_recipe::environment::is_taken(name) => {
            let message = format!("an input of the component `{}` cannot be called `{name}`", component.ident);
            errors.push(
                ident,
                message,
                "choose another name: the environment of every recipe has a variable of this name",
            );
        }
        _ => {}
    }
}

fn value(component: &Component, field: &Field, errors: &mut Errors) {
    let Field { name, ty, .. } = field;
    if let Some((word, instead)) = refused_type(field.value_type()) {
        errors.push(
            ty,
            format!("a value of type `{word}` cannot flow between components"),
            format_args!("use {instead}"),
        );
        return;
    }
    match &field.role {
        Role::Input { default: Some(default), .. } if field.is_optional() => {
            let help = format!("write `{name}: {}`, or remove the default", docs::type_name(field.value_type()));
            errors.push(default, format!("the input `{name}` has a default, so it is never absent"), help);
        }
        Role::Input { default: Some(default), .. } if argument(ty, "Secret").is_some() => {
            let message = format!("the input `{name}` is a secret and must not be written in the blueprint");
            errors.push(default, message, "remove the default, and wire a `Parameter<Secret<...>>`");
        }
        Role::Output { .. } if field.is_optional() => {
            let message = format!("the output `{name}` of the component `{}` cannot be optional", component.ident);
            let inner = argument(ty, "Option").map(docs::type_name).unwrap_or_default();
            errors.push(
                ty,
                message,
                format_args!("write `{name}: {inner}`: components that read an absent output would wait forever"),
            );
        }
        _ => {}
    }
}

/// A common Rust type that recipes do not support, and the type to use instead.
fn refused_type(ty: &Type) -> Option<(String, &'static str)> {
    if let Some(inner) = ["Vec", "Secret"].iter().find_map(|outer| argument(ty, outer)) {
        return refused_type(inner);
    }
    let word = docs::type_name(ty);
    let instead = match word.as_str() {
        "usize" | "u128" => "u16, u32 or u64",
        "isize" | "i128" => "i16, i32 or i64",
        "char" | "&str" | "&'static str" | "str" => "String",
        _ => return None,
    };
    Some((word, instead))
}
