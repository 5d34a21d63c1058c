//! W0404: an attribute that the resource type does not have.

use crate::model::Reference;

use wattle_heat::classes::has_any_attribute;

use super::registry::check;
use super::sink::Sink;
use super::uses::Use;

check! {
    /// Something reads an attribute that the type of the resource does not have.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let exports = Exports::new().entry("mtu", net.attribute::<String>("mut"));
    /// # let mut model = t.finish(exports);
    /// # let schema = r#"{"attrs": {"mtu": {"t": "integer"}, "show": {"t": "map"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0404"));
    /// ```
    ///
    /// Read an attribute of the type:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let exports = Exports::new().entry("mtu", net.attribute::<String>("mtu"));
    /// # let mut model = t.finish(exports);
    /// # let schema = r#"{"attrs": {"mtu": {"t": "integer"}, "show": {"t": "map"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0404"));
    /// ```
    ///
    /// Resources are not checked if their type is not in the catalog, or if their attributes depend on their contents,
    /// as those of `OS::Heat::ResourceGroup` do.
    CHECK: "W0404", Error, "an attribute that the resource type does not have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for Use { place, at, reference } in &sink.uses().attributes {
        let Reference::Attribute { resource: name, attribute, .. } = reference else { continue };
        let Some(resource) = model.resources.get(*name) else { continue };
        let Some(schema) = model.schemas.get(&resource.ty) else { continue };
        let is_open = schema.attributes.is_empty() || schema.is_placeholder() || has_any_attribute(&resource.ty);
        if is_open || schema.attributes.contains_key(*attribute) {
            continue;
        }
        let diagnostic = CHECK
            .diagnostic(format!("{place} reads the attribute `{attribute}` of `{name}`, which does not exist"))
            .label(at, format!("the type `{}` has no such attribute", resource.ty))
            .help_if(sink.suggest(attribute, schema.attributes.keys().map(|name| &**name)));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes};
    use crate::model::{Model, Type};

    fn reading(ty: &str) -> Model {
        let sketch = Sketch::new().resource("net", ty).schema(ty, r#"{"attrs": {"mtu": {"t": "integer"}}}"#);
        sketch.export("mtu", Type::STR, attribute("net", "mut")).model
    }

    pub(in crate::check) fn failing() -> Model {
        reading("OS::Neutron::Net")
    }

    #[test]
    fn a_group_has_the_attributes_of_what_it_holds() {
        assert!(codes(&reading("OS::Heat::ResourceGroup")).is_empty());
    }
}
