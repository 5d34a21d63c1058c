//! What a seed wires, in the terms of a plan: no parameters and no imports any more.

use std::collections::HashMap;

use indexmap::IndexMap;
use wattle::lower::Seed;
use wattle::lower::seed::Wire;
use wattle::model::{Name, Value};
use wattle::values;

use crate::space::{Credential, Plan, Source, open, seal};

use super::SeedError;

/// An export of another stack: `(STACK, EXPORT)`.
pub(super) type ImportKey = (Name, Name);

/// What wires are resolved with.
pub(super) struct Resolver<'a> {
    pub(super) seed: &'a Seed,
    pub(super) parameters: &'a IndexMap<Name, Value>,
    pub(super) imports: &'a IndexMap<ImportKey, Source>,
}

impl Resolver<'_> {
    /// The source for a server whose secrets `sealer` seals; `secret` if all of it is to be sealed.
    pub(super) fn source(&self, wire: &Wire, secret: bool, sealer: &mut Sealer<'_>) -> Result<Source, SeedError> {
        Ok(match wire {
            Wire::Value(constant) => known(constant, secret, sealer)?,
            Wire::Parameter(name) => {
                let confidential = self.seed.parameters.get(name).is_none_or(|parameter| parameter.ty.is_secret());
                known(self.parameters.get(name).unwrap_or(&Value::Null), secret || confidential, sealer)?
            }
            Wire::Entry(entry) => Source::Entry(entry.clone()),
            Wire::UserData(key) => Source::UserData(key.clone()),
            Wire::Import { stack, export } => {
                let key = (stack.clone(), export.clone());
                match self.imports.get(&key).cloned().unwrap_or(Source::Value(Value::Null)) {
                    Source::Value(imported) => known(&imported, secret, sealer)?,
                    source => source,
                }
            }
            Wire::Text(parts) => Source::Text(self.sources(parts, secret, sealer)?),
            Wire::List(parts) => Source::List(self.sources(parts, secret, sealer)?),
            Wire::Map(parts) => {
                let source = |(name, part): (&Name, &Wire)| Ok((name.clone(), self.source(part, secret, sealer)?));
                Source::Map(parts.iter().map(source).collect::<Result<_, SeedError>>()?)
            }
            Wire::Function { name, argument } => self.function(name, argument, secret, sealer)?,
            other => unreachable!("INVARIANT: the seed's format has no {other:?}"),
        })
    }

    /// What a function gives, if all that it is given is known; else the agent computes it.
    fn function(
        &self,
        name: &Name,
        argument: &Wire,
        secret: bool,
        sealer: &mut Sealer<'_>,
    ) -> Result<Source, SeedError> {
        // Of an `if` that is decided the other value need not be known.
        if let ("if", Wire::List(parts)) = (&**name, argument)
            && let [condition, values @ ..] = parts.as_slice()
            && let Some((Value::Boolean(holds), _)) = self.known(condition)?
        {
            return match values.get(usize::from(!holds)) {
                Some(value) => self.source(value, secret, sealer),
                None => known(&Value::Null, secret, sealer),
            };
        }
        if let Some((argument, confidential)) = self.known(argument)? {
            return known(&computed(name, &argument)?, secret || confidential, sealer);
        }
        let argument = Box::new(self.source(argument, secret, sealer)?);
        Ok(Source::Function { name: name.clone(), argument })
    }

    /// The value, if constants and parameters make it, and whether a secret is in it.
    fn known(&self, wire: &Wire) -> Result<Option<(Value, bool)>, SeedError> {
        let all = |parts: &[Wire]| -> Result<Option<(Vec<Value>, bool)>, SeedError> {
            let (mut values, mut secret) = (Vec::with_capacity(parts.len()), false);
            for part in parts {
                let Some((value, confidential)) = self.known(part)? else { return Ok(None) };
                values.push(value);
                secret |= confidential;
            }
            Ok(Some((values, secret)))
        };
        Ok(match wire {
            Wire::Value(value) => Some((value.clone(), false)),
            Wire::Parameter(name) => {
                let secret = self.seed.parameters.get(name).is_none_or(|parameter| parameter.ty.is_secret());
                Some((self.parameters.get(name).cloned().unwrap_or(Value::Null), secret))
            }
            Wire::Text(parts) => {
                all(parts)?.map(|(values, secret)| (values.iter().map(values::text).collect::<String>().into(), secret))
            }
            Wire::List(parts) => all(parts)?.map(|(values, secret)| (Value::List(values), secret)),
            Wire::Map(parts) => {
                let values: Vec<Wire> = parts.values().cloned().collect();
                all(&values)?.map(|(values, secret)| (Value::Map(parts.keys().cloned().zip(values).collect()), secret))
            }
            Wire::Function { name, argument } => match self.known(argument)? {
                Some((argument, secret)) => Some((computed(name, &argument)?, secret)),
                None => None,
            },
            _ => None,
        })
    }

    fn sources(&self, parts: &[Wire], secret: bool, sealer: &mut Sealer<'_>) -> Result<Vec<Source>, SeedError> {
        parts.iter().map(|part| self.source(part, secret, sealer)).collect()
    }
}

fn computed(function: &str, argument: &Value) -> Result<Value, SeedError> {
    wattle_heat::evaluate::apply(function, argument).map_err(|why| SeedError::Function { why })
}

fn known(value: &Value, secret: bool, sealer: &mut Sealer<'_>) -> Result<Source, SeedError> {
    Ok(if secret { Source::Sealed(sealer.seal(value)?) } else { Source::Value(value.clone()) })
}

/// Encrypts values for one server; the same value is the same text, also as in the plan before: what has not changed
/// does not look as if it had.
pub(super) struct Sealer<'a> {
    credential: &'a Credential,
    recipient: Option<String>,
    before: Option<&'a Plan>,
    known: Option<HashMap<String, String>>,
}

impl<'a> Sealer<'a> {
    pub(super) fn new(credential: &'a Credential, before: Option<&'a Plan>) -> Self {
        Self { credential, recipient: None, before, known: None }
    }

    pub(super) fn seal(&mut self, value: &Value) -> Result<String, SeedError> {
        let known =
            self.known.get_or_insert_with(|| self.before.map(|plan| opened(plan, self.credential)).unwrap_or_default());
        let text = value.to_string();
        if let Some(sealed) = known.get(&text) {
            return Ok(sealed.clone());
        }
        let recipient = self.recipient.get_or_insert_with(|| self.credential.recipient());
        let sealed = seal(value, [recipient.as_str()])?;
        known.insert(text, sealed.clone());
        Ok(sealed)
    }
}

/// The secrets of a plan, with how they are sealed there.
fn opened(plan: &Plan, credential: &Credential) -> HashMap<String, String> {
    let opener = credential.opener();
    let mut found = HashMap::new();
    let mut sources = Vec::new();
    for component in plan.components.values() {
        sources.extend(component.inputs.values().map(|input| &input.from));
        for requirement in component.requires.values() {
            requirement.predicate.each(&mut |operand| sources.push(&operand.from));
        }
    }
    for source in sources {
        each(source, &mut |source| {
            if let Source::Sealed(sealed) = source
                && let Ok(value) = open(sealed, &opener)
            {
                found.entry(value.to_string()).or_insert_with(|| sealed.clone());
            }
        });
    }
    found
}

/// Every part of a source.
pub(super) fn each<'a>(source: &'a Source, visit: &mut impl FnMut(&'a Source)) {
    visit(source);
    match source {
        Source::Text(parts) | Source::List(parts) => parts.iter().for_each(|part| each(part, visit)),
        Source::Map(parts) => parts.values().for_each(|part| each(part, visit)),
        Source::Function { argument, .. } => each(argument, visit),
        _ => {}
    }
}
