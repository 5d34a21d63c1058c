//! Parameters as given by an operator and as required by a seed.

use std::sync::Arc;

use wattle::cli::values;
use wattle::lower::Seed;
use wattle::lower::seed::{Origin, SeedParameter, Wire};
use wattle::lower::{CREDENTIALS, RESERVED};
use wattle::model::{Carrier, IndexMap, IndexSet, Name, ParameterType, Scalar, Type, Value};
use wattle::names::meant;
use wattle::requirement::When;
use wattle_agent_core::planning::broken;
use wattle_heat::environment::Environment;
use wattle_heat::parameters::refuses;
use wattle_heat::truth;

use super::SeedError;

/// Values of parameters given by an operator: individually, or otherwise in an environment.
#[derive(Clone, Default)]
pub struct Given {
    /// Each with its origin, as worded in messages.
    values: IndexMap<String, (Value, &'static str)>,
    environment: Arc<Environment>,
}

/// Shows only names, because values may be secret.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.all().keys()).finish()
    }
}

impl Given {
    /// Creates the values of this environment.
    pub fn new(environment: Environment) -> Self {
        Self { values: IndexMap::default(), environment: environment.into() }
    }

    /// Sets the value of a parameter. A text may stand for a value of any type.
    pub fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), (value, ""));
    }

    /// Like [`Given::set`], for a value from the command line.
    pub fn assign(&mut self, name: String, text: String) {
        self.values.insert(name, (text.into(), " from the command line"));
    }

    /// Returns the given value for a parameter of type `ty`. `None` if none is given.
    ///
    /// # Errors
    /// The reason why the given value does not have that type, as a sentence.
    fn fitting(&self, name: &str, ty: &Type) -> Option<Result<Value, String>> {
        let value = match self.values.get(name) {
            Some((value, _)) => value.clone(),
            None => self.environment.given(name)?.value.constant(),
        };
        Some(fit(&value, ty).map_err(|why| format!("the parameter `{name}`{} does not fit: {why}", self.origin(name))))
    }

    /// The origin of a parameter's value, as it follows the parameter's name in a message.
    fn origin(&self, name: &str) -> String {
        match (self.values.get(name), self.environment.given(name)) {
            (Some((_, from)), _) => (*from).to_owned(),
            (None, Some(given)) => format!(" from `{}`", given.file),
            (None, None) => String::new(),
        }
    }

    /// The constraints that the given value violates, each as a message.
    fn broken(&self, name: &str, parameter: &SeedParameter, value: &Value) -> Vec<String> {
        let kind = ParameterType::of(&parameter.ty);
        let hide = parameter.hidden || parameter.ty.is_secret();
        let wrong = parameter.constraints.iter().filter_map(|constraint| refuses(kind, constraint, value));
        // The message might show the value.
        let reasons = wrong.map(|why| if hide { "it breaks a constraint of the parameter".to_owned() } else { why });
        reasons.map(|why| format!("the parameter `{name}`{} is not allowed: {why}", self.origin(name))).collect()
    }

    /// The given value for a parameter of type `ty`. `None` if none is given, or if it does not have that type.
    pub(super) fn value(&self, name: &str, ty: &Type) -> Option<Value> {
        self.fitting(name, ty)?.ok()
    }

    /// Returns all given values, by name.
    pub fn all(&self) -> IndexMap<Name, Value> {
        let mut all = values(&self.environment);
        all.extend(self.values.iter().map(|(name, (value, _))| (name.as_str().into(), value.clone())));
        all
    }

    /// The given values of wattle's own parameters, except secrets.
    pub(super) fn reserved(&self) -> IndexMap<Name, Value> {
        let own = |name: &str| name.starts_with(RESERVED) && name != CREDENTIALS;
        let mut all = self.all();
        all.retain(|name, _| own(name));
        all
    }

    /// Lists the given parameters that `seed` does not have, each as a message.
    pub fn unknown(&self, seed: &Seed) -> Vec<String> {
        // Heat's `parameter_defaults` may name parameters that this stack does not have.
        let names: IndexSet<&String> = self.environment.parameters.keys().chain(self.values.keys()).collect();
        let names = names.into_iter().filter(|name| !name.starts_with(RESERVED));
        let unknown = names.filter(|name| !seed.parameters.contains_key(name.as_str())).map(|name| {
            let known = seed.parameters.keys().map(|name| &**name);
            let help = meant(name, known).map(|help| format!("; {help}")).unwrap_or_default();
            format!("the stack `{}` has no parameter `{name}`{help}", seed.stack)
        });
        unknown.collect()
    }

    /// Lists the parameters of `seed` that have neither a given value nor a default.
    pub fn missing<'s>(&self, seed: &'s Seed) -> Vec<(&'s Name, &'s SeedParameter)> {
        let given = |name: &str| self.values.contains_key(name) || self.environment.given(name).is_some();
        let (needed, judged) = (needed(seed), judged_here(seed));
        let is_needed = |name| needed.contains(name) || judged.contains(name);
        let parameters = seed.parameters.iter();
        let missing =
            parameters.filter(|(name, parameter)| is_needed(*name) && parameter.default.is_none() && !given(name));
        missing.collect()
    }

    /// The values that `seed` needs, each in its declared type: those that a component or an export reads. Requirements
    /// on parameters are checked with all given values.
    ///
    /// # Errors
    /// [`SeedError::Parameters`], with all errors.
    pub(super) fn resolve(&self, seed: &Seed) -> Result<IndexMap<Name, Value>, SeedError> {
        let mut faults = self.unknown(seed);
        let mut missing = IndexMap::default();
        let (needed, judged) = (needed(seed), judged_here(seed));
        let mut values = IndexMap::default();
        let mut known = IndexMap::default();
        for (name, parameter) in &seed.parameters {
            let value = match self.fitting(name, &parameter.ty) {
                Some(Ok(value)) => {
                    faults.extend(self.broken(name, parameter, &value));
                    value
                }
                Some(Err(why)) => {
                    faults.push(why);
                    continue;
                }
                None => match &parameter.default {
                    Some(default) => default.clone(),
                    None if needed.contains(name) || judged.contains(name) => {
                        missing.insert(name.clone(), parameter.ty.clone());
                        continue;
                    }
                    None => continue,
                },
            };
            if needed.contains(name) {
                values.insert(name.clone(), value.clone());
            }
            known.insert(name, value);
        }
        faults.extend(broken(seed, |origin| known.get(origin.parameter()?).cloned()));
        let is_fine = faults.is_empty() && missing.is_empty();
        if is_fine { Ok(values) } else { Err(SeedError::Parameters { missing, faults }) }
    }
}

/// The parameters of requirements that only `seed apply` checks, which must have a value.
fn judged_here(seed: &Seed) -> IndexSet<&Name> {
    let mut found = IndexSet::default();
    for requirement in seed.requirements.values().filter(|one| one.when == When::Apply && !one.heat) {
        requirement.predicate.each(&mut |operand| parameters(&operand.from, &mut found));
    }
    found
}

/// The parameters that components, exports and the requirements that agents check read.
fn needed(seed: &Seed) -> IndexSet<&Name> {
    let mut found = IndexSet::default();
    for component in seed.servers.values().flat_map(|server| server.components.values()) {
        component.inputs.values().for_each(|wire| parameters(wire, &mut found));
    }
    // The value of a secret export stays in Heat.
    for export in seed.exports.values().filter(|export| !export.ty.is_secret()) {
        parameters(&export.value, &mut found);
    }
    for requirement in seed.requirements.values().filter(|requirement| requirement.when == When::RunTime) {
        requirement.predicate.each(&mut |operand| parameters(&operand.from, &mut found));
    }
    found
}

fn parameters<'s>(wire: &'s Wire, found: &mut IndexSet<&'s Name>) {
    found.extend(wire.leaves().filter_map(Origin::parameter));
}

/// Converts `value` to the type `ty` where Heat would convert it.
///
/// # Errors
/// The reason why it does not have that type. For a secret type, the message does not show the value.
pub(crate) fn fit(value: &Value, ty: &Type) -> Result<Value, String> {
    let refuse = |value: &Value| {
        // The message might show the value.
        ty.refuse(value).map(|why| if ty.is_secret() { format!("expected {ty}, found {}", value.kind()) } else { why })
    };
    let converted = match (value, ty.revealed()) {
        (Value::Str(text), ty) => from_text(text, ty),
        (Value::Integer(number), Type::Scalar(Scalar::Str)) => Some(number.to_string().into()),
        _ => None,
    };
    let value = converted.unwrap_or_else(|| value.clone());
    match refuse(&value) {
        None => Ok(value),
        Some(why)
            if matches!((&value, ty.revealed()), (Value::Float(_) | Value::Boolean(_), Type::Scalar(Scalar::Str))) =>
        {
            Err(format!("{why}; put it in quotes"))
        }
        Some(why) => Err(why),
    }
}

/// The value that `text` represents where the type `ty` is expected. `None` if that is ambiguous.
fn from_text(text: &str, ty: &Type) -> Option<Value> {
    let trimmed = text.trim();
    let number = |text: &str| {
        let integer = text.parse::<i128>().ok().map(Value::Integer);
        integer.or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::Float))
    };
    match ty {
        Type::Scalar(scalar) => match scalar.carrier() {
            Carrier::Boolean => truth::of_parameter(text).map(Into::into),
            Carrier::Number => number(trimmed),
            Carrier::Text => Some(text.into()),
        },
        Type::List(item) => match serde_json::from_str(trimmed) {
            Ok(value @ Value::List(_)) => Some(value),
            // As in Heat's `comma_delimited_list`.
            _ if trimmed.is_empty() => Some(Value::List(Vec::new())),
            _ => trimmed.split(',').map(|part| from_text(part.trim(), item)).collect::<Option<_>>().map(Value::List),
        },
        Type::Map(_) | Type::Struct(_) => serde_json::from_str(trimmed).ok().filter(|v| matches!(v, Value::Map(_))),
        Type::Hidden(inner) => from_text(text, inner),
        Type::Any => Some(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port() -> Type {
        Type::integer(0, 65_535)
    }

    #[test]
    fn text_is_of_the_declared_type() {
        let list = Type::List(Box::new(Type::STR));
        let ports = Type::List(Box::new(port()));
        let cases: &[(&str, &Type, Value)] = &[
            ("8080", &port(), 8080_u16.into()),
            ("8080", &Type::STR, "8080".into()),
            (" a ", &Type::STR, " a ".into()),
            ("yes", &Type::BOOLEAN, true.into()),
            ("0.5", &Type::FLOAT, 0.5.into()),
            ("90", &Type::SECONDS, 90_u8.into()),
            ("a, b", &list, vec!["a", "b"].into()),
            ("", &list, Value::List(Vec::new())),
            (r#"["a,b"]"#, &list, vec!["a,b"].into()),
            ("1,2", &ports, vec![1_u8, 2].into()),
            (
                r#"{"a": 1}"#,
                &Type::Map(Box::new(port())),
                Value::Map([("a".into(), 1_u8.into())].into_iter().collect()),
            ),
            ("s3cret", &Type::Hidden(Box::new(Type::STR)), "s3cret".into()),
        ];
        for (text, ty, expected) in cases {
            assert_eq!(fit(&(*text).into(), ty).as_ref(), Ok(expected), "{text}");
        }
        for (text, ty) in [("a", &port()), ("70000", &port()), ("maybe", &Type::BOOLEAN), ("x", &Type::IP)] {
            fit(&text.into(), ty).expect_err(text);
        }
    }

    #[test]
    fn numbers_are_text_where_text_is_expected_and_can_be_had_back() {
        assert_eq!(fit(&5_u8.into(), &Type::STR), Ok("5".into()));
        let why = fit(&1.10.into(), &Type::STR).expect_err("1.10 is not 1.1");
        assert!(why.contains("put it in quotes"), "{why}");
    }

    #[test]
    fn what_does_not_fit_does_not_show_a_secret() {
        let secret = Type::Hidden(Box::new(Type::IP));
        let why = fit(&"hunter2".into(), &secret).expect_err("no address");
        assert!(!why.contains("hunter2"), "{why}");
        let mut given = Given::default();
        given.set("password", "hunter2".into());
        assert!(!format!("{given:?}").contains("hunter2"));
    }
}
