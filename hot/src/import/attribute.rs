//! The content of `#[parameter(...)]`: a parameter's default, its constraints and other keys.

use wattle_heat::template::{Constraint, Rule, float_as_python};
use wattle_heat::truth;
use wattle_heat::yaml::{Node, Tree};
use wattle_model::Scalar;

use super::rust::{WIDTH, quoted};
use super::valued::{as_written, float};

/// A number as Heat reads one.
pub(super) enum Number {
    Integer(i128),
    /// A number written in a base other than ten, and its Rust literal.
    Based(i128, String),
    Float(f64),
}

impl Number {
    pub(super) fn of(node: &Node) -> Option<Self> {
        match &*node.tree {
            Tree::Integer(value) => Some(match as_written(node) {
                Some(literal) => Self::Based(*value, literal),
                None => Self::Integer(*value),
            }),
            Tree::Float(value) => Some(Self::Float(*value)),
            Tree::Text { text, .. } => {
                let text = text.trim();
                text.parse().map(Self::Integer).ok().or_else(|| text.parse().map(Self::Float).ok())
            }
            _ => None,
        }
    }

    fn literal(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Based(_, literal) => literal.clone(),
            Self::Float(value) => float(*value),
        }
    }

    /// The number, if it is an integer.
    pub(super) fn whole(&self) -> Option<i128> {
        match self {
            Self::Integer(value) | Self::Based(value, _) => Some(*value),
            Self::Float(_) => None,
        }
    }
}

pub(super) fn bounds(rule: &Rule) -> Vec<&Node> {
    match rule {
        Rule::Range { min, max } => min.iter().chain(max).collect(),
        Rule::AllowedValues(values) => values.iter().collect(),
        _ => Vec::new(),
    }
}

/// A constant of the type, as an attribute contains it.
pub(super) fn literal(node: &Node, ty: &str) -> Option<String> {
    match (ty, &*node.tree) {
        ("String" | "hot::Json", Tree::Text { text, .. }) => Some(quoted(text)),
        ("Cidr", Tree::Text { text, .. }) => Scalar::Network.holds(text).then(|| quoted(text)),
        // Heat converts the number to text in this form.
        ("String", Tree::Integer(value)) => Some(quoted(&value.to_string())),
        ("String", Tree::Float(value)) => Some(quoted(&float_as_python(*value))),
        ("String", Tree::Boolean(value)) => Some(quoted(if *value { "True" } else { "False" })),
        ("bool", Tree::Boolean(value)) => Some(value.to_string()),
        ("bool", Tree::Text { text, .. }) => truth::of_parameter(text).map(|value| value.to_string()),
        ("bool", Tree::Integer(0)) => Some("false".into()),
        ("bool", Tree::Integer(1)) => Some("true".into()),
        ("f64", _) => Number::of(node).map(|number| match number {
            Number::Integer(value) | Number::Based(value, _) => format!("{value}.0"),
            Number::Float(value) => float(value),
        }),
        ("u8" | "u16" | "u32" | "i64" | "u64", _) => {
            let number = Number::of(node)?;
            let whole = number.whole()?;
            let fits = if ty == "u64" { u64::try_from(whole).is_ok() } else { i64::try_from(whole).is_ok() };
            fits.then(|| number.literal())
        }
        ("Vec<String>", Tree::Text { text, .. }) => {
            let items = text.split(',').map(quoted).collect::<Vec<_>>();
            Some(if text.is_empty() { "[]".into() } else { format!("[{}]", items.join(", ")) })
        }
        ("Vec<String>", Tree::List(items)) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, "String")).collect::<Option<_>>()?;
            Some(format!("[{}]", items.join(", ")))
        }
        ("hot::Json", _) => Some(quoted(&node.constant().to_string())),
        _ => None,
    }
}

/// The keys of `#[parameter(...)]`.
#[derive(Default)]
pub(super) struct Keys {
    keys: Vec<(&'static str, String)>,
    /// Constraints for which there is no key.
    pub(super) constraints: Vec<String>,
}

impl Keys {
    pub(super) fn push(&mut self, key: &'static str, value: String) {
        self.keys.push((key, value));
    }

    pub(super) fn flag(&mut self, key: &'static str) {
        self.keys.push((key, String::new()));
    }

    pub(super) fn constraint(&mut self, constraint: &Constraint, ty: &str) {
        if constraint.description.is_none()
            && let Some(keys) = by_keys(&constraint.rule, ty)
            && self.constraints.is_empty()
            && keys.iter().all(|(key, _)| !self.keys.iter().any(|(known, _)| rule(known) == rule(key)))
        {
            self.keys.extend(keys);
            return;
        }
        let mut text = by_value(&constraint.rule);
        if let Some(description) = &constraint.description {
            text += &format!(".described({})", quoted(description));
        }
        self.constraints.push(text);
    }

    pub(super) fn attribute(&self) -> String {
        if self.keys.is_empty() {
            return String::new();
        }
        let keys: Vec<String> = self
            .keys
            .iter()
            .map(|(key, value)| if value.is_empty() { (*key).to_owned() } else { format!("{key} = {value}") })
            .collect();
        let line = keys.join(", ");
        // Above this width, rustfmt puts each key on its own line.
        let is_narrow = keys.len() == 1 || line.chars().count() <= 70;
        if is_narrow && line.chars().count() + 19 <= WIDTH {
            format!("    #[parameter({line})]\n")
        } else {
            let lines = keys.join(",\n        ");
            format!("    #[parameter(\n        {lines}\n    )]\n")
        }
    }
}

/// The rule that a key belongs to.
fn rule(key: &str) -> &str {
    match key {
        "min" | "max" => "range",
        "min_length" | "max_length" => "length",
        other => other,
    }
}

/// A rule as keys, if keys can express it for a parameter of the type.
fn by_keys(rule: &Rule, ty: &str) -> Option<Vec<(&'static str, String)>> {
    let is_number = matches!(ty, "u8" | "u16" | "u32" | "i64" | "u64" | "f64");
    let is_text = matches!(ty, "String" | "Secret<String>" | "Cidr");
    let bounds = |names: [&'static str; 2], min: &Option<Node>, max: &Option<Node>, whole: bool| {
        let mut keys = Vec::new();
        for (name, node) in names.into_iter().zip([min, max]) {
            if let Some(node) = node {
                let number = Number::of(node)?;
                if whole && number.whole().is_none_or(|length| u32::try_from(length).is_err()) {
                    return None;
                }
                keys.push((name, number.literal()));
            }
        }
        (!keys.is_empty()).then_some(keys)
    };
    match rule {
        Rule::Range { min, max } if is_number => bounds(["min", "max"], min, max, false),
        Rule::Length { min, max } if is_text || ty == "Vec<String>" => {
            bounds(["min_length", "max_length"], min, max, true)
        }
        Rule::AllowedPattern(pattern) if is_text => Some(vec![("pattern", quoted(pattern))]),
        Rule::Custom(name) => Some(vec![("constraint", quoted(name))]),
        Rule::AllowedValues(values) if !values.is_empty() && (is_number || is_text || ty == "bool") => {
            let same = |node: &Node| {
                matches!((ty, &*node.tree), ("String" | "Cidr", Tree::Text { .. }) | ("bool", Tree::Boolean(_)))
                    || is_number && matches!(&*node.tree, Tree::Integer(_) | Tree::Float(_))
            };
            let values: Vec<String> =
                values.iter().map(|value| literal(value, ty).filter(|_| same(value))).collect::<Option<_>>()?;
            Some(vec![("allowed", format!("[{}]", values.join(", ")))])
        }
        _ => None,
    }
}

/// A rule as a constraint value of the model.
fn by_value(rule: &Rule) -> String {
    let number = |node: &Option<Node>, whole: bool| match node.as_ref().and_then(Number::of) {
        None => "None".to_owned(),
        Some(number @ (Number::Integer(_) | Number::Based(..))) if whole => format!("Some({})", number.literal()),
        Some(Number::Integer(value) | Number::Based(value, _)) => format!("Some({value}.0)"),
        Some(Number::Float(value)) => format!("Some({})", float(value)),
    };
    let plain = |node: &Option<Node>| match node.as_ref().and_then(Number::of) {
        None => "0.0".to_owned(),
        Some(Number::Integer(value) | Number::Based(value, _)) => format!("{value}.0"),
        Some(Number::Float(value)) => float(value),
    };
    match rule {
        Rule::Range { min, max } => {
            format!("Constraint::Range {{ min: {}, max: {} }}", number(min, false), number(max, false))
        }
        Rule::Length { min, max } => {
            format!("Constraint::Length {{ min: {}, max: {} }}", number(min, true), number(max, true))
        }
        Rule::Modulo { step, offset } => {
            format!("Constraint::Modulo {{ step: {}, offset: {} }}", plain(step), plain(offset))
        }
        Rule::AllowedPattern(pattern) => format!("Constraint::AllowedPattern({}.into())", quoted(pattern)),
        Rule::Custom(name) => format!("Constraint::CustomConstraint({}.into())", quoted(name)),
        Rule::AllowedValues(values) => {
            let values: Vec<String> = values.iter().map(expression).collect();
            format!("Constraint::AllowedValues(vec![{}])", values.join(", "))
        }
    }
}

/// A constant as a model value.
fn expression(node: &Node) -> String {
    match &*node.tree {
        Tree::Text { text, .. } => format!("{}.into()", quoted(text)),
        Tree::Boolean(value) => format!("{value}.into()"),
        Tree::Integer(value) if i64::try_from(*value).is_ok() => format!("{value}_i64.into()"),
        Tree::Integer(value) if u64::try_from(*value).is_ok() => format!("{value}_u64.into()"),
        Tree::Integer(value) => format!("wattle::model::Value::Integer({value})"),
        Tree::Float(value) => format!("{}.into()", float(*value)),
        Tree::Null => "wattle::model::Value::Null".into(),
        Tree::List(items) => {
            let items: Vec<String> = items.iter().map(expression).collect();
            format!("wattle::model::Value::List(vec![{}])", items.join(", "))
        }
        Tree::Map(_) => format!("hot::Json::of({})", quoted(&node.constant().to_string())),
    }
}
