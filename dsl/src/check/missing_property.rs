//! W0403: a required property is missing.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A resource lacks a property that its type requires. Heat refuses the resource.
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
    /// Set the property:
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
    CHECK: "W0403", Error, "a required property is missing", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, resource, property) in &sink.properties().missing {
        let diagnostic = CHECK
            .diagnostic(format!("`{name}` lacks the property `{property}`"))
            .label(&resource.at, format!("resources of the type `{}` must have it", resource.ty))
            .help(format!("set `{property}`"));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::Model;

    fn interface() -> Sketch {
        let schema = r#"{"props": {"router": {"t": "string", "req": true}, "router_id": {"t": "string"}, "subnet": {"t": "string"}}}"#;
        Sketch::new().resource("x", "OS::Neutron::RouterInterface").schema("OS::Neutron::RouterInterface", schema)
    }

    pub(in crate::check) fn failing() -> Model {
        interface().model
    }

    #[test]
    fn the_older_name_will_do() {
        let of = |name: &str| interface().property("x", "subnet", "s").property("x", name, "r").model;
        assert!(codes(&of("router_id")).is_empty());
        assert!(codes(&of("router")).is_empty());
    }
}
