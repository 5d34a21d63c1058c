//! W0402: a property has an invalid value.

use super::property::{Given, Refusal};
use super::registry::check;
use super::sink::Sink;

check! {
    /// Heat refuses the value of a property. The value has the wrong type, is out of bounds, is not one of the allowed
    /// values, or is a map with a wrong or missing key.
    ///
    /// A parameter is checked with its default, which Heat uses unless another value is given.
    ///
    /// Heat converts values: it accepts `"80"` where it expects a number, and `80` where it expects text. What Heat
    /// accepts is not reported.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("subnet", RawResource::new("OS::Neutron::Subnet").property("ip_version", "six"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"ip_version": {"t": "integer", "c": [{"allowed": [4, 6]}]}}}"#;
    /// # model.schemas.insert("OS::Neutron::Subnet".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0402"));
    /// ```
    ///
    /// Give a value that the property accepts:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("subnet", RawResource::new("OS::Neutron::Subnet").property("ip_version", 6));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"ip_version": {"t": "integer", "c": [{"allowed": [4, 6]}]}}}"#;
    /// # model.schemas.insert("OS::Neutron::Subnet".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0402"));
    /// ```
    CHECK: "W0402", Error, "a property has an invalid value", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (Given { name, property, at, .. }, Refusal { path, why, unknown }) in &sink.properties().refused {
        let suggestion = unknown.as_ref().and_then(|(key, keys)| sink.suggest(key, keys.iter().map(|key| &**key)));
        let diagnostic = CHECK
            .diagnostic(format!("the property `{property}{path}` of `{name}` does not take this value: {why}"))
            .label(at, why)
            .help_if(suggestion);
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, parameter, resource, text};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Type, Value};

    const SCHEMA: &str = r#"{"props": {
        "text": {"t": "string", "c": [{"length": [1, 5]}]},
        "kind": {"t": "string", "c": [{"allowed": ["a", "b"]}]},
        "integer": {"t": "integer", "c": [{"range": [0, 9]}]},
        "number": {"t": "number"},
        "boolean": {"t": "boolean"},
        "any": {},
        "list": {"t": "list", "item": {"t": "integer"}},
        "policies": {"t": "list", "item": {"t": "string"}, "c": [{"allowed": ["x", "y"]}]},
        "open": {"t": "map"},
        "closed": {"t": "map", "keys": {"one": {"t": "string", "req": true}, "two": {"t": "integer"}}},
        "nested": {"t": "list", "item": {"t": "map", "keys": {"port": {"t": "string"}}}}
    }}"#;

    fn given(property: &str, value: impl Into<Expr>) -> Model {
        let sketch = Sketch::new().parameter("list", Type::List(Box::new(Type::STR))).parameter("number", Type::FLOAT);
        let sketch = sketch.parameter("text", Type::STR).parameter("flag", Type::BOOLEAN);
        let sketch = sketch.resource("net", "OS::Neutron::Net").resource("x", "X").schema("X", SCHEMA);
        let all = ["list", "number", "text", "flag"].map(|name| (name, parameter(name)));
        sketch.property("net", "all", map(all)).property("x", property, value).model
    }

    pub(in crate::check) fn failing() -> Model {
        given("nested", Expr::List(vec![map([("port", "a".into()), ("prot", resource("net"))])]))
    }

    #[test]
    fn what_heat_takes_is_taken() {
        let list = |items: &[&str]| Expr::from(items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        for (property, value) in [
            ("text", "abc".into()),
            ("text", 80.into()),
            ("text", true.into()),
            ("text", Value::Null.into()),
            ("kind", "a".into()),
            ("integer", "7".into()),
            ("integer", " +7 ".into()),
            ("integer", 1.5.into()),
            ("integer", true.into()),
            ("number", "1e3".into()),
            ("number", "7".into()),
            ("boolean", "True".into()),
            ("boolean", false.into()),
            ("any", list(&["a"])),
            ("list", list(&["1", "2"])),
            ("policies", list(&["x"])),
            ("open", map([("anything", 1.into())])),
            ("closed", map([("one", resource("net"))])),
            ("nested", Expr::List(vec![map([("port", resource("net"))])])),
            ("list", parameter("list")),
            ("integer", parameter("text")),
            ("text", parameter("number")),
            ("integer", text(["7".into()])),
            ("integer", parameter("flag")),
        ] {
            assert!(codes(&given(property, value.clone())).is_empty(), "{property}: {value:?}");
        }
    }

    #[test]
    fn what_heat_refuses_is_refused() {
        let list = |items: &[&str]| Expr::from(items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        for (property, value) in [
            ("text", "abcdef".into()),
            ("text", "".into()),
            ("text", 1.5.into()),
            ("text", list(&["a"])),
            ("kind", "c".into()),
            ("integer", "seven".into()),
            ("integer", "1.5".into()),
            ("integer", 10.into()),
            ("integer", "-1".into()),
            ("integer", list(&[])),
            ("number", "many".into()),
            ("boolean", 1.into()),
            ("boolean", "yes".into()),
            ("list", "a,b".into()),
            ("list", list(&["a"])),
            ("policies", list(&["x", "z"])),
            ("open", list(&["a"])),
            ("open", "a".into()),
            ("closed", map([("two", 2.into())])),
            ("closed", map([("one", "a".into()), ("two", "b".into())])),
            ("closed", map([("one", "a".into()), ("three", "b".into())])),
            ("nested", Expr::List(vec![map([("prot", resource("net"))])])),
            ("list", parameter("text")),
            ("open", parameter("flag")),
            ("text", parameter("list")),
            ("boolean", parameter("number")),
            ("list", resource("net")),
            ("open", text(["a".into()])),
            ("text", Expr::List(vec![resource("net")])),
            ("list", map([("a", resource("net"))])),
        ] {
            assert_eq!(codes(&given(property, value.clone())), ["W0402"], "{property}: {value:?}");
        }
    }

    #[test]
    fn a_parameter_counts_as_its_default() {
        let with = |ty: Type, default: Value, property: &str| {
            let sketch = Sketch::new().parameter("p", ty).resource("x", "X").schema("X", SCHEMA);
            let mut model = sketch.property("x", property, parameter("p")).model;
            model.parameters["p"].default = Some(default);
            model
        };
        for (ty, default, property) in
            [(Type::STR, "seven", "integer"), (Type::STR, "c", "kind"), (Type::STR, "abcdef", "text")]
        {
            let model = with(ty.clone(), default.into(), property);
            assert_eq!(codes(&model), ["W0402"], "{property}");
            assert!(check(&model, &Limits::default())[0].message.contains("with the default of the parameter `p`"));
            let mut secret = model;
            secret.parameters["p"].ty = crate::check::testing::secret(ty);
            assert!(!codes(&secret).contains(&"W0402"), "{property}");
        }
        assert_eq!(codes(&with(Type::FLOAT, 10.into(), "integer")), ["W0402"]);
        for (default, property) in [("7", "integer"), ("a", "kind"), ("", "any")] {
            assert!(codes(&with(Type::STR, default.into(), property)).is_empty(), "{property}");
        }
    }

    #[test]
    fn everything_wrong_in_one_value_is_reported() {
        let found = check(&given("closed", map([("two", "b".into()), ("tow", "b".into())])), &Limits::default());
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
