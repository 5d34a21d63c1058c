//! The catalog's information about a resource's type: its properties, its attributes, and their documentation.

use wattle_catalog_generate::schema::{Attribute, Constraint, Property, PropertyType, ResourceType, Support};
use wattle_heat::Loaded;
use wattle_heat::environment::Implementation;
use wattle_heat::schema::{is_type, written};
use wattle_heat::template::{Parameter, Template};
use wattle_heat::yaml::{Node, Tree};
use wattle_model::ParameterType;

/// The information about the type `ty` of the resource `resource`: one of Heat's own, or a template.
pub(crate) fn of(loaded: &Loaded, resource: &str, ty: &str) -> Option<ResourceType> {
    match loaded.implementation(resource, ty, &is_type)? {
        Implementation::Type(ty) => ResourceType::read(&ty, written(&ty)?).ok(),
        Implementation::Template(path) => Some(nested(&loaded.library.templates.get(&path)?.template)),
    }
}

/// A template as a type: its parameters are properties, its outputs attributes.
fn nested(template: &Template) -> ResourceType {
    let doc = template.description.as_ref().and_then(|text| text.tree.as_text());
    let attribute = |output: &wattle_heat::template::Output| Attribute {
        d: output.description.as_ref().and_then(|text| text.tree.as_text()).unwrap_or_default().to_owned(),
        ..Attribute::default()
    };
    ResourceType {
        doc: doc.unwrap_or_default().to_owned(),
        props: template.parameters.iter().map(|(name, parameter)| (name.clone(), property(parameter))).collect(),
        attrs: template.outputs.iter().map(|(name, output)| (name.clone(), attribute(output))).collect(),
        ..ResourceType::default()
    }
}

fn property(parameter: &Parameter) -> Property {
    Property {
        t: match parameter.kind {
            Some(ParameterType::Str) => PropertyType::Str,
            Some(ParameterType::Number) => PropertyType::Number,
            Some(ParameterType::Boolean) => PropertyType::Boolean,
            Some(ParameterType::CommaDelimitedList) => PropertyType::List,
            Some(ParameterType::Json) => PropertyType::Map,
            _ => PropertyType::Any,
        },
        req: parameter.default.is_none(),
        upd: !parameter.immutable,
        effect: if parameter.immutable { "It cannot be changed." } else { "Heat updates the nested stack." },
        d: parameter.description.clone().unwrap_or_default(),
        ..Property::default()
    }
}

/// The type of the resource that the map at `path` in the template describes, for `path` up to the key `properties`.
/// The map can also be the definition of a group's members.
pub(crate) fn at(loaded: &Loaded, path: &[&str]) -> Option<ResourceType> {
    let mut node = &loaded.template.root;
    for key in path {
        node = node.get(key)?;
    }
    let ty = node.get("type")?.tree.as_text()?;
    of(loaded, path.get(1).copied().unwrap_or_default(), ty)
}

/// The property at `keys`. Lists are traversed: the key of an item is `None`.
pub(crate) fn descend<'s>(shape: &'s ResourceType, keys: &[Option<&str>]) -> Option<&'s Property> {
    let (first, rest) = keys.split_first()?;
    let mut property = shape.props.get((*first)?)?;
    for key in rest {
        property = match key {
            Some(key) => property.keys.get(*key).or(property.item.as_deref().filter(|_| property.keys.is_empty()))?,
            None => property.item.as_deref()?,
        };
    }
    Some(property)
}

/// The name of a property's type, in one word.
pub(crate) fn word(ty: PropertyType) -> &'static str {
    match ty {
        PropertyType::Str => "string",
        PropertyType::Integer => "integer",
        PropertyType::Number => "number",
        PropertyType::Boolean => "boolean",
        PropertyType::List => "list",
        PropertyType::Map => "map",
        PropertyType::Any => "any",
    }
}

/// Describes a type in Markdown.
pub(crate) fn type_text(name: &str, shape: &ResourceType) -> String {
    let mut text = format!("**{name}**\n\n{}", shape.doc);
    support(&shape.support, &mut text);
    let required: Vec<_> = shape
        .props
        .iter()
        .filter(|(_, property)| property.is_required())
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !required.is_empty() {
        text.push_str(&format!("\n\nRequires {}.", required.join(", ")));
    }
    text
}

/// Describes a property in Markdown.
pub(crate) fn property_text(name: &str, property: &Property) -> String {
    let mut text = format!("**{name}**: {}", detail(property));
    if let Some(default) = &property.def {
        text.push_str(&format!(", by default `{}`", plain(default)));
    }
    text.push_str(&format!("\n\n{}", property.d));
    for constraint in &property.c {
        text.push_str(&format!("\n\n{}", constraint_text(constraint)));
    }
    if !property.effect.is_empty() {
        text.push_str(&format!("\n\n{}", property.effect));
    }
    support(&property.support, &mut text);
    text
}

/// The type of a property, and whether it is required.
pub(crate) fn detail(property: &Property) -> String {
    let of = property.item.as_ref().filter(|item| item.t != PropertyType::Any);
    let ty = match (property.t, of) {
        (PropertyType::List, Some(item)) => format!("list of {}", word(item.t)),
        (ty, _) => word(ty).to_owned(),
    };
    if property.is_required() { format!("{ty}, required") } else { ty }
}

/// Describes an attribute in Markdown.
pub(crate) fn attribute_text(name: &str, attribute: &Attribute) -> String {
    let mut text = format!("**{name}**: {}\n\n{}", word(attribute.t), attribute.d);
    support(&attribute.support, &mut text);
    text
}

fn support(support: &Support, text: &mut String) {
    if let Some(status) = support.status {
        let status = format!("{status:?}").to_lowercase();
        let message = if support.message.is_empty() { String::new() } else { format!(": {}", support.message) };
        text.push_str(&format!("\n\n*{status}*{message}"));
    } else if !support.since.is_empty() {
        text.push_str(&format!("\n\nSince {}.", support.since));
    }
}

fn constraint_text(constraint: &Constraint) -> String {
    let bounds = |[low, high]: [Option<f64>; 2]| match (low, high) {
        (Some(low), Some(high)) => format!("between {low} and {high}"),
        (Some(low), None) => format!("at least {low}"),
        (None, Some(high)) => format!("at most {high}"),
        (None, None) => "of any size".to_owned(),
    };
    match constraint {
        Constraint::Allowed(values) => {
            let values: Vec<_> = values.iter().map(|value| format!("`{}`", plain(value))).collect();
            format!("One of {}.", values.join(", "))
        }
        Constraint::Custom(name) => format!("Must satisfy `{name}`."),
        Constraint::Range(range) => format!("Must be {}.", bounds(*range)),
        Constraint::Length(length) => format!("Its length must be {}.", bounds(*length)),
        Constraint::Pattern(pattern) => format!("Must match `{pattern}`."),
        Constraint::Modulo([step, offset]) => format!("Must be a multiple of {step}, plus {offset}."),
    }
}

/// A value in the form of a template.
pub(crate) fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Describes a parameter in Markdown.
pub(crate) fn parameter_text(name: &str, parameter: &Parameter) -> String {
    let ty = parameter.kind.map_or("of an unknown type", ParameterType::name);
    let mut text = format!("**{name}**: {ty}");
    if let Some(default) = parameter.default.as_ref().filter(|_| !parameter.hidden) {
        text.push_str(&format!(", by default {}", short(default)));
    }
    if parameter.hidden {
        text.push_str(", hidden");
    }
    if let Some(description) = &parameter.description {
        text.push_str(&format!("\n\n{description}"));
    }
    text
}

fn short(node: &Node) -> String {
    match &*node.tree {
        Tree::List(items) => format!("a list of {}", items.len()),
        Tree::Map(pairs) => format!("a map of {}", pairs.len()),
        _ => format!("`{}`", node.as_key()),
    }
}
