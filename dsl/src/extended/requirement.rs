//! Requirements in the terms of the file: `{value: ..., at_least: 2048}`.

use crate::lower::hot::Hot;
use crate::model::{Expr, Name, Predicate, Requirement, Test, Tested, Value};

use super::{Fields, Writer, text};

/// The keys of tests. None is a function of Heat's, because Heat would mistake a map with one such key for a call.
pub const TESTS: &[&str] = &[
    "is",
    "is_not",
    "at_least",
    "at_most",
    "more_than",
    "less_than",
    "between",
    "one_of",
    "multiple_of",
    "matches",
    "starts_with",
    "ends_with",
    "includes",
    "length",
    "every",
    "some",
];

impl Writer<'_> {
    /// A requirement.
    pub(super) fn requirement(&self, requirement: &Requirement) -> Hot {
        let mut fields = self.predicate(&requirement.predicate);
        fields.add_text("because", &requirement.because);
        Hot::Map(fields)
    }

    fn predicate(&self, predicate: &Predicate<Expr>) -> Vec<(Name, Hot)> {
        let list =
            |parts: &[Predicate<Expr>]| Hot::List(parts.iter().map(|part| Hot::Map(self.predicate(part))).collect());
        match predicate {
            Predicate::All(parts) => vec![("all_of".into(), list(parts))],
            Predicate::Any(parts) => vec![("any_of".into(), list(parts))],
            Predicate::Opposite(part) => {
                let parts = match &**part {
                    Predicate::Any(parts) if parts.len() != 1 => list(parts),
                    part => list(std::slice::from_ref(part)),
                };
                vec![("none_of".into(), parts)]
            }
            Predicate::Tested(tested) => self.tested(tested),
        }
    }

    fn tested(&self, tested: &Tested<Expr>) -> Vec<(Name, Hot)> {
        let mut fields = Vec::new();
        if let Some(value) = &tested.value {
            fields.add("value", self.value_of(value));
        }
        let number = |number: &u32| Hot::Value(Value::from(*number));
        let (key, asked) = match &tested.test {
            Test::Is(value) => ("is", self.value_of(value)),
            Test::IsNot(value) => ("is_not", self.value_of(value)),
            Test::AtLeast(value) => ("at_least", self.value_of(value)),
            Test::AtMost(value) => ("at_most", self.value_of(value)),
            Test::MoreThan(value) => ("more_than", self.value_of(value)),
            Test::LessThan(value) => ("less_than", self.value_of(value)),
            Test::Between(least, most) => ("between", Hot::List(vec![self.value_of(least), self.value_of(most)])),
            Test::OneOf(values) => ("one_of", Hot::List(values.iter().map(|value| self.value_of(value)).collect())),
            Test::MultipleOf(step) => ("multiple_of", number(step)),
            Test::Matches(pattern) => ("matches", text(pattern)),
            Test::StartsWith(value) => ("starts_with", self.value_of(value)),
            Test::EndsWith(value) => ("ends_with", self.value_of(value)),
            Test::Includes(value) => ("includes", self.value_of(value)),
            Test::Length { min, max } => {
                let bounds = [("min", min), ("max", max)];
                let bounds = bounds.iter().filter_map(|(key, bound)| Some(((*key).into(), number((*bound).as_ref()?))));
                ("length", Hot::Map(bounds.collect()))
            }
            Test::EveryItem(item) => ("every", Hot::Map(self.predicate(item))),
            Test::SomeItem(item) => ("some", Hot::Map(self.predicate(item))),
        };
        fields.add(key, asked);
        if tested.secret {
            fields.add("secret", Hot::Value(true.into()));
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use wattle_heat::template::Function;

    #[test]
    fn no_key_is_a_function() {
        let others = ["all_of", "any_of", "none_of", "value", "because", "secret", "min", "max"];
        assert!(super::TESTS.iter().chain(&others).all(|key| Function::of(key).is_none()));
    }
}
