//! Made-up values for parameters without a value.

use std::borrow::Cow;

use wattle_model::{IndexMap, ParameterType};

use crate::Loaded;
use crate::evaluate::Value;
use crate::parameters::Origin;
use crate::template::{Parameter, Rule};
use crate::yaml::Node;

/// The template with a made-up value for each parameter that has none.
pub(super) fn filled(loaded: &Loaded) -> Cow<'_, Loaded> {
    if loaded.parameters.values.values().all(|valued| valued.origin != Origin::Missing) {
        return Cow::Borrowed(loaded);
    }
    let mut filled = loaded.clone();
    for (name, parameter) in &loaded.template.parameters {
        if let Some(valued) = filled.parameters.values.get_mut(name).filter(|valued| valued.origin == Origin::Missing) {
            valued.value = made_up(name, parameter);
        }
    }
    Cow::Owned(filled)
}

fn made_up(name: &str, parameter: &Parameter) -> Value {
    let constraint = |choose: fn(&Rule) -> Option<&Node>| {
        let chosen = parameter.constraints.iter().find_map(|constraint| choose(&constraint.rule));
        chosen.map(Value::literal)
    };
    let allowed = constraint(|rule| match rule {
        Rule::AllowedValues(values) => values.first(),
        _ => None,
    });
    match parameter.kind {
        // No text in a template can contain this character.
        Some(ParameterType::Str) | None => allowed.unwrap_or_else(|| Value::Text(format!("\u{0}{name}"))),
        Some(ParameterType::Number) => allowed.unwrap_or_else(|| {
            let least = constraint(|rule| match rule {
                Rule::Range { min, .. } => min.as_ref(),
                _ => None,
            });
            least.unwrap_or(Value::Integer(1))
        }),
        Some(ParameterType::Boolean) => Value::Boolean(true),
        Some(ParameterType::CommaDelimitedList) => {
            Value::List(vec![allowed.unwrap_or_else(|| Value::Text(format!("\u{0}{name}")))])
        }
        Some(ParameterType::Json) => Value::Map(IndexMap::default()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Graph, Loaded};

    #[test]
    fn networks_that_are_not_given_are_the_same_if_the_parameter_is() {
        let text = "
heat_template_version: 2021-04-16
parameters: {outside: {type: string}, inside: {type: string}, size: {type: number}}
resources:
  router: {type: OS::Neutron::Router, properties: {external_gateway_info: {network: {get_param: outside}}}}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_param: inside}, cidr: 10.0.0.0/24}}
  port: {type: OS::Neutron::Port, properties: {network: {get_param: inside}}}
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: {get_param: outside}}}
";
        let graph = Graph::of(&Loaded::of(text, "template.yaml")).graph;
        let requires = |name: &str| graph[name].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(requires("router"), [""; 0]);
        assert_eq!(requires("port"), ["subnet"]);
        assert_eq!(requires("address"), ["router"]);
    }
}
