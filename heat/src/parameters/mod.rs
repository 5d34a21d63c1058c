//! The values of a template's parameters.
//!
//! What lives here: which value a parameter has (a given one, the environment's default, or its own default), its
//! conversion, and whether it satisfies the constraints, as Heat judges it. What must not: the form of declarations
//! (`check`).

mod constraint;
mod declared;
mod read;

use std::sync::Arc;

use wattle_model::{ParameterType, Source};

use crate::environment::{Environment, Given, place};
use crate::template::{Map, Parameter, Rule, Template};
use crate::value::Value;

pub use constraint::breaks;
pub use declared::refuses;
pub use read::{number_from_text, read};

/// Parameters that every stack has.
pub const PSEUDO: [&str; 3] = ["OS::stack_id", "OS::stack_name", "OS::project_id"];

/// The sources of values.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Values given by name, as on a command line. They override those of the environment.
    pub given: Map<Value>,
    /// The environment.
    pub environment: Arc<Environment>,
    /// The stack's name, if it is known.
    pub stack: Option<String>,
}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub struct Valued {
    /// The value as functions see it. [`Value::Unknown`] if there is none, or none that fits.
    pub value: Value,
    /// Its faults.
    pub wrong: Vec<Wrong>,
    /// The origin of the value.
    pub origin: Origin,
    /// The place of the value's source.
    pub at: Option<Source>,
}

/// The origin of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was given by name or in an environment.
    Given,
    /// The environment's `parameter_defaults`.
    EnvironmentDefault,
    /// The parameter's own default.
    Default,
    /// There is no value, which Heat refuses.
    Missing,
}

/// A fault of a parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The reason: a clause, lowercase.
    pub why: String,
    /// Whether the fault is in the parameter's own default.
    pub default: bool,
    /// Whether Heat then refuses the declaration itself, even if another value is given.
    pub always: bool,
}

/// The values of all parameters of a template.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// The values by name, including the parameters that every stack has.
    pub values: Map<Valued>,
    /// Given values that the template does not declare, with their place if they are in an environment. Heat refuses them.
    pub unknown: Vec<(String, Option<Source>)>,
}

impl Parameters {
    /// The values that `inputs` give to the parameters of `template`.
    pub fn of(template: &Template, inputs: &Inputs) -> Self {
        let mut values: Map<Valued> = PSEUDO.iter().map(|name| ((*name).to_owned(), pseudo(name, inputs))).collect();
        for (name, parameter) in &template.parameters {
            values.insert(name.clone(), valued(template, name, parameter, inputs));
        }
        let declared = |name: &&String| template.parameters.contains_key(*name);
        let environment = &inputs.environment.parameters;
        let mut unknown: Vec<_> =
            inputs.given.keys().filter(|name| !declared(name)).map(|name| (name.clone(), None)).collect();
        let rest = environment.iter().filter(|(name, _)| !declared(name) && !inputs.given.contains_key(*name));
        unknown.extend(rest.map(|(name, given)| (name.clone(), Some(given.at()))));
        Self { values, unknown }
    }
}

fn pseudo(name: &str, inputs: &Inputs) -> Valued {
    let value = match (name, &inputs.stack) {
        ("OS::stack_name", Some(stack)) => Value::Text(stack.clone()),
        _ => Value::Unknown,
    };
    Valued { value, wrong: Vec::new(), origin: Origin::Given, at: None }
}

fn valued(template: &Template, name: &str, parameter: &Parameter, inputs: &Inputs) -> Valued {
    let literal = |given: &Given| (Value::literal(&given.value), Some(given.at()));
    let own = parameter.default.as_ref().map(Value::literal);
    let own_place = parameter.default.as_ref().map(|node| place(&template.file, node.span));
    let given = match inputs.given.get(name) {
        Some(value) => Some((value.clone(), None)),
        None => inputs.environment.parameters.get(name).map(literal),
    };
    // Null counts as no value.
    let given = given.filter(|(value, _)| *value != Value::Null);
    let environment = inputs.environment.parameter_defaults.get(name).map(literal);
    let environment = environment.filter(|(value, _)| *value != Value::Null);
    let mut wrong = Vec::new();
    if let (Some(own), Some(kind)) = (&own, parameter.kind) {
        wrong = constraint::wrong_default(kind, &parameter.constraints, own);
    }
    let (value, at, origin) = match (given, environment, own) {
        (Some((value, at)), ..) => (value, at, Origin::Given),
        (None, Some((value, at)), _) => (value, at, Origin::EnvironmentDefault),
        (None, None, Some(value)) => (value, own_place, Origin::Default),
        (None, None, None) => return Valued { value: Value::Unknown, wrong, origin: Origin::Missing, at: None },
    };
    // A parameter without a type is not judged, because the missing type is already reported.
    let Some(kind) = parameter.kind else { return Valued { value: Value::Unknown, wrong, origin, at } };
    let is_default = origin == Origin::Default;
    if value.is_open() {
        return Valued { value: Value::read(kind, value), wrong, origin, at };
    }
    if value == Value::Unknown || (is_default && !wrong.is_empty()) {
        return Valued { value: Value::Unknown, wrong, origin, at };
    }
    match read(kind, &value) {
        Ok(read) => {
            // For a list in place of text, Heat checks whether each item is allowed.
            let is_list = kind == ParameterType::Str && matches!(value, Value::List(_));
            for constraint in &parameter.constraints {
                let of_items = is_list && matches!(constraint.rule, Rule::AllowedValues(_));
                let judged = if of_items { &value } else { &read };
                if let Some(why) = breaks(kind, constraint, judged, false) {
                    wrong.push(Wrong { why, default: is_default, always: false });
                    break;
                }
            }
            Valued { value: read, wrong, origin, at }
        }
        Err(why) => {
            wrong.push(Wrong { why, default: is_default, always: false });
            Valued { value: Value::Unknown, wrong, origin, at }
        }
    }
}
