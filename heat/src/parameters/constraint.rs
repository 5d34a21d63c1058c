//! Whether a value satisfies a constraint, as judged by `heat.engine.constraints`.

use wattle_model::ParameterType;
use wattle_model::names::count;

use crate::schema::{broken_named, matches};
use crate::template::{Constraint, Rule};
use crate::truth;
use crate::value::Value;
use crate::yaml::Node;

use super::Wrong;
use super::read::number_from_text;

/// Why `value` violates `constraint`, as a clause, or in the author's own description. A constraint that does not apply to
/// the type is satisfied. `raw` tells whether the value is as given, before conversion to its type.
pub fn breaks(kind: ParameterType, constraint: &Constraint, value: &Value, raw: bool) -> Option<String> {
    let why = breaks_rule(kind, &constraint.rule, value, raw)?;
    Some(match &constraint.description {
        Some(description) if !description.trim().is_empty() => {
            format!("{why} ({})", description.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.'))
        }
        _ => why,
    })
}

fn breaks_rule(kind: ParameterType, rule: &Rule, value: &Value, raw: bool) -> Option<String> {
    match rule {
        Rule::Range { min, max } if kind == ParameterType::Number => {
            let Some(number) = float(value) else { return no_number(value, raw) };
            outside(number, min.as_ref(), max.as_ref()).map(|bounds| format!("{} is not {bounds}", value.python()))
        }
        Rule::Length { min, max }
            if matches!(kind, ParameterType::Str | ParameterType::CommaDelimitedList | ParameterType::Json) =>
        {
            let (length, what) = match value {
                Value::Text(text) => (text.chars().count(), "character"),
                Value::List(items) => (items.len(), "item"),
                Value::Map(items) => (items.len(), "item"),
                _ if raw => return Some(format!("{} has no length: quote it", value.kind())),
                _ => return None,
            };
            let bounds = outside(f64::from(u32::try_from(length).unwrap_or(u32::MAX)), min.as_ref(), max.as_ref())?;
            Some(format!("it has {}, not {bounds}", count(length, what)))
        }
        Rule::Modulo { step, offset } if kind == ParameterType::Number => {
            let Some(number) = float(value) else { return no_number(value, raw) };
            let (step, offset) = (bound(step.as_ref())?, bound(offset.as_ref())?);
            // As with Python's `%`, the remainder has the sign of the step.
            let rest = ((number % step) + step) % step;
            (rest - offset != 0.0)
                .then(|| format!("{} is not a multiple of {step} with an offset of {offset}", value.python()))
        }
        Rule::AllowedValues(allowed) if kind != ParameterType::Json => not_allowed(kind, allowed, value, raw),
        Rule::AllowedPattern(pattern) if kind == ParameterType::Str => match value {
            Value::Text(text) => (!matches(pattern, text))
                .then(|| format!("`{}` does not match `{pattern}` as a whole", text.escape_debug())),
            _ if raw => Some(format!("{} cannot match a pattern: quote it", value.kind())),
            _ => None,
        },
        Rule::Custom(name) if kind != ParameterType::Json => match value.as_text() {
            Some(text) => broken_named(name, text),
            // Constraints that do not depend on a cloud require text.
            None if broken_named(name, " ").is_some() => {
                Some(format!("`{name}` is for strings, but this is {}", value.kind()))
            }
            None => None,
        },
        _ => None,
    }
}

/// The constraint that the parameter's own default violates. Heat checks it before conversion, and ignores named
/// constraints.
pub(super) fn wrong_default(kind: ParameterType, constraints: &[Constraint], default: &Value) -> Vec<Wrong> {
    let wrong = |why| vec![Wrong { why, default: true, always: true }];
    let judged = match (kind, default) {
        (ParameterType::CommaDelimitedList, Value::Text(text)) => {
            Value::List(text.split(',').map(Value::from).collect())
        }
        (ParameterType::CommaDelimitedList, Value::List(items)) => {
            Value::List(items.iter().map(|item| Value::Text(item.python())).collect())
        }
        (ParameterType::CommaDelimitedList, other) => {
            return wrong(format!("{} is neither a list nor text with commas", other.kind()));
        }
        (_, other) => other.clone(),
    };
    for constraint in constraints.iter().filter(|constraint| !matches!(constraint.rule, Rule::Custom(_))) {
        if let Some(why) = breaks(kind, constraint, &judged, true) {
            return wrong(why);
        }
    }
    Vec::new()
}

fn not_allowed(kind: ParameterType, allowed: &[Node], value: &Value, raw: bool) -> Option<String> {
    let allowed: Vec<Value> = allowed.iter().map(Value::literal).collect();
    let wrong = match value {
        Value::List(items) => {
            items.iter().find(|item| !allowed.iter().any(|allowed| allowed.equals(item) == Some(true)))?
        }
        value => {
            let of_type = |value: &Value| match kind {
                ParameterType::Number => float(value).map(Value::Float),
                ParameterType::Boolean => truth::of_parameter(&value.python()).map(Value::Boolean),
                _ => Some(Value::Text(value.python())),
            };
            let Some(mine) = of_type(value) else {
                return raw.then(|| format!("`{}` does not fit the type", value.python().escape_debug()));
            };
            (!allowed.iter().any(|allowed| of_type(allowed).as_ref() == Some(&mine))).then_some(value)?
        }
    };
    let few: Vec<_> = allowed.iter().take(12).map(|value| format!("`{}`", value.python().escape_debug())).collect();
    let more = if allowed.len() > few.len() { ", ..." } else { "" };
    Some(format!("`{}` is not one of {}{more}", wrong.python().escape_debug(), few.join(", ")))
}

/// A value that has not been converted yet may not be a number at all.
fn no_number(value: &Value, raw: bool) -> Option<String> {
    raw.then(|| format!("`{}` is not a number", value.python().escape_debug()))
}

fn float(value: &Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "Python compares exactly; bounds that large are not worth it")]
    match value {
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Text(text) => match number_from_text(text)? {
            Value::Text(_) => None,
            number => float(&number),
        },
        _ => None,
    }
}

fn bound(node: Option<&Node>) -> Option<f64> {
    node.and_then(|node| float(&Value::literal(node)))
}

/// The bounds, worded for a message, if `number` is outside of them.
fn outside(number: f64, min: Option<&Node>, max: Option<&Node>) -> Option<String> {
    let (min, max) = (bound(min), bound(max));
    let below = min.is_some_and(|min| number < min);
    let above = max.is_some_and(|max| number > max);
    (below || above).then(|| match (min, max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (_, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use crate::parameters::{Inputs, Parameters};
    use crate::template::Template;
    use crate::yaml::read;

    /// The faults of the parameter `p` of this declaration, which Heat refuses as well.
    fn wrong(declaration: &str) -> Vec<String> {
        let text = format!("heat_template_version: rocky\nparameters: {{p: {declaration}}}");
        let template = Template::of(read(&text).expect("YAML"), "t.yaml");
        let parameters = Parameters::of(&template, &Inputs::default());
        parameters.values["p"].wrong.iter().map(|wrong| wrong.why.clone()).collect()
    }

    #[test]
    fn defaults_are_judged_as_heat_judges_them() {
        let fine: [&str; 0] = [];
        for text in [
            "{type: number, default: '5', constraints: [{range: {min: 1, max: 5}}]}",
            "{type: comma_delimited_list, default: [3, a]}",
            "{type: string, default: b, constraints: [{allowed_values: [a, b]}]}",
            "{type: string, default: 1, constraints: [{allowed_values: ['1']}]}",
            "{type: string, default: [], constraints: [{allowed_values: [a, b]}]}",
            "{type: string, default: [b], constraints: [{allowed_values: [a, b]}]}",
            "{type: boolean, default: 'YES '}",
            "{type: json, default: {}}",
            "{type: json, default: ''}",
            "{type: number, default: 7, constraints: [{modulo: {step: 5, offset: 2}}]}",
            "{type: string, default: ab, constraints: [{allowed_pattern: '[a-z]+'}]}",
            "{type: string, default: ab, constraints: [{custom_constraint: nova.keypair}]}",
        ] {
            assert_eq!(wrong(text), fine, "{text}");
        }
        for (text, why) in [
            ("{type: number, default: 6, constraints: [{range: {min: 1, max: 5}}]}", "6 is not between 1 and 5"),
            ("{type: string, default: [c], constraints: [{allowed_values: [a, b]}]}", "`c` is not one of `a`, `b`"),
            ("{type: comma_delimited_list, default: 3}", "an integer is neither a list nor text with commas"),
            (
                "{type: comma_delimited_list, default: 'a,c', constraints: [{allowed_values: [a]}]}",
                "`c` is not one of `a`",
            ),
            (
                "{type: comma_delimited_list, default: '1', constraints: [{allowed_values: [1]}]}",
                "`1` is not one of `1`",
            ),
            ("{type: string, default: 5, constraints: [{length: {min: 1}}]}", "an integer has no length: quote it"),
            (
                "{type: number, default: 8, constraints: [{modulo: {step: 5, offset: 2}}]}",
                "8 is not a multiple of 5 with an offset of 2",
            ),
            (
                "{type: string, default: ab1, constraints: [{allowed_pattern: '[a-z]+', description: Only letters.}]}",
                "`ab1` does not match `[a-z]+` as a whole (Only letters)",
            ),
            ("{type: string, default: a, constraints: [{custom_constraint: ip_addr}]}", "`a` is not an IP address"),
        ] {
            assert_eq!(wrong(text), [why], "{text}");
        }
    }
}
