//! W0403: a property that the resource's type requires.

use crate::model::{Resource, Schema};

use super::registry::check;
use super::sink::Sink;

check! {
    /// A resource lacks a property without which Heat refuses it.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").property("image", "debian-12"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"image": {"t": "string"}, "flavor": {"t": "string", "req": true}}}"#;
    /// # model.schemas.insert("OS::Nova::Server".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0403"));
    /// ```
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").property("image", "debian-12").property("flavor", "m1.small"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"image": {"t": "string"}, "flavor": {"t": "string", "req": true}}}"#;
    /// # model.schemas.insert("OS::Nova::Server".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0403"));
    /// ```
    MISSING_PROPERTY: "W0403", Error, "a resource lacks a property that it must have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut schemas = super::property::Schemas::of(model);
    for (name, resource) in &model.resources {
        let Some(schema) = schemas.find(&resource.ty) else { continue };
        for (property, expected) in &schema.properties {
            if expected.required && expected.default.is_none() && !is_given(resource, schema, property) {
                let finding = MISSING_PROPERTY
                    .finding(format!("`{name}` lacks the property `{property}`"))
                    .label(&resource.at, format!("resources of the type `{}` must have it", resource.ty))
                    .help(format!("set `{property}`"));
                sink.push(finding);
            }
        }
    }
}

/// Whether `property` is given, under its own name or under the older one (`router_id` for `router`) that Heat translates.
fn is_given(resource: &Resource, schema: &Schema, property: &str) -> bool {
    resource.properties.contains_key(property)
        || resource.properties.keys().any(|given| {
            given.strip_prefix(property).is_some_and(|rest| rest == "_id") && schema.properties.contains_key(given)
        })
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::Model;

    fn interface() -> Sketch {
        let schema = r#"{"props": {"router": {"t": "string", "req": true}, "router_id": {"t": "string"}}}"#;
        Sketch::new().resource("x", "OS::Neutron::RouterInterface").schema("OS::Neutron::RouterInterface", schema)
    }

    pub(in crate::check) fn failing() -> Model {
        interface().model
    }

    #[test]
    fn the_older_name_will_do() {
        assert!(codes(&interface().property("x", "router_id", "r").model).is_empty());
        assert!(codes(&interface().property("x", "router", "r").model).is_empty());
    }
}
