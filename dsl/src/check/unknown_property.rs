//! W0401: a property that the resource type does not have.

use super::property::Given;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A resource sets a property that its type does not have. Heat refuses the resource.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("nmae", "backbone"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"name": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0401"));
    /// ```
    ///
    /// Use a property of the type:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("name", "backbone"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"name": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0401"));
    /// ```
    ///
    /// Resources whose type is not in the catalog are not checked.
    CHECK: "W0401", Error, "a property that the resource type does not have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let judged = sink.properties().unknown.iter().filter(|given| !given.schema.is_placeholder());
    for Given { name, resource, schema, property, at } in judged {
        let known = || schema.properties.keys().map(|name| &**name);
        let all = || known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let list = (schema.properties.len() <= 8).then(|| format!("its properties are {}", all()));
        let diagnostic = CHECK
            .diagnostic(format!("`{name}` has no property `{property}`"))
            .label(at, format!("the type `{}` has no property of this name", resource.ty))
            .help_if(sink.suggest(property, known()).or(list));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        let schema = r#"{"props": {"name": {"t": "string"}, "shared": {"t": "boolean"}}}"#;
        let sketch = Sketch::new().resource("net", "OS::Neutron::Net").schema("OS::Neutron::Net", schema);
        sketch.property("net", "nmae", "backbone").model
    }

    #[test]
    fn nothing_has_every_property() {
        let nothing =
            Sketch::new().resource("a", "OS::Heat::None").schema("OS::Heat::None", r#"{"attrs": {"show": {}}}"#);
        assert!(codes(&nothing.property("a", "whatever", 1).model).is_empty());
    }

    #[test]
    fn a_type_without_schema_is_not_judged() {
        let mut model = failing();
        model.schemas.clear();
        assert!(codes(&model).is_empty());
    }
}
