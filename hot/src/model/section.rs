//! The sections of plain HOT.

use wattle::extended::{self, KEY, MODEL, MODEL_TYPE};
use wattle::model::{
    Binding, Condition, Constraint, Expr, Name, Order, Parameter, ParameterGroup, ParameterType, Resource, Value,
};
use wattle_model::IndexMap;

use super::{Reader, pairs, words};
use crate::codes::FORM;
use wattle_heat::evaluate;
use wattle_heat::parameters::read;
use wattle_heat::template::{self, Rule};
use wattle_heat::yaml::{Node, Pair, Tree};

impl Reader<'_> {
    /// Reads the parameters, with their types from `wattle_model`.
    pub(super) fn parameters(&mut self) {
        let types: IndexMap<String, Node> = match self.stack.and_then(|stack| stack.get("parameters")) {
            Some(types) => pairs(types).map(|(name, _, ty)| (name, ty.clone())).collect(),
            None => IndexMap::default(),
        };
        for (name, known) in &self.template.parameters {
            let heat_type = known.kind.unwrap_or(ParameterType::Str);
            let said = types.get(name).and_then(|ty| self.ty(ty));
            let ty = said.unwrap_or_else(|| extended::parameter_type(heat_type, known.hidden));
            let mut parameter = Parameter::new(ty, self.at(known.name_span));
            parameter.heat_type = heat_type;
            parameter.hidden = known.hidden && !parameter.ty.is_secret();
            parameter.label = known.label.clone().unwrap_or_default();
            parameter.description = known.description.clone().unwrap_or_default();
            parameter.default = known.default.as_ref().map(|default| {
                let default = default.constant();
                if self.written.is_empty() { default } else { fitting(heat_type, default) }
            });
            parameter.constraints = known.constraints.iter().filter_map(constraint).collect();
            parameter.immutable = known.immutable;
            parameter.tags = known.tags.iter().map(|tag| Name::from(tag.as_str())).collect();
            self.model.parameters.insert(name.as_str().into(), parameter);
        }
        for (name, ty) in types {
            if !self.template.parameters.contains_key(&name) {
                self.damaged(
                    ty.span,
                    format!("`wattle_model` has a type for `{name}`, which is not a parameter"),
                    "its type",
                );
            }
        }
    }

    /// Reads the description, groups, conditions and resources.
    pub(super) fn sections(&mut self) {
        let template = self.template;
        self.model.description = template.description.as_ref().map(Node::as_key).unwrap_or_default();
        for group in &template.parameter_groups {
            let names = group.parameters.iter().map(|(name, _)| Name::from(name.as_str())).collect();
            let mut known = ParameterGroup::new(names, self.at(group.node.span));
            known.label = group.label.clone().unwrap_or_default();
            known.description = group.description.clone().unwrap_or_default();
            self.model.parameter_groups.push(known);
        }
        for (name, condition) in &template.conditions {
            if super::is_extended(template) && self.is_run_time(name) {
                continue;
            }
            let known = Condition::new(self.condition(&condition.node), self.at(condition.name_span));
            self.model.conditions.insert(name.as_str().into(), known);
        }
        for (name, resource) in &template.resources {
            if name != MODEL || resource.kind() != Some(MODEL_TYPE) {
                self.resource(name, resource);
            }
        }
    }

    fn resource(&mut self, name: &str, written: &template::Resource) {
        let ty = written.ty.as_ref().map(words).unwrap_or_default();
        let mut resource = Resource::new(ty, self.at(written.name_span));
        if self.unordered.contains(name) {
            resource.order = Order::Dataflow;
        }
        resource.description = written.description.as_ref().map(Node::as_key).unwrap_or_default();
        resource.depends_on = written.depends_on().map(|(name, _)| Name::from(name)).collect();
        resource.condition = written.condition.as_ref().map(|node| Box::new(self.condition(node)));
        resource.metadata = written.metadata.as_ref().and_then(|node| self.metadata(node)).map(Box::new);
        let setting = |node: &Option<Node>| {
            let node = node.as_ref().filter(|node| !matches!(*node.tree, Tree::Null));
            node.map(|node| Box::new(self.value(node)))
        };
        resource.deletion_policy = setting(&written.deletion_policy);
        resource.update_policy = setting(&written.update_policy);
        resource.external_id = setting(&written.external_id);
        if let Some(properties) = &written.properties {
            resource.properties = self.properties(name, properties);
        }
        self.model.resources.insert(name.into(), resource);
    }

    fn properties(&mut self, resource: &str, properties: &Node) -> IndexMap<Name, Binding> {
        if self.template.call(properties).is_some() {
            let diagnostic = FORM
                .diagnostic(format!("the properties of `{resource}` are computed as a whole"))
                .label(&self.at(properties.span), "a function in place of properties")
                .help("write the properties by name, and compute the value of each");
            self.push(diagnostic);
            return IndexMap::default();
        }
        let Tree::Map(pairs) = &*properties.tree else { return IndexMap::default() };
        let binding =
            |pair: &Pair| (words(&pair.key), Binding { value: self.value(&pair.value), at: self.at(pair.value.span) });
        pairs.iter().map(binding).collect()
    }

    /// The author's own metadata, without wattle's.
    fn metadata(&self, node: &Node) -> Option<Expr> {
        let ours = node.get(KEY);
        if let Some(whole) = ours.and_then(|ours| ours.get("metadata")) {
            return Some(self.value(whole));
        }
        match (&*node.tree, ours) {
            (Tree::Null, _) => None,
            (Tree::Map(pairs), Some(_)) => {
                let own = pairs.iter().filter(|pair| pair.key.tree.as_text() != Some(KEY));
                let own: Vec<_> = own.map(|pair| (words(&pair.key), self.value(&pair.value))).collect();
                (!own.is_empty()).then(|| Expr::map(own))
            }
            _ => Some(self.value(node)),
        }
    }
}

/// Converts a default to its parameter's type, if Heat would convert it.
fn fitting(ty: ParameterType, default: Value) -> Value {
    let is_converted = ty != ParameterType::Str && matches!(default, Value::Str(_));
    let read = is_converted.then(|| read(ty, &evaluate::Value::of_model(&default)).ok()).flatten();
    read.map_or(default, |value| value.to_model())
}

fn constraint(written: &template::Constraint) -> Option<Constraint> {
    let number = |node: &Option<Node>| node.as_ref().and_then(|node| wattle_heat::schema::number(&node.constant()));
    let length = |node: &Option<Node>| match node.as_ref().map(Node::constant) {
        Some(Value::Integer(length)) => u32::try_from(length).ok(),
        Some(Value::Str(text)) => text.parse().ok(),
        _ => None,
    };
    let constraint = match &written.rule {
        Rule::Range { min, max } => Constraint::Range { min: number(min), max: number(max) },
        Rule::Length { min, max } => Constraint::Length { min: length(min), max: length(max) },
        Rule::Modulo { step, offset } => Constraint::Modulo { step: number(step)?, offset: number(offset)? },
        Rule::AllowedValues(values) => Constraint::AllowedValues(values.iter().map(Node::constant).collect()),
        Rule::AllowedPattern(pattern) => Constraint::AllowedPattern(pattern.as_str().into()),
        Rule::Custom(name) => Constraint::CustomConstraint(name.as_str().into()),
    };
    Some(match &written.description {
        Some(description) => {
            Constraint::Described { constraint: Box::new(constraint), description: description.as_str().into() }
        }
        None => constraint,
    })
}
