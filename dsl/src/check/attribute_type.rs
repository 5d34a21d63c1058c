//! W0408: an attribute is read with the wrong type.

use crate::model::{Carrier, Expr, Name, PropertyType, Reference, Schema, Source, Type};

use super::place::Place;
use super::registry::check;
use super::sink::Sink;

check! {
    /// An attribute is read as a type other than the one that its resource provides. Whatever reads it will fail as
    /// soon as the attribute is there.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let exports = Exports::new().entry("status", net.attribute::<u32>("status"));
    /// # let mut model = t.finish(exports);
    /// # let schema = r#"{"attrs": {"status": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0408"));
    /// ```
    ///
    /// Read it with its own type:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let exports = Exports::new().entry("status", net.attribute::<String>("status"));
    /// # let mut model = t.finish(exports);
    /// # let schema = r#"{"attrs": {"status": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0408"));
    /// ```
    ///
    /// Text may stand for a number or a boolean if the resource has a property of the same name with that type, such as
    /// the `size` of a volume. Parts of an attribute are not checked, because Heat does not say what they are.
    CHECK: "W0408", Warning, "an attribute is read with the wrong type", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut found = Vec::new();
    for (key, component, kind) in sink.components() {
        let Some(kind) = kind else { continue };
        let key = model.components.get_key_value(key).map(|(key, _)| key);
        for (input, binding) in &component.inputs {
            if let (Some(component), Some(declared)) = (key, kind.inputs.get(input)) {
                read(&declared.ty, &binding.value, Place::Input { component, input }, &binding.at, &mut found);
            }
        }
    }
    for (name, forward) in &model.forward_references {
        for binding in &forward.fulfilled {
            read(&forward.ty, &binding.value, Place::ForwardReference(name), &binding.at, &mut found);
        }
    }
    for (name, export) in &model.exports {
        read(&export.ty, &export.value, Place::Export(name), &export.at, &mut found);
    }
    for Read { ty, resource: name, attribute, place, at } in found {
        let Some(resource) = model.resources.get(name) else { continue };
        let Some(schema) = model.schemas.get(&resource.ty) else { continue };
        let Some(known) = schema.attributes.get(attribute) else { continue };
        if may_be(known.ty, ty) || is_number_as_text(schema, attribute, known.ty, ty) {
            continue;
        }
        let diagnostic = CHECK
            .diagnostic(format!(
                "{place} reads the attribute `{attribute}` of `{name}` as {}, but it is {}",
                ty.revealed(),
                known.ty
            ))
            .label(at, format!("resources of the type `{}` have it as {}", resource.ty, known.ty))
            .help("read it as the type that it has, or read another attribute");
        sink.push(diagnostic);
    }
}

/// One attribute, read as a value of a type.
struct Read<'m> {
    ty: &'m Type,
    resource: &'m Name,
    attribute: &'m Name,
    place: Place<'m>,
    at: &'m Source,
}

fn read<'m>(ty: &'m Type, value: &'m Expr, place: Place<'m>, at: &'m Source, found: &mut Vec<Read<'m>>) {
    match (ty.revealed(), value) {
        (ty, Expr::Leaf(Reference::Attribute { resource, attribute, path })) if path.is_empty() => {
            found.push(Read { ty, resource, attribute, place, at });
        }
        (Type::List(item), Expr::List(items)) => items.iter().for_each(|value| read(item, value, place, at, found)),
        (Type::Map(item), Expr::Map(items)) => items.values().for_each(|value| read(item, value, place, at, found)),
        (Type::Struct(fields), Expr::Map(items)) => {
            for (name, value) in items {
                if let Some(field) = fields.get(name) {
                    read(field, value, place, at, found);
                }
            }
        }
        _ => {}
    }
}

/// Whether a value of Heat's type `known` may be one of `ty`.
fn may_be(known: PropertyType, ty: &Type) -> bool {
    match ty.revealed() {
        Type::Scalar(_) => match (known, ty.carrier()) {
            (PropertyType::Any, _) | (_, None) => true,
            (PropertyType::Str, Some(carrier)) => carrier == Carrier::Text,
            (PropertyType::Integer | PropertyType::Number, Some(carrier)) => carrier != Carrier::Boolean,
            (PropertyType::Boolean, Some(carrier)) => carrier != Carrier::Number,
            (PropertyType::List | PropertyType::Map, Some(_)) => false,
        },
        // Heat represents many lists and maps as text.
        Type::List(_) => !matches!(known, PropertyType::Integer | PropertyType::Number | PropertyType::Boolean),
        Type::Map(_) | Type::Struct(_) => {
            !matches!(known, PropertyType::Integer | PropertyType::Number | PropertyType::Boolean)
        }
        Type::Any | Type::Hidden(_) => true,
    }
}

/// Whether a property of the same name shows that the text stands for another type.
fn is_number_as_text(schema: &Schema, attribute: &str, known: PropertyType, ty: &Type) -> bool {
    let property = schema.properties.get(attribute).map(|property| property.ty);
    known == PropertyType::Str && property.is_some_and(|property| property != PropertyType::Str && may_be(property, ty))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes};
    use crate::model::{Expr, Model, Step, Type};

    const SCHEMA: &str = r#"{
        "props": {"size": {"t": "integer"}, "name": {"t": "string"}},
        "attrs": {
            "status": {"t": "string"}, "size": {"t": "string"}, "mtu": {"t": "integer"}, "up": {"t": "boolean"},
            "tags": {"t": "list"}, "show": {"t": "map"}, "any": {"t": "any"}
        }
    }"#;

    fn volume() -> Sketch {
        let sketch = Sketch::new().resource("volume", "OS::Cinder::Volume").schema("OS::Cinder::Volume", SCHEMA);
        sketch.property("volume", "size", 1)
    }

    fn whole() -> Type {
        Type::integer(0, 100)
    }

    pub(in crate::check) fn failing() -> Model {
        volume().export("status", whole(), attribute("volume", "status")).model
    }

    #[test]
    fn what_may_be_read_is() {
        let list = || Type::List(Box::new(Type::STR));
        for (ty, name) in [
            (Type::STR, "status"),
            (Type::IP, "status"),
            (whole(), "size"),
            (whole(), "mtu"),
            (Type::STR, "mtu"),
            (Type::BOOLEAN, "up"),
            (list(), "tags"),
            (list(), "status"),
            (Type::Map(Box::new(Type::Any)), "show"),
            (whole(), "any"),
            (Type::Any, "tags"),
        ] {
            let found = codes(&volume().export("x", ty.clone(), attribute("volume", name)).model);
            assert!(found.is_empty(), "{name} as {ty}");
        }
        let part = Expr::attribute("volume", "show", vec![Step::Key("size".into())]);
        assert!(codes(&volume().export("x", whole(), part).model).is_empty());
    }

    #[test]
    fn what_cannot_be_is_not() {
        for (ty, name) in [
            (Type::BOOLEAN, "status"),
            (Type::BOOLEAN, "mtu"),
            (Type::STR, "tags"),
            (whole(), "show"),
            (Type::List(Box::new(Type::STR)), "mtu"),
        ] {
            let found = codes(&volume().export("x", ty.clone(), attribute("volume", name)).model);
            assert_eq!(found, ["W0408"], "{name} as {ty}");
        }
        let items = Expr::List(vec![attribute("volume", "status")]);
        let list = volume().export("x", Type::List(Box::new(whole())), items);
        assert_eq!(codes(&list.model), ["W0408"]);
    }
}
