//! Serialises values and constraints whose form in HOT differs from that in memory.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Hot;
use crate::model::{Constraint, IndexMap, Name, Value};

impl Serialize for Hot {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(to),
            Self::List(items) => to.collect_seq(items),
            Self::Map(items) => map(items, to),
            Self::GetParam { parameter, path } if path.is_empty() => function(to, "get_param", parameter),
            Self::GetParam { parameter, path } => function(to, "get_param", &Call { first: &[parameter], rest: path }),
            Self::GetResource(name) => function(to, "get_resource", name),
            Self::GetAttr { resource, attribute, path } => {
                function(to, "get_attr", &Call { first: &[resource, attribute], rest: path })
            }
            Self::Join(items) => function(to, "list_join", &("", items)),
            Self::StrReplace { template, params } => function(to, "str_replace", &StrReplace { template, params }),
            Self::Function(name, argument) => function(to, name, argument),
        }
    }
}

fn function<S: Serializer>(to: S, name: &str, arguments: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(name, arguments)?;
    map.end()
}

struct Call<'a> {
    first: &'a [&'a Name],
    rest: &'a [Hot],
}

impl Serialize for Call<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(untagged)]
        enum Argument<'a> {
            Name(&'a Name),
            Value(&'a Hot),
        }
        let first = self.first.iter().map(|name| Argument::Name(name));
        to.collect_seq(first.chain(self.rest.iter().map(Argument::Value)))
    }
}

#[derive(serde::Serialize)]
struct StrReplace<'a> {
    template: &'a Hot,
    #[serde(serialize_with = "map")]
    params: &'a [(Name, Hot)],
}

/// Serialises pairs as a map. For maps with few keys, pairs take less time and space than a hash map.
pub(super) fn map<S: Serializer>(pairs: impl AsRef<[(Name, Hot)]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.as_ref().iter().map(|(name, value)| (name, value)))
}

pub(super) fn constraints<S: Serializer>(constraints: &[Constraint], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(constraints.iter().map(HotConstraint))
}

/// A constraint as HOT writes it, with whole numbers written without a fraction.
struct HotConstraint<'a>(&'a Constraint);

impl Serialize for HotConstraint<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        rule(&mut map, self.0.bare())?;
        if let Constraint::Described { description, .. } = self.0 {
            map.serialize_entry("description", description)?;
        }
        map.end()
    }
}

fn rule<M: SerializeMap>(map: &mut M, constraint: &Constraint) -> Result<(), M::Error> {
    let given = |values: [(&'static str, Option<Value>); 2]| -> IndexMap<&str, Value> {
        values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    };
    match constraint {
        Constraint::CustomConstraint(name) => map.serialize_entry("custom_constraint", name),
        Constraint::Range { min, max } => {
            map.serialize_entry("range", &given([("min", min.map(number)), ("max", max.map(number))]))
        }
        Constraint::Length { min, max } => {
            map.serialize_entry("length", &given([("min", min.map(Value::from)), ("max", max.map(Value::from))]))
        }
        Constraint::AllowedPattern(pattern) => map.serialize_entry("allowed_pattern", pattern),
        Constraint::AllowedValues(values) => map.serialize_entry("allowed_values", values),
        Constraint::Modulo { step, offset } => {
            map.serialize_entry("modulo", &given([("step", Some(number(*step))), ("offset", Some(number(*offset)))]))
        }
        Constraint::Described { constraint, .. } => rule(map, constraint.bare()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the value is whole and within 2^53")]
fn number(number: f64) -> Value {
    match number {
        whole if whole.fract() == 0.0 && whole.abs() < 9e15 => Value::Integer(i128::from(whole as i64)),
        other => Value::Float(other),
    }
}
