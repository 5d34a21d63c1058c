//! Whether a known value satisfies a property's constraints, as Heat's engine judges it.

use std::net::IpAddr;

use wattle_model::names::{count, nearest};
use wattle_model::{PropertyType, Scalar, SchemaConstraint, Value};

use super::conversion::{is_same, number, outside_of, plain};
use super::named::broken_named;
use super::pattern::matches;

/// The maximum number of allowed values for which a message lists all.
const ALL: usize = 32;

/// The number of values that it lists if there are more.
const FEW: usize = 12;

/// Why `value` violates `constraint`, in the schema's own terms.
pub fn broken(constraint: &SchemaConstraint, ty: PropertyType, value: &Value) -> Option<String> {
    let whole;
    let value = match (ty, value) {
        // Heat truncates floats before it checks anything else.
        (PropertyType::Integer, Value::Float(number)) => {
            whole = Value::Float(number.trunc());
            &whole
        }
        _ => value,
    };
    match constraint {
        SchemaConstraint::Allowed(allowed) => not_allowed(ty, allowed, value),
        SchemaConstraint::Range(bounds) => {
            let number = number(value)?;
            let bounds = outside_of(bounds, number)?;
            Some(format!("{} is not {bounds}", plain(value)))
        }
        SchemaConstraint::Length(bounds) => match value {
            Value::Str(text) => {
                let length = text.chars().count();
                outside(bounds, length).map(|bounds| format!("it has {}, not {bounds}", count(length, "character")))
            }
            Value::List(items) => too_few_or_many(bounds, items.len()),
            Value::Map(items) => too_few_or_many(bounds, items.len()),
            _ => None,
        },
        SchemaConstraint::Modulo([step, offset]) => {
            let number = number(value)?;
            // As with Python's `%`, the remainder has the sign of the step.
            let rest = ((number % step) + step) % step;
            (rest - offset != 0.0).then(|| match *offset {
                0.0 => format!("{} is not a multiple of {step}", plain(value)),
                _ => format!("{} minus {offset} is not a multiple of {step}", plain(value)),
            })
        }
        SchemaConstraint::Pattern(pattern) => {
            let Value::Str(text) = value else { return None };
            (!matches(pattern, text)).then(|| format!("`{}` does not match `{pattern}`", text.escape_debug()))
        }
        SchemaConstraint::Custom(name) => {
            let Value::Str(text) = value else { return None };
            broken_named(name, text)
        }
    }
}

/// The number of items, if it is out of `bounds`.
pub fn too_few_or_many(bounds: &[Option<f64>], length: usize) -> Option<String> {
    outside(bounds, length).map(|bounds| format!("it has {}, not {bounds}", count(length, "item")))
}

fn outside(bounds: &[Option<f64>], length: usize) -> Option<String> {
    u32::try_from(length).ok().and_then(|length| outside_of(bounds, f64::from(length)))
}

fn not_allowed(ty: PropertyType, allowed: &[Value], value: &Value) -> Option<String> {
    let is_allowed = |value: &Value| allowed.iter().any(|allowed| is_same(ty, allowed, value));
    let wrong = match value {
        Value::List(items) => items.iter().find(|item| !allowed.contains(item)),
        value => (!is_allowed(value)).then_some(value),
    }?;
    let wrong = plain(wrong);
    let listed = |values: &[String]| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    if allowed.len() <= ALL {
        let all: Vec<String> = allowed.iter().map(plain).collect();
        return Some(format!("`{wrong}` is not one of {}", listed(&all)));
    }
    // If there are very many, the most similar one, and names before numbers.
    let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let meant = nearest(&wrong, names.iter().copied());
    let others = names.iter().copied().filter(|name| Some(*name) != meant);
    let mut few: Vec<String> = meant.into_iter().chain(others).map(str::to_owned).collect();
    if few.is_empty() {
        few = allowed.iter().map(plain).collect();
    }
    few.truncate(FEW);
    Some(format!("`{wrong}` is not one of {}, ...", listed(&few)))
}

/// `neutron_lib.api.validators.validate_ip_address`.
pub(super) fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

/// `neutron_lib.api.validators.validate_subnet`.
pub(super) fn is_network(text: &str) -> bool {
    Scalar::Network.holds(text)
}

pub(super) fn is_address_or_network(text: &str) -> bool {
    if text.contains('/') { is_network(text) } else { is_address(text) }
}

/// `netaddr.valid_mac`: the notations of Unix, Windows, Cisco and PostgreSQL, and the one without separators.
pub(super) fn is_mac(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let groups = |separator: char, count: usize, lengths: std::ops::RangeInclusive<usize>| {
        let parts: Vec<&str> = text.split(separator).collect();
        let is_hex = |part: &&str| lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        parts.len() == count && parts.iter().all(is_hex)
    };
    [':', '-'].into_iter().any(|by| groups(by, 6, 1..=2) || groups(by, 3, 1..=4) || groups(by, 2, 5..=6))
        || groups('.', 3, 1..=4)
        || groups(' ', 1, 11..=12)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `value % step == offset`, as in Python. None of Heat's own types uses this for a property.
    #[test]
    fn remainders_are_python_s() {
        let modulo = |step, offset| SchemaConstraint::Modulo([step, offset]);
        for (step, offset, value, holds) in [
            (2.0, 0.0, 4, true),
            (2.0, 0.0, 5, false),
            (2.0, 1.0, 5, true),
            (3.0, 1.0, -2, true),
            (3.0, 1.0, -1, false),
            (-3.0, -1.0, 2, true),
            (-3.0, -1.0, 1, false),
        ] {
            let found = broken(&modulo(step, offset), PropertyType::Integer, &value.into());
            assert_eq!(found.is_none(), holds, "{value} % {step} == {offset}: {found:?}");
        }
    }

    #[test]
    fn of_very_many_allowed_values_few_are_named_and_first_what_was_meant() {
        let numbers = (0..256).map(Value::from);
        let names = ["ah", "dccp", "tcp", "udp"].map(Value::from);
        let constraint = SchemaConstraint::Allowed(numbers.chain(names).collect());
        let refusal = |value: &str| broken(&constraint, PropertyType::Str, &value.into());
        assert_eq!(refusal("TCP").as_deref(), Some("`TCP` is not one of `tcp`, `ah`, `dccp`, `udp`, ..."));
        assert_eq!(refusal("zzz").as_deref(), Some("`zzz` is not one of `ah`, `dccp`, `tcp`, `udp`, ..."));
        assert_eq!(refusal("udp"), None);
    }

    #[test]
    fn what_is_broken_is_said_in_the_schema_s_terms() {
        let mut refusal = Vec::new();
        for (constraint, value) in [
            (SchemaConstraint::Range(vec![Some(0.0), Some(65535.0)]), Value::from(70_000)),
            (SchemaConstraint::Length(vec![Some(3.0), None]), "ab".into()),
            (SchemaConstraint::Length(vec![Some(1.0), None]), Value::List(Vec::new())),
            (SchemaConstraint::Modulo([2.0, 1.0]), 4.into()),
            (SchemaConstraint::Pattern("[a-z]+".into()), "A".into()),
            (SchemaConstraint::Custom("net_cidr".into()), "10.0.0.0".into()),
        ] {
            refusal.extend(broken(&constraint, PropertyType::Any, &value));
        }
        assert_eq!(
            refusal,
            [
                "70000 is not between 0 and 65535",
                "it has 2 characters, not at least 3",
                "it has 0 items, not at least 1",
                "4 minus 1 is not a multiple of 2",
                "`A` does not match `[a-z]+`",
                "`10.0.0.0` is not a network such as 10.0.0.0/24",
            ]
        );
    }
}
