//! Whether a value satisfies a constraint of a model's parameter: the same rules, for values of a model, which already have
//! their types.

use wattle_model::{Constraint, ParameterType, PropertyType, SchemaConstraint, Value};

use crate::schema::{broken, broken_named, matches};

/// Why `value` violates `constraint`, as a clause, or in the author's own description. A constraint that does not apply to
/// values of `kind` is satisfied, and so is one that only a cloud can judge.
pub fn refuses(kind: ParameterType, constraint: &Constraint, value: &Value) -> Option<String> {
    if let Constraint::Described { constraint, description } = constraint {
        let why = refuses(kind, constraint, value)?;
        let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
        return Some(format!("{why} ({})", description.trim_end_matches('.')));
    }
    let ty = match kind {
        ParameterType::Boolean => PropertyType::Boolean,
        ParameterType::Number => PropertyType::Number,
        ParameterType::Str | ParameterType::CommaDelimitedList | ParameterType::Json => PropertyType::Str,
    };
    let judged = |constraint: SchemaConstraint, value: &Value| broken(&constraint, ty, value);
    match constraint {
        Constraint::Range { min, max } if kind == ParameterType::Number => {
            judged(SchemaConstraint::Range(vec![*min, *max]), value)
        }
        Constraint::Modulo { step, offset } if kind == ParameterType::Number => {
            judged(SchemaConstraint::Modulo([*step, *offset]), value)
        }
        Constraint::Length { min, max } if !matches!(kind, ParameterType::Number | ParameterType::Boolean) => {
            judged(SchemaConstraint::Length([min, max].map(|bound| bound.map(f64::from)).to_vec()), value)
        }
        Constraint::AllowedValues(allowed) if kind != ParameterType::Json => {
            judged(SchemaConstraint::Allowed(allowed.clone()), value)
        }
        // Only Python knows which characters beyond ASCII are in a character class.
        Constraint::AllowedPattern(pattern) if kind == ParameterType::Str => {
            let text = value.as_str().filter(|text| text.is_ascii())?;
            (!matches(pattern, text))
                .then(|| format!("`{}` does not match `{pattern}` as a whole", text.escape_debug()))
        }
        Constraint::CustomConstraint(name) if kind == ParameterType::Str => broken_named(name, value.as_str()?),
        Constraint::Range { .. }
        | Constraint::Modulo { .. }
        | Constraint::Length { .. }
        | Constraint::AllowedValues(_)
        | Constraint::AllowedPattern(_)
        | Constraint::CustomConstraint(_)
        | Constraint::Described { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_constraint_is_judged_for_what_it_is_for() {
        let text = |text: &str| Value::from(text);
        let length = Constraint::Length { min: Some(3), max: None };
        let range = Constraint::Range { min: Some(1.0), max: Some(5.0) };
        let allowed = Constraint::AllowedValues(vec![text("a"), text("b")]);
        let letters = Constraint::AllowedPattern("[a-z]+".into());
        let (string, number, list) = (ParameterType::Str, ParameterType::Number, ParameterType::CommaDelimitedList);
        for (kind, constraint, value, why) in [
            (string, &length, text("ab"), Some("it has 2 characters, not at least 3")),
            (string, &length, text("abc"), None),
            (list, &length, vec!["a", "b"].into(), Some("it has 2 items, not at least 3")),
            (number, &length, 2.into(), None),
            (number, &range, 6.into(), Some("6 is not between 1 and 5")),
            (string, &range, text("6"), None),
            (string, &allowed, text("c"), Some("`c` is not one of `a`, `b`")),
            (list, &allowed, vec!["a", "b"].into(), None),
            (list, &allowed, vec!["a", "c"].into(), Some("`c` is not one of `a`, `b`")),
            (string, &letters, text("ab1"), Some("`ab1` does not match `[a-z]+` as a whole")),
            (string, &letters, text("ä"), None),
            (string, &Constraint::CustomConstraint("ip_addr".into()), text("a"), Some("`a` is not an IP address")),
            (string, &Constraint::CustomConstraint("glance.image".into()), text("a"), None),
            (number, &Constraint::Modulo { step: 2.0, offset: 0.0 }, 3.into(), Some("3 is not a multiple of 2")),
            (
                string,
                &letters.clone().described("Only letters."),
                text("1"),
                Some("`1` does not match `[a-z]+` as a whole (Only letters)"),
            ),
        ] {
            assert_eq!(refuses(kind, constraint, &value).as_deref(), why, "{constraint:?}: {value}");
        }
    }
}
