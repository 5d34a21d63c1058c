//! What Heat takes as the value of a property.
//!
//! Heat converts generously (`heat.engine.properties`): numbers and booleans for text, text that reads as a number for
//! numbers, fractions and booleans for integers, "True" and "false" for booleans, nothing at all for anything. What it
//! takes is never refused here, and what is not known yet is judged only where no value could do.

use std::collections::HashMap;

use crate::model::{
    Expr, Model, Name, ParameterType, PropertySchema, PropertyType, Reference, Resource, Schema, SchemaConstraint,
    Source, Value,
};
use wattle_heat::properties::takes;
use wattle_heat::schema::{broken, too_few_or_many};

/// What is wrong with the properties of resources whose types are known.
#[derive(Default)]
pub(super) struct Judged<'m> {
    /// Properties that their resource's type does not have.
    pub(super) unknown: Vec<Given<'m>>,
    /// Values that Heat would refuse.
    pub(super) refused: Vec<(Given<'m>, Refusal)>,
    /// Properties that must be there and are not.
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
        // The properties that each type requires, looked up once a type.
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
            // What exists already is not made.
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

/// One thing that Heat would refuse.
pub(super) struct Refusal {
    /// The way to it, behind the property's name: `[0].network`.
    pub(super) path: String,
    pub(super) why: String,
    /// For a key that does not exist: the key, and those that do.
    pub(super) unknown: Option<(Name, Vec<Name>)>,
}

/// Everything in `value` that Heat would refuse for a property of `schema`.
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

    fn expected(&mut self, schema: &PropertySchema, found: &str) {
        self.refuse(format!("expected {}, found {found}", schema.ty));
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
        use PropertyType::{Any, Boolean, Integer, List, Map, Number, Str};
        match value {
            Expr::Constant(value) => self.value(schema, value),
            Expr::Leaf(Reference::Parameter(name)) => {
                let Some(parameter) = self.model.parameters.get(name) else { return };
                let refused = match parameter.heat_type {
                    ParameterType::Str => matches!(schema.ty, List | Map),
                    ParameterType::Number => matches!(schema.ty, List | Map | Boolean),
                    ParameterType::Boolean => matches!(schema.ty, List | Map),
                    ParameterType::CommaDelimitedList => !matches!(schema.ty, List | Any),
                    // Any value at all can be written as JSON.
                    ParameterType::Json => false,
                };
                if refused {
                    self.expected(schema, &format!("the parameter `{name}`, which is {}", parameter.ty.revealed()));
                }
            }
            Expr::Leaf(Reference::Resource(name)) if matches!(schema.ty, List | Map) => {
                self.expected(schema, &format!("the identity of `{name}`, which is text"));
            }
            Expr::Text(_) if matches!(schema.ty, List | Map) => self.expected(schema, "text"),
            Expr::List(_) if !matches!(schema.ty, List | Any) => self.expected(schema, "a list"),
            Expr::Map(_) if !matches!(schema.ty, Map | Any) => self.expected(schema, "a map"),
            Expr::List(items) => {
                if let Some(item) = &schema.item {
                    for (index, value) in items.iter().enumerate() {
                        self.at(format_args!("[{index}]"), |judge| judge.expression(item, value));
                    }
                }
                self.length(schema, items.len());
            }
            Expr::Map(items) => {
                self.keys(schema, |key| items.contains_key(key), items.keys());
                for (name, value) in items {
                    if let Some(inner) = schema.keys.get(name).or(schema.item.as_deref()) {
                        self.at(format_args!(".{name}"), |judge| judge.expression(inner, value));
                    }
                }
            }
            // Known once Heat made what it depends on; what no property takes is refused elsewhere.
            _ => debug_assert!(matches!(schema.ty, Any | Boolean | Integer | Number | Str | List | Map)),
        }
    }

    fn value(&mut self, schema: &PropertySchema, value: &Value) {
        // Heat takes nothing as if the property were not given.
        if *value == Value::Null {
            return;
        }
        if !takes(schema.ty, value) {
            let found = match value {
                Value::List(_) | Value::Map(_) => value.kind().to_owned(),
                Value::Str(text) => format!("{} `{}`", value.kind(), text.escape_debug()),
                _ => format!("{} `{value}`", value.kind()),
            };
            self.expected(schema, &found);
            return;
        }
        match value {
            Value::List(items) => {
                if let Some(item) = &schema.item {
                    for (index, value) in items.iter().enumerate() {
                        self.at(format_args!("[{index}]"), |judge| judge.value(item, value));
                    }
                }
            }
            Value::Map(items) if schema.ty == PropertyType::Map => {
                self.keys(schema, |key| items.contains_key(key), items.keys());
                for (name, value) in items {
                    if let Some(inner) = schema.keys.get(name).or(schema.item.as_deref()) {
                        self.at(format_args!(".{name}"), |judge| judge.value(inner, value));
                    }
                }
            }
            _ => {}
        }
        self.constraints(schema, value);
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

    fn length(&mut self, schema: &PropertySchema, length: usize) {
        for constraint in &schema.constraints {
            if let SchemaConstraint::Length(bounds) = constraint
                && let Some(why) = too_few_or_many(bounds, length)
            {
                self.refuse(why);
            }
        }
    }

    fn constraints(&mut self, schema: &PropertySchema, value: &Value) {
        for constraint in &schema.constraints {
            if let Some(why) = broken(constraint, schema.ty, value) {
                self.refuse(why);
            }
        }
    }
}
