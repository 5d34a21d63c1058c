//! Parameters as an operator gives them, and as a seed takes them.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde::de::IgnoredAny;
use wattle::lower::Seed;
use wattle::lower::seed::{Origin, SeedParameter, Wire};
use wattle::model::{Carrier, Name, Scalar, Type, Value};
use wattle::names::meant;
use wattle::requirement::When;
use wattle_heat::truth;

use super::{SeedError, requirements};

/// Names of our own in templates: what a seed does not know of, but Heat does.
const RESERVED: &str = "wattle_";

/// Values of parameters, as an operator gives them: what was given last counts.
#[derive(Clone, Default)]
pub struct Given {
    values: IndexMap<String, Item>,
    // Heat's `parameter_defaults`: may name what this stack does not have.
    defaults: IndexMap<String, Item>,
}

/// A value, and where it came from, as a message says it.
#[derive(Clone)]
struct Item {
    value: Value,
    from: Option<Arc<str>>,
}

impl Item {
    fn refused(&self, name: &str, why: &str) -> String {
        let from = self.from.as_ref().map(|from| format!(" as {from} gives it")).unwrap_or_default();
        format!("the parameter `{name}`{from} does not fit: {why}")
    }
}

/// Shows names only: values may be secret.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).entries(self.defaults.keys()).finish()
    }
}

/// The sections that Heat knows in an environment file.
const SECTIONS: [&str; 6] = [
    "parameters",
    "parameter_defaults",
    "parameter_merge_strategies",
    "resource_registry",
    "encrypted_param_names",
    "event_sinks",
];

#[derive(Deserialize)]
struct Environment {
    #[serde(default)]
    parameters: Option<IndexMap<String, Value>>,
    #[serde(default)]
    parameter_defaults: Option<IndexMap<String, Value>>,
}

impl Given {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what an environment file of Heat's gives in `parameters` and `parameter_defaults`; `from` is what messages
    /// call it.
    ///
    /// # Errors
    /// [`SeedError::Given`] when `text` is not such a file.
    pub fn environment(&mut self, text: &str, from: &str) -> Result<(), SeedError> {
        let wrong = |error: serde_yaml::Error| SeedError::Given { reason: error.to_string() };
        let read: Option<Environment> = serde_yaml::from_str(text).map_err(wrong)?;
        let Some(environment) = read else { return Ok(()) };
        let sections: IndexMap<String, IgnoredAny> = serde_yaml::from_str(text).map_err(wrong)?;
        if let Some(unknown) = sections.keys().find(|section| !SECTIONS.contains(&section.as_str())) {
            let help = meant(unknown, SECTIONS).unwrap_or_else(|| "values stand below `parameters`".to_owned());
            return Err(SeedError::Given { reason: format!("Heat knows no section `{unknown}`; {help}") });
        }
        let from: Arc<str> = from.into();
        let item = |(name, value)| (name, Item { value, from: Some(Arc::clone(&from)) });
        self.values.extend(environment.parameters.unwrap_or_default().into_iter().map(item));
        self.defaults.extend(environment.parameter_defaults.unwrap_or_default().into_iter().map(item));
        Ok(())
    }

    /// Takes `NAME=VALUE`: the value is what stands there, of whatever type the parameter is.
    ///
    /// # Errors
    /// [`SeedError::Given`] when there is no `=`.
    pub fn assignment(&mut self, text: &str) -> Result<(), SeedError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(SeedError::Given { reason: format!("`{text}` is not NAME=VALUE") });
        };
        self.values.insert(name.trim().to_owned(), Item { value: value.into(), from: Some("`--parameter`".into()) });
        Ok(())
    }

    /// Gives a parameter a value.
    pub fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), Item { value, from: None });
    }

    /// The value that is given for a parameter of type `ty`; none if there is none, or none of that type.
    pub(super) fn value(&self, name: &str, ty: &Type) -> Option<Value> {
        let item = self.values.get(name).or_else(|| self.defaults.get(name))?;
        fit(&item.value, ty).ok()
    }

    /// All that is given, by name.
    pub fn all(&self) -> IndexMap<Name, Value> {
        let all = self.defaults.iter().chain(&self.values);
        all.map(|(name, item)| (name.as_str().into(), item.value.clone())).collect()
    }

    /// The parameters of our own that are given and are no secrets.
    pub(super) fn reserved(&self) -> IndexMap<Name, Value> {
        let own = |name: &str| name.starts_with(RESERVED) && name != "wattle_credentials";
        let mut all = self.all();
        all.retain(|name, _| own(name));
        all
    }

    /// What is given that `seed` does not have, each as a message says it.
    pub fn unknown(&self, seed: &Seed) -> Vec<String> {
        let names = self.values.keys().filter(|name| !name.starts_with(RESERVED));
        let unknown = names.filter(|name| !seed.parameters.contains_key(name.as_str())).map(|name| {
            let known = seed.parameters.keys().map(|name| &**name);
            let help = meant(name, known).map(|help| format!("; {help}")).unwrap_or_default();
            format!("the stack `{}` has no parameter `{name}`{help}", seed.stack)
        });
        unknown.collect()
    }

    /// The parameters that `seed` needs and that have no value: neither given nor a default.
    pub fn missing<'s>(&self, seed: &'s Seed) -> Vec<(&'s Name, &'s SeedParameter)> {
        let given = |name: &str| self.values.contains_key(name) || self.defaults.contains_key(name);
        let (needed, judged) = (needed(seed), requirements::judged_here(seed));
        let is_needed = |name| needed.contains(name) || judged.contains(name);
        let parameters = seed.parameters.iter();
        let missing =
            parameters.filter(|(name, parameter)| is_needed(*name) && parameter.default.is_none() && !given(name));
        missing.collect()
    }

    /// The values that `seed` needs, each of the type that it declares: those that a component or an export reads. What is
    /// required of parameters is judged of all that are given.
    ///
    /// # Errors
    /// [`SeedError::Parameters`], with all that is wrong.
    pub(super) fn resolve(&self, seed: &Seed) -> Result<IndexMap<Name, Value>, SeedError> {
        let mut faults = self.unknown(seed);
        let mut missing = IndexMap::new();
        let (needed, judged) = (needed(seed), requirements::judged_here(seed));
        let mut values = IndexMap::with_capacity(needed.len());
        let mut known = IndexMap::with_capacity(seed.parameters.len());
        for (name, parameter) in &seed.parameters {
            let given = self.values.get(&**name).or_else(|| self.defaults.get(&**name));
            let value = match given {
                Some(item) => match fit(&item.value, &parameter.ty) {
                    Ok(value) => value,
                    Err(why) => {
                        faults.push(item.refused(name, &why));
                        continue;
                    }
                },
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
        faults.extend(requirements::broken(seed, &known));
        let is_fine = faults.is_empty() && missing.is_empty();
        if is_fine { Ok(values) } else { Err(SeedError::Parameters { missing, faults }) }
    }
}

/// The parameters that components and exports read, and requirements that agents judge.
fn needed(seed: &Seed) -> IndexSet<&Name> {
    let mut found = IndexSet::new();
    for component in seed.servers.values().flat_map(|server| server.components.values()) {
        component.inputs.values().for_each(|wire| parameters(wire, &mut found));
    }
    // The value of a secret export stays with Heat.
    for export in seed.exports.values().filter(|export| !export.ty.is_secret()) {
        parameters(&export.value, &mut found);
    }
    for requirement in seed.requirements.values().filter(|requirement| requirement.when == When::RunTime) {
        requirement.predicate.each(&mut |operand| parameters(&operand.from, &mut found));
    }
    found
}

pub(super) fn parameters<'s>(wire: &'s Wire, found: &mut IndexSet<&'s Name>) {
    found.extend(wire.leaves().filter_map(Origin::parameter));
}

/// `value` as one of type `ty`, converted where Heat would convert it.
fn fit(value: &Value, ty: &Type) -> Result<Value, String> {
    let refuse = |value: &Value| {
        // A message may show the value.
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

/// What `text` stands for where a value of type `ty` is expected; none if it cannot be told.
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
            // Heat's `comma_delimited_list`.
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
            (r#"{"a": 1}"#, &Type::Map(Box::new(port())), Value::Map([("a".into(), 1_u8.into())].into())),
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
    fn an_unknown_section_is_refused() {
        let mut given = Given::new();
        given.environment("resource_registry: {}\nparameters: {a: 1}\n", "`a.yaml`").expect("as Heat takes it");
        given.environment("# nothing\n", "`a.yaml`").expect("as Heat takes it");
        let why = given.environment("parametrs: {a: 1}\n", "`a.yaml`").expect_err("a typo").to_string();
        assert!(why.contains("no section `parametrs`; did you mean `parameters`?"), "{why}");
    }

    #[test]
    fn what_does_not_fit_does_not_show_a_secret() {
        let secret = Type::Hidden(Box::new(Type::IP));
        let why = fit(&"hunter2".into(), &secret).expect_err("no address");
        assert!(!why.contains("hunter2"), "{why}");
        let mut given = Given::new();
        given.assignment("password=hunter2").unwrap();
        assert!(!format!("{given:?}").contains("hunter2"));
    }
}
