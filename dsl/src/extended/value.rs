//! Values and types in the terms of the file.

use crate::lower::hot::Hot;
use crate::lower::resolve::{Late, for_heat, for_heat_with};
use crate::lower::template::is_known_to_heat;
use crate::model::{Export, Expr, Model, Name, Reference, Resource, Scalar, Type, Value};
use wattle_heat::template::Function;

use super::{FORWARD_REFERENCES, IMPORTS, MODEL, PAIRS, Writer, names, text};

/// Whether Heat would mistake a map of these pairs for a call.
pub(super) fn looks_like_call<V>(pairs: &[(Name, V)]) -> bool {
    matches!(pairs, [(name, _)] if Function::of(name).is_some())
}

/// Whether a value refers to something that stock Heat does not know, or that must not make one resource wait for another:
/// outputs of components, forward references, exports of other stacks, and servers.
pub fn is_run_time(model: &Model, value: &Expr) -> bool {
    value.references().any(|reference| match reference {
        Reference::Output { .. } | Reference::ForwardReference(_) | Reference::Import { .. } => true,
        Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
            model.resources.get(name).is_some_and(Resource::is_server)
        }
        Reference::Parameter(_) | Reference::Foreign { .. } => false,
    })
}

impl Late for Writer<'_> {
    fn value(&self, reference: &Reference) -> Hot {
        let attribute = |resource: &str, attribute: &str, path: &[&Name]| Hot::GetAttr {
            resource: resource.into(),
            attribute: attribute.into(),
            path: path.iter().map(text).collect(),
        };
        match reference {
            Reference::Output { component, output } => match self.model.components.get(component) {
                Some(known) => attribute(&known.server, &known.name, &[output]),
                None => Hot::Value(Value::Null),
            },
            Reference::ForwardReference(name) => attribute(MODEL, FORWARD_REFERENCES, &[name]),
            Reference::Import { stack, export } => attribute(MODEL, IMPORTS, &[stack, export]),
            // A sound model contains no others.
            _ => Hot::Value(Value::Null),
        }
    }

    fn text(&self, expr: &Expr) -> Hot {
        for_heat_with(expr, self)
    }
}

impl Writer<'_> {
    /// The value of an input or a forward reference.
    pub(super) fn value_of(&self, expr: &Expr) -> Hot {
        let value = listed(for_heat_with(expr, self));
        if is_run_time(self.model, expr) { self.guarded(value) } else { value }
    }

    /// The value of an export. Heat shows it if it can, unless it is secret.
    pub(super) fn export(&self, export: &Export) -> Hot {
        if !export.ty.is_secret() && is_known_to_heat(&export.value) {
            for_heat(&export.value)
        } else {
            self.guarded(listed(for_heat_with(&export.value, self)))
        }
    }

    fn guarded(&self, value: Hot) -> Hot {
        let branches = vec![text(&self.run_time), value, Hot::Value(Value::Null)];
        Hot::Function("if".into(), Box::new(Hot::List(branches)))
    }
}

/// A constant.
pub(super) fn constant(value: &Value) -> Hot {
    listed(Hot::Value(value.clone()))
}

/// The value, with every map that Heat would mistake for a call replaced by a list of its pairs.
fn listed(value: Hot) -> Hot {
    let all = |items: Vec<Hot>| items.into_iter().map(listed).collect();
    let each = |pairs: Vec<(Name, Hot)>| pairs.into_iter().map(|(name, value)| (name, listed(value))).collect();
    match value {
        Hot::Value(Value::Map(items)) if !items.is_empty() => {
            listed(Hot::Map(items.into_iter().map(|(name, value)| (name, Hot::Value(value))).collect()))
        }
        Hot::Value(Value::List(items)) if !items.is_empty() => {
            Hot::List(items.into_iter().map(|value| listed(Hot::Value(value))).collect())
        }
        Hot::List(items) => Hot::List(all(items)),
        Hot::Map(pairs) if looks_like_call(&pairs) || matches!(pairs.as_slice(), [(name, _)] if **name == *PAIRS) => {
            let pair = |(name, value): (Name, Hot)| Hot::List(vec![text(name), listed(value)]);
            Hot::Map(vec![(PAIRS.into(), Hot::List(pairs.into_iter().map(pair).collect()))])
        }
        Hot::Map(pairs) => Hot::Map(each(pairs)),
        Hot::StrReplace { template, params } => Hot::StrReplace { template, params: each(params) },
        Hot::Function(name, argument) => Hot::Function(name, Box::new(listed(*argument))),
        other => other,
    }
}

/// A type.
pub(super) fn ty(ty: &Type) -> Hot {
    let of = |name: &str, inner: Hot| Hot::Map(vec![(name.into(), inner)]);
    match ty {
        &Type::Scalar(Scalar::Integer { min, max }) if (min, max) != (i64::MIN, u64::MAX) => {
            let bounds = [("min", Value::from(min)), ("max", Value::from(max))];
            of("integer", Hot::Map(bounds.map(|(name, bound)| (name.into(), Hot::Value(bound))).into()))
        }
        Type::Scalar(scalar) => text(scalar.word()),
        Type::Any => text("any"),
        Type::List(item) => of("list", self::ty(item)),
        Type::Map(item) => of("map", self::ty(item)),
        Type::Struct(fields) => of("struct", names(fields.iter().map(|(name, field)| (name.clone(), self::ty(field))))),
        Type::Hidden(inner) => of("secret", self::ty(inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_call_is_listed() {
        let json = |value: &Hot| serde_json::to_string(value).expect("JSON");
        let value: Value = serde_json::from_str(r#"{"a": [{"get_param": {"if": 1}}], "digest": {}}"#).expect("JSON");
        assert_eq!(
            json(&listed(Hot::Value(value))),
            r#"{"a":[{"wattle_map":[["get_param",{"wattle_map":[["if",1]]}]]}],"digest":{}}"#
        );
        let own: Value = serde_json::from_str(r#"{"wattle_map": []}"#).expect("JSON");
        assert_eq!(json(&listed(Hot::Value(own))), r#"{"wattle_map":[["wattle_map",[]]]}"#);
        assert_eq!(json(&names([("filter".into(), text("x"))])), r#"{"filter":"x","wattle":null}"#);
        let call = Hot::Function("digest".into(), Box::new(Hot::List(vec![text("md5"), text("x")])));
        assert_eq!(json(&listed(call)), r#"{"digest":["md5","x"]}"#);
    }
}
