//! Which values Heat accepts for a property.
//!
//! Heat converts generously (`heat.engine.properties`): it accepts numbers and booleans for text, text that reads as a
//! number for numbers, fractions and booleans for integers, "True" and "false" for booleans, and no value at all for
//! anything. What Heat accepts is never refused here, and a value that is not known yet is refused only if no value could
//! be right.

use std::collections::HashMap;

use crate::model::{
    Expr, Model, Name, ParameterType, PropertySchema, PropertyType, Reference, Resource, Schema, SchemaConstraint,
    Source, Value,
};
use wattle_heat::properties::takes;
use wattle_heat::schema::{broken, too_few_or_many};

use super::refused;

/// What is wrong with the properties of resources whose types are known.
#[derive(Default)]
pub(super) struct Judged<'m> {
    /// Properties that their resource's type does not have.
    pub(super) unknown: Vec<Given<'m>>,
    /// Values that Heat would refuse.
    pub(super) refused: Vec<(Given<'m>, Refusal)>,
    /// Required properties that are missing.
    pub(super) missing: Vec<(&'m Name, &'m Resource, &'m Name)>,
}

/// One property as it was given.
#[derive(Clone, Copy)]
pub(super) struct Given<'m> {
    pub(super) name: &'m Name,
    pub(super) resource: &'m Resource,
    pub(super) schema: &'m Schema,
    pub(super) property: &'m Name,
    pub(super) at: &'m Source,
}

impl<'m> Judged<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut judged = Self::default();
        // The required properties of each type, looked up once per type.
        let known: HashMap<&Name, (&Schema, Vec<&Name>)> = model
            .schemas
            .iter()
            .map(|(ty, schema)| {
                let required = schema.properties.iter().filter(|(_, known)| known.required && known.default.is_none());
                (ty, (schema, required.map(|(name, _)| name).collect()))
            })
            .collect();
        for (name, resource) in &model.resources {
            let Some((schema, required)) = known.get(&resource.ty) else { continue };
            for (property, binding) in &resource.properties {
                let given = Given { name, resource, schema, property, at: &binding.at };
                match schema.properties.get(property) {
                    None => judged.unknown.push(given),
                    Some(known) => {
                        judged
                            .refused
                            .extend(refusals(model, known, &binding.value).into_iter().map(|why| (given, why)));
                    }
                }
            }
            // An existing resource is not created.
            let required = required.iter().filter(|_| resource.external_id.is_none());
            let missing = required.filter(|property| !is_given(resource, schema, property));
            judged.missing.extend(missing.map(|property| (name, resource, *property)));
        }
        judged
    }
}

/// Whether `property` is given, under its own name or under the older one (`router_id` for `router`) that Heat translates.
fn is_given(resource: &Resource, schema: &Schema, property: &str) -> bool {
    resource.properties.contains_key(property)
        || resource.properties.keys().any(|given| {
            given.strip_prefix(property).is_some_and(|rest| rest == "_id") && schema.properties.contains_key(given)
        })
}

/// One value that Heat would refuse.
pub(super) struct Refusal {
    /// The path to it, after the property's name: `[0].network`.
    pub(super) path: String,
    pub(super) why: String,
    /// For a key that does not exist: the key, and those that do.
    pub(super) unknown: Option<(Name, Vec<Name>)>,
}

/// Everything in `value` that Heat would refuse for a property with the schema `schema`.
fn refusals(model: &Model, schema: &PropertySchema, value: &Expr) -> Vec<Refusal> {
    let mut judge = Judge { model, path: String::new(), found: Vec::new() };
    judge.expression(schema, value);
    judge.found
}

struct Judge<'m> {
    model: &'m Model,
    path: String,
    found: Vec<Refusal>,
}

impl Judge<'_> {
    fn refuse(&mut self, why: impl Into<String>) {
        self.found.push(Refusal { path: self.path.clone(), why: why.into(), unknown: None });
    }

    fn at(&mut self, step: std::fmt::Arguments<'_>, judge: impl FnOnce(&mut Self)) {
        use std::fmt::Write;
        let before = self.path.len();
        // Writing to a string cannot fail.
        let _ = self.path.write_fmt(step);
        judge(self);
        self.path.truncate(before);
    }

    fn expression(&mut self, schema: &PropertySchema, value: &Expr) {
        use PropertyType::{Any, List, Map};
        let is_known =
            |name: &Name| self.model.parameters.get(name).filter(|known| refuses(schema.ty, known.heat_type));
        let found = match value {
            // Heat treats null as if the property were not set.
            Expr::Constant(Value::Null) => return,
            Expr::Constant(value) => (!takes(schema.ty, value)).then(|| match value {
                Value::List(_) | Value::Map(_) => value.kind().to_owned(),
                Value::Str(text) => format!("{} `{}`", value.kind(), text.escape_debug()),
                _ => format!("{} `{value}`", value.kind()),
            }),
            Expr::Leaf(Reference::Parameter(name)) => {
                is_known(name).map(|known| format!("the parameter `{name}`, which is {}", known.ty.revealed()))
            }
            Expr::Leaf(Reference::Resource(name)) if matches!(schema.ty, List | Map) => {
                Some(format!("the ID of `{name}`, which is text"))
            }
            Expr::Text(_) if matches!(schema.ty, List | Map) => Some("text".to_owned()),
            Expr::List(_) if !matches!(schema.ty, List | Any) => Some("a list".to_owned()),
            Expr::Map(_) if !matches!(schema.ty, Map | Any) => Some("a map".to_owned()),
            // Known once Heat has created the resources it depends on; other checks report values that no property accepts.
            _ => None,
        };
        if let Some(found) = found {
            return self.refuse(format!("expected {}, found {found}", schema.ty));
        }
        if let Expr::Leaf(Reference::Parameter(name)) = value
            && let Some(default) = known_default(self.model, name)
        {
            let before = self.found.len();
            self.expression(schema, &Expr::Constant(default.clone()));
            for refusal in &mut self.found[before..] {
                refusal.why = format!("with the default of the parameter `{name}`: {}", refusal.why);
            }
            return;
        }
        match value {
            Expr::List(items) => self.items(schema, items.iter()),
            Expr::Map(items) => self.entries(schema, items.iter()),
            Expr::Constant(Value::List(items)) => {
                let items: Vec<Expr> = items.iter().cloned().map(Expr::Constant).collect();
                self.items(schema, items.iter());
            }
            Expr::Constant(Value::Map(items)) if schema.ty == Map => {
                let items: Vec<_> = items.iter().map(|(name, item)| (name, Expr::Constant(item.clone()))).collect();
                self.entries(schema, items.iter().map(|(name, item)| (*name, item)));
            }
            _ => {}
        }
        let broken: Vec<String> = match value {
            Expr::Constant(value) => {
                schema.constraints.iter().filter_map(|constraint| broken(constraint, schema.ty, value)).collect()
            }
            Expr::List(items) => {
                let length = |constraint: &SchemaConstraint| match constraint {
                    SchemaConstraint::Length(bounds) => too_few_or_many(bounds, items.len()),
                    _ => None,
                };
                schema.constraints.iter().filter_map(length).collect()
            }
            _ => Vec::new(),
        };
        broken.into_iter().for_each(|why| self.refuse(why));
    }

    fn items<'v>(&mut self, schema: &PropertySchema, items: impl Iterator<Item = &'v Expr>) {
        let Some(item) = &schema.item else { return };
        for (index, value) in items.enumerate() {
            self.at(format_args!("[{index}]"), |judge| judge.expression(item, value));
        }
    }

    fn entries<'v>(&mut self, schema: &PropertySchema, items: impl Iterator<Item = (&'v Name, &'v Expr)> + Clone) {
        self.keys(schema, |key| items.clone().any(|(name, _)| **name == *key), items.clone().map(|(name, _)| name));
        for (name, value) in items {
            if let Some(inner) = schema.keys.get(name).or(schema.item.as_deref()) {
                self.at(format_args!(".{name}"), |judge| judge.expression(inner, value));
            }
        }
    }

    fn keys<'k>(&mut self, schema: &PropertySchema, has: impl Fn(&str) -> bool, given: impl Iterator<Item = &'k Name>) {
        if schema.keys.is_empty() {
            return;
        }
        for name in given.filter(|name| !schema.keys.contains_key(*name)) {
            let unknown = Some((name.clone(), schema.keys.keys().cloned().collect()));
            self.found.push(Refusal { path: self.path.clone(), why: format!("`{name}` is unknown"), unknown });
        }
        for (name, key) in &schema.keys {
            if key.required && key.default.is_none() && !has(name) {
                self.refuse(format!("`{name}` is missing"));
            }
        }
    }
}

/// The value that Heat assumes for a parameter until it is given one, unless it is secret or invalid.
pub(super) fn known_default<'m>(model: &'m Model, parameter: &str) -> Option<&'m Value> {
    let parameter = model.parameters.get(parameter).filter(|parameter| !parameter.is_hidden())?;
    let default = parameter.default.as_ref().filter(|default| **default != Value::Null)?;
    refused(parameter, default).is_empty().then_some(default)
}

/// Whether the property accepts no value of such a parameter.
fn refuses(property: PropertyType, parameter: ParameterType) -> bool {
    use PropertyType::{Any, Boolean, List, Map};
    match parameter {
        ParameterType::Str | ParameterType::Boolean => matches!(property, List | Map),
        ParameterType::Number => matches!(property, List | Map | Boolean),
        ParameterType::CommaDelimitedList => !matches!(property, List | Any),
        // Every value can be written as JSON.
        ParameterType::Json => false,
    }
}
