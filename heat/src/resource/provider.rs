//! Templates that implement resources.

use wattle_model::{IndexMap, Name, ParameterType, PropertySchema, PropertyType, SchemaConstraint};

use crate::Loaded;
use crate::schema::number;
use crate::template::{Parameter, Rule};
use crate::yaml::Node;

/// A template that implements a resource.
#[derive(Debug)]
pub(crate) struct Provider {
    /// Its path.
    pub(crate) path: String,
    /// Its parameters, as properties.
    pub(crate) properties: IndexMap<Name, PropertySchema>,
    /// The names of its outputs, which are the attributes.
    pub(crate) outputs: Vec<Name>,
}

impl Provider {
    pub(crate) fn of(loaded: &Loaded, path: &str) -> Option<Self> {
        let template = &loaded.library.templates.get(path)?.template;
        let defaults = &loaded.environment.parameter_defaults;
        let properties = template
            .parameters
            .iter()
            .map(|(name, parameter)| {
                let required = parameter.default.is_none() && !defaults.contains_key(name);
                (name.as_str().into(), property(parameter, required))
            })
            .collect();
        let outputs = template.outputs.keys().map(|name| name.as_str().into()).collect();
        Some(Self { path: path.to_owned(), properties, outputs })
    }
}

/// A parameter as a property of the resource that its template implements.
fn property(parameter: &Parameter, required: bool) -> PropertySchema {
    let ty = match parameter.kind {
        Some(ParameterType::Str) => PropertyType::Str,
        Some(ParameterType::Number) => PropertyType::Number,
        Some(ParameterType::Boolean) => PropertyType::Boolean,
        Some(ParameterType::CommaDelimitedList) => PropertyType::List,
        Some(ParameterType::Json) | None => PropertyType::Map,
    };
    let converts = matches!(ty, PropertyType::Map | PropertyType::List);
    let constraints = parameter.constraints.iter().filter_map(|constraint| constraint_of(&constraint.rule)).collect();
    PropertySchema { ty, required, converts, constraints, ..PropertySchema::default() }
}

fn constraint_of(rule: &Rule) -> Option<SchemaConstraint> {
    let number = |node: &Option<Node>| node.as_ref().and_then(|node| number(&node.constant()));
    Some(match rule {
        Rule::Length { min, max } => SchemaConstraint::Length(vec![number(min), number(max)]),
        Rule::Range { min, max } => SchemaConstraint::Range(vec![number(min), number(max)]),
        Rule::Modulo { step, offset } => SchemaConstraint::Modulo([number(step)?, number(offset)?]),
        Rule::AllowedValues(values) => SchemaConstraint::Allowed(values.iter().map(Node::constant).collect()),
        Rule::AllowedPattern(pattern) => SchemaConstraint::Pattern(pattern.as_str().into()),
        Rule::Custom(name) => SchemaConstraint::Custom(name.as_str().into()),
    })
}
