//! Reads a declaration, with its attributes and those of its fields.

use proc_macro2::TokenStream;
use syn::{Attribute, Fields, Ident, ItemStruct};
use wattle_words::names::{did_you_mean, join, nearest};
use wattle_words::time;

use crate::errors::Errors;
use crate::keys::{Keys, Known};
use crate::{bandwidth, names};

use super::ast::{Component, ComponentKeys, Field, Role};
use super::listen;
use super::recipe::run_as_files;

static COMPONENT: Known = Known {
    attribute: "#[component(...)]",
    keys: &["recipe", "chef", "teardown", "files", "deadline", "wait", "listen", "bandwidth"],
};
static INPUT: Known = Known { attribute: "#[input(...)]", keys: &["default", "listen"] };
static OUTPUT: Known = Known { attribute: "#[output(...)]", keys: &["bandwidth", "dynamic"] };
static CHEF_INPUT: Known = Known { attribute: "#[input(...)]", keys: &["default", "listen", "path"] };
static CHEF_OUTPUT: Known = Known { attribute: "#[output(...)]", keys: &["bandwidth", "dynamic", "early", "path"] };

/// Reads a declaration; malformed parts are reported and omitted.
pub(super) fn declaration(keys: TokenStream, item: ItemStruct, errors: &mut Errors) -> Component {
    let ItemStruct { attrs, vis, ident, generics, fields, .. } = item;
    if !generics.params.is_empty() {
        let help = "declare a separate component for each type that it is used with";
        errors.push(&generics, format!("the component `{ident}` is generic"), help);
    }
    let keys = component(&ident, keys, errors);
    let chef = keys.chef.is_some();
    let fields = match fields {
        Fields::Named(fields) => {
            fields.named.into_iter().filter_map(|read| field(&ident, read, chef, errors)).collect()
        }
        Fields::Unnamed(fields) => {
            let message = format!("the inputs and outputs of the component `{ident}` have no names");
            errors.push(fields, message, format_args!("write `struct {ident} {{ #[input] port: u16 }}`"));
            Vec::new()
        }
        Fields::Unit => Vec::new(),
    };
    Component { attrs, vis, ident, keys, fields }
}

/// The keys of `#[component(...)]`.
fn component(ident: &Ident, tokens: TokenStream, errors: &mut Errors) -> ComponentKeys {
    let before = errors.is_empty();
    let mut keys = Keys::parse(tokens, &COMPONENT, errors);
    let sound = before == errors.is_empty();
    let read = ComponentKeys {
        recipe: keys.text("recipe", "\"recipes/db2.sh\"", errors),
        chef: keys.text("chef", "\"cookbooks/db2::server\"", errors),
        files: keys.texts("files", "[\"recipes/db2.sql\"]", errors),
        teardown: keys.text("teardown", "\"recipes/db2-remove.sh\"", errors),
        deadline: length_of_time("deadline", &mut keys, errors),
        wait: length_of_time("wait", &mut keys, errors),
        listen: listen::fixed(&mut keys, errors),
        bandwidth: bandwidth::of(&mut keys, errors),
    };
    match (&read.recipe, &read.chef) {
        // A misspelt key, or one without a value, has already been reported.
        (None, None) if sound && before == errors.is_empty() => {
            let others = run_as_files().skip(1).map(|tool| format!("`.{}` for {}", tool.ending(), tool.title()));
            let help = format_args!(
                "write `#[component(recipe = \"recipes/NAME.sh\")]` ({}), \
                 or `#[component(chef = \"cookbooks/NAME::RECIPE\")]`",
                others.collect::<Vec<_>>().join(", ")
            );
            errors.push(ident, format!("the component `{ident}` has no recipe"), help);
        }
        (Some(_), Some(chef)) => {
            let message = format!("the component `{ident}` has two recipes");
            errors.push(
                chef,
                message,
                "a component is one run of one tool: keep either `recipe` or `chef`, or declare two components",
            );
        }
        _ => {}
    }
    read
}

/// The value of `key`, in seconds.
fn length_of_time(key: &str, keys: &mut Keys, errors: &mut Errors) -> Option<u64> {
    let text = keys.text(key, "\"30m\"", errors)?;
    let wrong = |help| errors.push(&text, format!("the {key} `{}` is not a length of time", text.value()), help);
    time::seconds(&text.value()).map_err(wrong).ok()
}

/// One field; `None` if it has no name.
fn field(component: &Ident, field: syn::Field, chef: bool, errors: &mut Errors) -> Option<Field> {
    let ident = field.ident?;
    let name = names::plain(&ident);
    let (roles, attrs): (Vec<Attribute>, Vec<Attribute>) = field.attrs.into_iter().partition(is_role);
    let mut role = Role::Unknown;
    let mut path = None;
    match &roles[..] {
        [] => {
            let message = format!("`{name}` is neither an input nor an output of the component `{component}`");
            let meant = attrs.iter().find_map(|attr| {
                let found = attr.path().get_ident()?.to_string();
                Some((attr, nearest(&found, ["input", "output"])?))
            });
            match meant {
                Some((attr, meant)) => errors.push(attr, message, did_you_mean(format_args!("#[{meant}]"))),
                None => errors.push(&ident, message, "add `#[input]` or `#[output]`"),
            }
        }
        [attr] if attr.path().is_ident("input") => {
            let mut keys =
                Keys::of(attr, if chef { &CHEF_INPUT } else { misplaced(attr, &INPUT, &CHEF_INPUT) }, errors);
            let listen = listen::of_input(&name, &field.ty, &mut keys, errors);
            role = Role::Input { default: keys.value("default", "50_000", errors), listen };
            path = keys.text("path", "\"db2/instance/port\"", errors);
        }
        [attr] => {
            let attr = &listen::none_of_output(&name, attr, errors);
            let mut keys =
                Keys::of(attr, if chef { &CHEF_OUTPUT } else { misplaced(attr, &OUTPUT, &CHEF_OUTPUT) }, errors);
            let dynamic = keys.flag("dynamic", errors).is_some();
            let early = keys.flag("early", errors);
            if let (false, Some(at)) = (chef, early) {
                let help =
                    "remove it: a recipe for another tool publishes an output immediately with `wattle set NAME VALUE`";
                errors.push(Ident::new("early", at), format!("`early` of `{name}` is for Chef recipes"), help);
            }
            let bandwidth = bandwidth::of(&mut keys, errors).map(|(bandwidth, _)| bandwidth);
            role = Role::Output { bandwidth, dynamic, early: early.is_some() };
            path = keys.text("path", "\"db2/instance/url\"", errors);
        }
        [first, again, ..] => {
            let message = if first.path().get_ident() == again.path().get_ident() {
                format!("`{name}` of the component `{component}` is declared twice")
            } else {
                format!("`{name}` is both an input and an output of the component `{component}`")
            };
            errors.push(again, message, "keep one of the two: an input and an output need different names");
        }
    }
    if let Some(path) = path.as_ref().filter(|path| path.value().split('/').any(str::is_empty)) {
        let message = format!("the path `{}` of `{name}` has an empty part", path.value());
        errors.push(path, message, "write `path = \"db2/instance/port\"` for `node['db2']['instance']['port']`");
    }
    if let (false, Some(path)) = (chef, &path) {
        let tools = run_as_files().map(|tool| tool.title().to_owned());
        let help = format_args!("remove it: a {} recipe has each value under the field's own name", join(tools, "or"));
        errors.push(path, format!("`path` of `{name}` is for Chef recipes"), help);
    }
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")) {
        let help = "put `#[cfg]` on the whole component, and declare another component for the other case";
        errors.push(attr, format!("`{name}` of the component `{component}` depends on the build"), help);
    }
    Some(Field { ident, name, ty: field.ty, role, path, attrs })
}

fn is_role(attr: &Attribute) -> bool {
    attr.path().is_ident("input") || attr.path().is_ident("output")
}

/// Keys for Chef have their own message elsewhere, and are not reported as unknown.
fn misplaced(attr: &Attribute, plain: &'static Known, chef: &'static Known) -> &'static Known {
    let syn::Meta::List(list) = &attr.meta else { return plain };
    let tokens = list.tokens.to_string();
    let is_for_chef = |key: &&str| !plain.keys.contains(key) && tokens.contains(*key);
    if chef.keys.iter().any(is_for_chef) { chef } else { plain }
}
