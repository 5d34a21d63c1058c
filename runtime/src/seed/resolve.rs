//! What a seed wires, in the terms of a plan: no parameters and no imports any more.

use std::collections::HashMap;

use indexmap::IndexMap;
use wattle::lower::Seed;
use wattle::lower::seed::Wire;
use wattle::model::{Name, Value};

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
            other => unreachable!("INVARIANT: the seed's format has no {other:?}"),
        })
    }

    fn sources(&self, parts: &[Wire], secret: bool, sealer: &mut Sealer<'_>) -> Result<Vec<Source>, SeedError> {
        parts.iter().map(|part| self.source(part, secret, sealer)).collect()
    }
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
    for input in plan.components.values().flat_map(|component| component.inputs.values()) {
        each(&input.from, &mut |source| {
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
        _ => {}
    }
}
