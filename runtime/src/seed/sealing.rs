//! Seals the secrets of plans, each for the server that reads it.

use std::collections::HashMap;

use wattle::model::{Name, Value};
use wattle::requirement::Operand;
use wattle_agent_core::planning::Sealing;

use crate::space::{Held, Opener, OperatorKey, ServerKey, ServerPlan, ValueSource, open, seal};
use crate::store::MAX_DATA;

use super::present::Present;
use super::roster::Roster;
use super::{SeedError, unknown_server};

/// The number of bytes that each reader adds to a sealed secret (age's stanza for X25519, in base64).
const STANZA: usize = 132;

/// Encrypts secrets with the servers' own keys, and so that the operator can read them back. An unchanged value keeps
/// its text from the previous plan, so that unchanged plans do not appear changed.
pub(super) struct ForServers<'a> {
    operator: &'a OperatorKey,
    /// The key with which the operator opens earlier secrets, until they are sealed again.
    former: Option<&'a OperatorKey>,
    roster: &'a Roster,
    present: &'a Present,
    /// By server and value.
    sealed: HashMap<Name, HashMap<String, String>>,
}

impl<'a> ForServers<'a> {
    /// Creates it for servers with the identities of the roster, and the existing plans.
    pub(super) fn new(operator: &'a OperatorKey, roster: &'a Roster, present: &'a Present) -> Self {
        Self { operator, former: None, roster, present, sealed: HashMap::new() }
    }

    /// Creates it for an operator whose key was `former` before: all secrets are sealed again.
    pub(super) fn succeeding(
        operator: &'a OperatorKey,
        former: &'a OperatorKey,
        roster: &'a Roster,
        present: &'a Present,
    ) -> Self {
        Self { former: Some(former), ..Self::new(operator, roster, present) }
    }

    fn opener(&self) -> Opener {
        let own = self.operator.opener();
        self.former.map_or_else(|| own.clone(), |former| own.or(&former.opener()))
    }

    fn recipient(&self, server: &str) -> Result<&'a str, SeedError> {
        let identity = self.roster.identity(server).ok_or_else(|| unknown_server(server))?;
        Ok(&identity.recipient)
    }

    /// The secrets in the present plan of `server`, if they were encrypted for its present identity.
    fn before(&self, server: &Name) -> HashMap<String, String> {
        let is_same = self.former.is_none()
            && self.roster.identity(server).map(|identity| &identity.principal) == self.present.principals.get(server);
        let plan = self.present.plans.get(server).filter(|_| is_same);
        plan.map(|plan| opened(plan, &self.operator.opener())).unwrap_or_default()
    }

    /// Returns a plan unchanged, except for its secrets, which are encrypted for the present identity of `server`.
    ///
    /// # Errors
    /// [`SeedError::Unreadable`] if the operator cannot read one.
    pub(super) fn reseal(&mut self, server: &Name, mut plan: ServerPlan) -> Result<ServerPlan, SeedError> {
        let opener = self.opener();
        let mut again = |source: &ValueSource| {
            source.rebuild(&mut |part| match part {
                ValueSource::Leaf(Held::Sealed(sealed)) => {
                    let value = open(sealed, &opener);
                    let value = value.map_err(|_| SeedError::Unreadable { server: server.to_string() })?;
                    self.seal(Some(server), &value).map(Some)
                }
                ValueSource::Leaf(leaf) => Ok(Some(ValueSource::Leaf(leaf.clone()))),
                _ => Ok(None),
            })
        };
        for component in plan.components.values_mut() {
            for input in component.inputs.values_mut() {
                input.from = again(&input.from)?;
            }
            for required in component.requires.values_mut() {
                required.predicate = required.predicate.try_map(&mut |operand| {
                    Ok::<_, SeedError>(Operand { name: operand.name.clone(), from: again(&operand.from)? })
                })?;
            }
        }
        Ok(plan)
    }
}

impl Sealing for ForServers<'_> {
    type Error = SeedError;

    fn seal(&mut self, server: Option<&Name>, value: &Value) -> Result<ValueSource, SeedError> {
        let held = |sealed| ValueSource::Leaf(Held::Sealed(sealed));
        let Some(server) = server else {
            let nobody = ServerKey::generate().recipient();
            return Ok(held(seal(value, [nobody.as_str()])?));
        };
        let text = value.to_string();
        if !self.sealed.contains_key(server) {
            self.sealed.insert(server.clone(), self.before(server));
        }
        if let Some(sealed) = self.sealed.get(server).and_then(|known| known.get(&text)) {
            return Ok(held(sealed.clone()));
        }
        let sealed = seal(value, [self.recipient(server)?, &self.operator.recipient()])?;
        self.sealed.entry(server.clone()).or_default().insert(text, sealed.clone());
        Ok(held(sealed))
    }

    fn key(&self, server: &Name) -> Option<Name> {
        let known = self.roster.servers.get(server).filter(|known| known.signs())?;
        Some(known.identity().key.to_string().into())
    }

    fn recipients(&mut self, entry: &str, servers: &[&Name]) -> Result<Vec<String>, SeedError> {
        let bytes = servers.len() * STANZA;
        if bytes > MAX_DATA {
            return Err(SeedError::TooLarge {
                what: format!("a secret in the entry `{entry}`, encrypted for {} servers,", servers.len()),
                bytes,
                help: "give it to all of them as a parameter, or let a component of each group of servers pass it on",
            });
        }
        servers.iter().map(|server| self.recipient(server).map(ToOwned::to_owned)).collect()
    }
}

/// The secrets of a plan, with their sealed form.
fn opened(plan: &ServerPlan, opener: &Opener) -> HashMap<String, String> {
    let mut found = HashMap::new();
    let mut sources = Vec::new();
    for component in plan.components.values() {
        sources.extend(component.inputs.values().map(|input| &input.from));
        for requirement in component.requires.values() {
            requirement.predicate.each(&mut |operand| sources.push(&operand.from));
        }
    }
    for held in sources.into_iter().flat_map(ValueSource::leaves) {
        if let Held::Sealed(sealed) = held
            && let Ok(value) = open(sealed, opener)
        {
            found.entry(value.to_string()).or_insert_with(|| sealed.clone());
        }
    }
    found
}
