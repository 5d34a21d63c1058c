//! Resources that a template names but does not create: existing flavors, images and networks.

use std::collections::BTreeSet;

use wattle_converge::Target as _;
use wattle_model::{Name, PropertySchema, SchemaConstraint, Source, Value};

use crate::deployment::Deployment;

/// A cloud resource that a template names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The full name of the resource.
    pub resource: Name,
    /// The path within its properties: `networks[0].network`.
    pub path: String,
    /// Heat's constraint, which determines the kind of resource: `nova.flavor`.
    pub constraint: Name,
    /// The name, or an id.
    pub name: String,
    /// The location of the resource in the template.
    pub at: Source,
}

impl Named {
    /// The property that contains the name.
    pub fn property(&self) -> &str {
        self.path.split(['.', '[']).next().unwrap_or_default()
    }
}

impl Deployment {
    /// All names that are known before anything is created, except those of the template's own resources.
    pub fn named(&self) -> Vec<Named> {
        let mut all = Vec::new();
        let mut own = BTreeSet::new();
        for (name, _) in self.resources() {
            let Some(resource) = self.row(&name) else { continue };
            let properties = resource.only_given().unwrap_or_default();
            own.extend(properties.get("name").and_then(Value::as_str).map(str::to_owned));
            for (property, value) in &properties {
                let Some(schema) = resource.schema(property) else { continue };
                names(schema, value, property, &mut |path, constraint, text| {
                    all.push(Named {
                        resource: name.clone(),
                        path: path.to_owned(),
                        constraint: constraint.clone(),
                        name: text.to_owned(),
                        at: resource.at.clone(),
                    });
                });
            }
        }
        all.retain(|named| !own.contains(&named.name));
        all
    }
}

/// Calls `each` for each text within a value for which a constraint of the schema says which kind of resource it names.
fn names(schema: &PropertySchema, value: &Value, path: &str, each: &mut dyn FnMut(&str, &Name, &str)) {
    match value {
        Value::Str(text) if !text.is_empty() => {
            for constraint in &schema.constraints {
                if let SchemaConstraint::Custom(constraint) = constraint {
                    each(path, constraint, text);
                }
            }
        }
        Value::List(items) => {
            let of_items = schema.item.as_deref();
            for (index, item) in items.iter().enumerate() {
                if let Some(schema) = of_items {
                    names(schema, item, &format!("{path}[{index}]"), each);
                }
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                if let Some(schema) = schema.keys.get(key) {
                    names(schema, value, &format!("{path}.{key}"), each);
                }
            }
        }
        _ => {}
    }
}
