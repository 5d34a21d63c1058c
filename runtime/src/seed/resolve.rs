//! What a seed wires, in the terms of a plan: no parameters and no imports any more.

use std::collections::HashMap;

use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, Name, Value};

use crate::space::{Credential, Held, Plan, Source, open, seal};

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
        wire.rebuild(&mut |part| {
            Ok(match part {
                Wire::Constant(value) => Some(sealer.source(value, secret)?),
                Wire::Leaf(origin) => Some(self.leaf(origin, secret, sealer)?),
                Wire::Function { name, argument } => self.function(name, argument, secret, sealer)?,
                Wire::Text(_) | Wire::List(_) | Wire::Map(_) => None,
            })
        })
    }

    fn leaf(&self, origin: &Origin, secret: bool, sealer: &mut Sealer<'_>) -> Result<Source, SeedError> {
        match origin {
            Origin::Parameter(name) => sealer.source(self.parameter(name), secret || self.is_secret(origin)),
            Origin::Entry(entry) => Ok(Source::Leaf(Held::Entry(entry.clone()))),
            Origin::UserData(key) => Ok(Source::Leaf(Held::UserData(key.clone()))),
            Origin::Import { stack, export } => match self.imports.get(&(stack.clone(), export.clone())) {
                None => sealer.source(&Value::Null, secret),
                Some(Source::Constant(imported)) => sealer.source(imported, secret),
                Some(source) => Ok(source.clone()),
            },
        }
    }

    /// What a function gives, if all that it is given is known; else the agent computes it.
    fn function(
        &self,
        name: &str,
        argument: &Wire,
        secret: bool,
        sealer: &mut Sealer<'_>,
    ) -> Result<Option<Source>, SeedError> {
        // Of an `if` that is decided the other value need not be known.
        if let Some((condition, [then, otherwise])) = Wire::branches(name, argument)
            && let Wire::Constant(Value::Boolean(holds)) = self.known(condition)?
        {
            let taken = if holds { then } else { otherwise };
            let nothing = Value::Null.into();
            return self.source(taken.unwrap_or(&nothing), secret, sealer).map(Some);
        }
        let Wire::Constant(given) = self.known(argument)? else { return Ok(None) };
        let secret = secret || argument.leaves().any(|origin| self.is_secret(origin));
        sealer.source(&computed(name, &given)?, secret).map(Some)
    }

    /// What constants and parameters make of it.
    fn known(&self, wire: &Wire) -> Result<Wire, SeedError> {
        let leaf = |origin: &Origin| match origin.parameter() {
            Some(name) => self.parameter(name).clone().into(),
            None => Wire::Leaf(origin.clone()),
        };
        wire.resolve(&mut |origin| Ok(leaf(origin)), &mut computed)
    }

    fn parameter(&self, name: &str) -> &Value {
        self.parameters.get(name).unwrap_or(&Value::Null)
    }

    fn is_secret(&self, origin: &Origin) -> bool {
        let secret = |name| self.seed.parameters.get(name).is_none_or(|parameter| parameter.ty.is_secret());
        origin.parameter().is_some_and(secret)
    }
}

fn computed(function: &str, argument: &Value) -> Result<Value, SeedError> {
    wattle_heat::evaluate::apply(function, argument).map_err(|why| SeedError::Function { why })
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

    /// The value, sealed if it is secret.
    pub(super) fn source(&mut self, value: &Value, secret: bool) -> Result<Source, SeedError> {
        Ok(if secret { Source::Leaf(Held::Sealed(self.seal(value)?)) } else { Source::Constant(value.clone()) })
    }

    fn seal(&mut self, value: &Value) -> Result<String, SeedError> {
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
    for held in sources.into_iter().flat_map(Source::leaves) {
        if let Held::Sealed(sealed) = held
            && let Ok(value) = open(sealed, &opener)
        {
            found.entry(value.to_string()).or_insert_with(|| sealed.clone());
        }
    }
    found
}
