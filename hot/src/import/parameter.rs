//! Parameters: a struct with a field for each.

use wattle::model::Value;
use wattle_catalog_generate::plan::Type;

use crate::template::{Call, Constraint, Context, Function, Kind, Parameter, Rule, Step, float_as_python, walk};
use crate::yaml::{Node, Tree};

use super::blueprint::Blueprint;
use super::names::{Names, snake};
use super::rust::{WIDTH, quoted};
use super::value::{entries, float};

impl<'a> Blueprint<'a> {
    /// Names and types all parameters.
    pub(super) fn declare_parameters(&mut self) {
        let mut fields = Names::default();
        for (name, parameter) in &self.template.parameters {
            let field = fields.fresh(snake(name));
            let ty = self.parameter_type(name, parameter);
            self.parameters.insert(name, (field, ty));
        }
    }

    /// `#[derive(Parameters)] struct Settings`, if there are any.
    pub(super) fn settings(&mut self) -> String {
        let template = self.template;
        if template.parameters.is_empty() {
            return String::new();
        }
        let fields: String = template.parameters.iter().map(|(name, parameter)| self.field(name, parameter)).collect();
        format!("/// Chosen when the stack is deployed.\n#[derive(Parameters)]\npub struct Settings {{\n{fields}}}\n\n")
    }

    fn parameter_type(&self, name: &str, parameter: &Parameter) -> &'static str {
        let uses = Uses::of(self, name);
        match parameter.kind {
            None | Some(Kind::String) => {
                let is_secret = parameter.hidden && parameter.default.is_none() && uses.is_only("SecretText");
                if is_secret && parameter.constraints.is_empty() { "Secret<String>" } else { "String" }
            }
            Some(Kind::Boolean) => "bool",
            Some(Kind::List) => "Vec<String>",
            Some(Kind::Json) => "hot::Json",
            Some(Kind::Number) => {
                let numbers =
                    parameter.default.iter().chain(parameter.constraints.iter().flat_map(|one| bounds(&one.rule)));
                let numbers: Vec<Number> = numbers.filter_map(Number::of).collect();
                if numbers.iter().any(|number| matches!(number, Number::Float(_))) {
                    return "f64";
                }
                let fits = |least: i128, greatest: i128| {
                    numbers
                        .iter()
                        .all(|number| matches!(number, Number::Integer(one) if (least..=greatest).contains(one)))
                };
                match uses.only() {
                    Some("u8") if fits(0, 255) => "u8",
                    Some("u16") if fits(0, 65_535) => "u16",
                    Some("u32") if fits(0, i128::from(u32::MAX)) => "u32",
                    _ => "i64",
                }
            }
        }
    }

    fn field(&mut self, name: &str, parameter: &'a Parameter) -> String {
        let (field, ty) = self.parameters[name].clone();
        let mut keys = Keys::default();
        if field != name {
            keys.push("name", quoted(name));
        }
        if let Some(label) = &parameter.label {
            keys.push("label", quoted(label));
        }
        if let Some(default) = &parameter.default {
            match literal(default, ty) {
                Some(default) => keys.push("default", default),
                None => self.note_default(name, default),
            }
        }
        for constraint in &parameter.constraints {
            keys.constraint(constraint, ty);
        }
        if !keys.constraints.is_empty() {
            self.uses.constraint = true;
            keys.push("constraints", format!("[{}]", keys.constraints.join(", ")));
        }
        if parameter.hidden && ty != "Secret<String>" {
            keys.flag("hidden");
        }
        if parameter.immutable {
            keys.flag("immutable");
        }
        if !parameter.tags.is_empty() {
            let tags: Vec<String> = parameter.tags.iter().map(|tag| quoted(tag)).collect();
            keys.push("tags", format!("[{}]", tags.join(", ")));
        }
        let doc = doc(parameter.description.as_deref().unwrap_or_default(), 4);
        let is_read = reads(&self.body, &field);
        let unread = if is_read { "" } else { UNREAD };
        format!("{doc}{}{unread}    {field}: Parameter<{ty}>,\n", keys.attribute())
    }

    fn note_default(&mut self, name: &str, node: &Node) {
        let text = format!("the default of the parameter `{name}` is none of its type, and is left out");
        self.notes.push((None, self.at(node), text));
    }
}

/// What stands on a parameter that nothing reads.
const UNREAD: &str = "    #[expect(dead_code, reason = \"the template declares it and uses it nowhere\")]\n";

/// Whether `p.FIELD` stands in the text.
fn reads(text: &str, field: &str) -> bool {
    let name = format!("p.{field}");
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        !is_word(before) && !is_word(after)
    })
}

/// How a parameter is used.
struct Uses {
    /// The types of the setters that take it as it is.
    types: Vec<&'static str>,
    /// Whether it is used otherwise as well.
    otherwise: bool,
}

impl Uses {
    fn of(blueprint: &Blueprint<'_>, parameter: &str) -> Self {
        let mut uses = Self { types: Vec::new(), otherwise: false };
        let template = blueprint.template;
        let is_it = |node: &Node| {
            Call::of(node, template.version()).is_some_and(|call| {
                call.function == Function::GetParam && call.argument.tree.as_text() == Some(parameter)
            })
        };
        let mut count = 0;
        for resource in template.resources.values() {
            let known = resource.kind().and_then(|ty| blueprint.catalog.get(ty));
            if let (Some(known), Some(Tree::Map(pairs))) = (known, resource.properties.as_ref().map(|node| &*node.tree))
            {
                for (key, _) in entries(pairs).iter().filter(|(_, value)| is_it(value)) {
                    if let Some(Type::Named(ty)) = known.field(key).map(|field| &field.ty) {
                        uses.types.push(ty);
                    }
                }
            }
        }
        let sections = ["resources", "outputs", "conditions"];
        for section in sections.iter().filter_map(|section| template.root.get(section)) {
            for context in [Context::Value, Context::Condition] {
                let mut here = 0;
                walk(section, template.version(), context, &mut |_, call, _| {
                    if call.is_some_and(|call| {
                        let name = call.arguments().and_then(|path| path.first()).unwrap_or(call.argument);
                        matches!(call.function, Function::GetParam | Function::Ref)
                            && name.tree.as_text() == Some(parameter)
                    }) {
                        here += 1;
                    }
                    Step::Into
                });
                count = count.max(here);
            }
        }
        uses.otherwise = count > uses.types.len();
        uses
    }

    /// The one type that all setters take, if there is one.
    fn only(&self) -> Option<&'static str> {
        let first = self.types.first()?;
        self.types.iter().all(|ty| ty == first).then_some(first)
    }

    fn is_only(&self, ty: &str) -> bool {
        !self.otherwise && self.only() == Some(ty)
    }
}

/// A number as Heat reads one.
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn of(node: &Node) -> Option<Self> {
        match &*node.tree {
            Tree::Integer(value) => Some(Self::Integer(*value)),
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
            Self::Float(value) => float(*value),
        }
    }
}

fn bounds(rule: &Rule) -> Vec<&Node> {
    match rule {
        Rule::Range { min, max } => min.iter().chain(max).collect(),
        Rule::AllowedValues(values) => values.iter().collect(),
        _ => Vec::new(),
    }
}

/// A constant of the type, as an attribute has it.
fn literal(node: &Node, ty: &str) -> Option<String> {
    match (ty, &*node.tree) {
        ("String" | "hot::Json", Tree::Text { text, .. }) => Some(quoted(text)),
        // As Heat writes it where text is needed.
        ("String", Tree::Integer(value)) => Some(quoted(&value.to_string())),
        ("String", Tree::Float(value)) => Some(quoted(&float_as_python(*value))),
        ("String", Tree::Boolean(value)) => Some(quoted(if *value { "True" } else { "False" })),
        ("bool", Tree::Boolean(value)) => Some(value.to_string()),
        ("bool", Tree::Text { text, .. }) => match text.trim().to_ascii_lowercase().as_str() {
            "t" | "true" | "on" | "y" | "yes" | "1" => Some("true".into()),
            "f" | "false" | "off" | "n" | "no" | "0" => Some("false".into()),
            _ => None,
        },
        ("bool", Tree::Integer(0)) => Some("false".into()),
        ("bool", Tree::Integer(1)) => Some("true".into()),
        ("f64", _) => Number::of(node).map(|number| match number {
            Number::Integer(value) => format!("{value}.0"),
            Number::Float(value) => float(value),
        }),
        ("u8" | "u16" | "u32" | "i64", _) => match Number::of(node)? {
            Number::Integer(value) if i64::try_from(value).is_ok() => Some(value.to_string()),
            _ => None,
        },
        ("Vec<String>", Tree::Text { text, .. }) => {
            let items = text.split(',').map(quoted).collect::<Vec<_>>();
            Some(if text.is_empty() { "[]".into() } else { format!("[{}]", items.join(", ")) })
        }
        ("Vec<String>", Tree::List(items)) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, "String")).collect::<Option<_>>()?;
            Some(format!("[{}]", items.join(", ")))
        }
        ("hot::Json", _) => Some(quoted(&data(node).to_string())),
        _ => None,
    }
}

/// A constant as data.
fn data(node: &Node) -> Value {
    match &*node.tree {
        Tree::Null => Value::Null,
        Tree::Boolean(value) => Value::Boolean(*value),
        Tree::Integer(value) => Value::Integer(*value),
        Tree::Float(value) => Value::Float(*value),
        Tree::Text { text, .. } => Value::Str(text.as_str().into()),
        Tree::List(items) => Value::List(items.iter().map(data).collect()),
        Tree::Map(pairs) => {
            Value::Map(entries(pairs).into_iter().map(|(key, value)| (key.into(), data(value))).collect())
        }
    }
}

/// The keys of `#[parameter(...)]`.
#[derive(Default)]
struct Keys {
    keys: Vec<(&'static str, String)>,
    /// What no key says.
    constraints: Vec<String>,
}

impl Keys {
    fn push(&mut self, key: &'static str, value: String) {
        self.keys.push((key, value));
    }

    fn flag(&mut self, key: &'static str) {
        self.keys.push((key, String::new()));
    }

    fn constraint(&mut self, constraint: &Constraint, ty: &str) {
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

    fn attribute(&self) -> String {
        if self.keys.is_empty() {
            return String::new();
        }
        let keys: Vec<String> = self
            .keys
            .iter()
            .map(|(key, value)| if value.is_empty() { (*key).to_owned() } else { format!("{key} = {value}") })
            .collect();
        let line = keys.join(", ");
        // Above this width, rustfmt puts each on a line of its own.
        let is_narrow = keys.len() == 1 || line.chars().count() <= 70;
        if is_narrow && line.chars().count() + 19 <= WIDTH {
            format!("    #[parameter({line})]\n")
        } else {
            let lines = keys.join(",\n        ");
            format!("    #[parameter(\n        {lines}\n    )]\n")
        }
    }
}

/// The rule that a key is of.
fn rule(key: &str) -> &str {
    match key {
        "min" | "max" => "range",
        "min_length" | "max_length" => "length",
        other => other,
    }
}

/// A rule as keys, if keys say it of a parameter of the type.
fn by_keys(rule: &Rule, ty: &str) -> Option<Vec<(&'static str, String)>> {
    let is_number = matches!(ty, "u8" | "u16" | "u32" | "i64" | "f64");
    let is_text = matches!(ty, "String" | "Secret<String>");
    let bounds = |names: [&'static str; 2], min: &Option<Node>, max: &Option<Node>, whole: bool| {
        let mut keys = Vec::new();
        for (name, node) in names.into_iter().zip([min, max]) {
            if let Some(node) = node {
                let number = Number::of(node)?;
                if whole && !matches!(number, Number::Integer(length) if u32::try_from(length).is_ok()) {
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
                matches!((ty, &*node.tree), ("String", Tree::Text { .. }) | ("bool", Tree::Boolean(_)))
                    || is_number && matches!(&*node.tree, Tree::Integer(_) | Tree::Float(_))
            };
            let values: Vec<String> =
                values.iter().map(|value| literal(value, ty).filter(|_| same(value))).collect::<Option<_>>()?;
            Some(vec![("allowed", format!("[{}]", values.join(", ")))])
        }
        _ => None,
    }
}

/// A rule as a constraint of the model.
fn by_value(rule: &Rule) -> String {
    let number = |node: &Option<Node>, whole: bool| match node.as_ref().and_then(Number::of) {
        None => "None".to_owned(),
        Some(Number::Integer(value)) if whole => format!("Some({value})"),
        Some(Number::Integer(value)) => format!("Some({value}.0)"),
        Some(Number::Float(value)) => format!("Some({})", float(value)),
    };
    let plain = |node: &Option<Node>| match node.as_ref().and_then(Number::of) {
        None => "0.0".to_owned(),
        Some(Number::Integer(value)) => format!("{value}.0"),
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
            let values: Vec<String> = values.iter().map(constant).collect();
            format!("Constraint::AllowedValues(vec![{}])", values.join(", "))
        }
    }
}

/// A constant of the model.
fn constant(node: &Node) -> String {
    match &*node.tree {
        Tree::Text { text, .. } => format!("{}.into()", quoted(text)),
        Tree::Boolean(value) => format!("{value}.into()"),
        Tree::Integer(value) if i64::try_from(*value).is_ok() => format!("{value}_i64.into()"),
        Tree::Integer(value) => format!("{value}_u64.into()"),
        Tree::Float(value) => format!("{}.into()", float(*value)),
        Tree::Null => "wattle::model::Value::Null".into(),
        Tree::List(items) => {
            let items: Vec<String> = items.iter().map(constant).collect();
            format!("wattle::model::Value::List(vec![{}])", items.join(", "))
        }
        Tree::Map(_) => format!("hot::Json::of({})", quoted(&data(node).to_string())),
    }
}

/// Documentation of an item: paragraphs, wrapped.
pub(super) fn doc(text: &str, indent: usize) -> String {
    let start = format!("{}///", " ".repeat(indent));
    let mut out = String::new();
    for line in text.trim().lines() {
        let line = line.trim().replace('\t', " ");
        if line.is_empty() {
            out += &format!("{start}\n");
            continue;
        }
        // What Markdown takes for a list or a quote goes on only in its own way.
        let is_plain = line.starts_with(|first: char| first.is_alphabetic());
        let mut row = String::new();
        for word in line.split_whitespace() {
            let is_full = start.len() + 1 + row.chars().count() + 1 + word.chars().count() > WIDTH;
            if is_plain && !row.is_empty() && is_full && word.starts_with(|first: char| first.is_alphabetic()) {
                out += &format!("{start} {row}\n");
                row.clear();
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row += word;
        }
        out += &format!("{start} {row}\n");
    }
    out
}
