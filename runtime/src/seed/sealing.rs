//! How the secrets of plans are sealed: each for the server that reads it.

use std::collections::HashMap;

use wattle::model::{IndexMap, Name, Value};
use wattle_agent_core::planning::Sealing;

use crate::space::{Credential, Held, Plan, Source, open, seal};
use crate::store::MAX_DATA;

use super::credentials::Credentials;
use super::{SeedError, unknown_server};

/// Bytes that each reader of a secret adds to its sealed form (age's stanza for X25519, in base64).
const STANZA: usize = 132;

/// Encrypts with the servers' own keys; the same value is the same text, also as in the plan before: what has not changed
/// does not look as if it had.
pub(super) struct ForServers<'a> {
    credentials: &'a Credentials,
    before: &'a IndexMap<Name, Plan>,
    recipients: HashMap<Name, String>,
    /// By server and value.
    sealed: HashMap<Name, HashMap<String, String>>,
}

impl<'a> ForServers<'a> {
    /// With the servers' credentials, and the plans that they have.
    pub(super) fn new(credentials: &'a Credentials, before: &'a IndexMap<Name, Plan>) -> Self {
        Self { credentials, before, recipients: HashMap::new(), sealed: HashMap::new() }
    }

    fn credential(&self, server: &str) -> Result<&'a Credential, SeedError> {
        self.credentials.get(server).ok_or_else(|| unknown_server(server))
    }

    fn recipient(&mut self, server: &Name) -> Result<&str, SeedError> {
        let credential = self.credential(server)?;
        Ok(self.recipients.entry(server.clone()).or_insert_with(|| credential.recipient()))
    }
}

impl Sealing for ForServers<'_> {
    type Error = SeedError;

    fn seal(&mut self, server: Option<&Name>, value: &Value) -> Result<Source, SeedError> {
        let held = |sealed| Source::Leaf(Held::Sealed(sealed));
        let Some(server) = server else {
            let nobody = Credential::generate("").recipient();
            return Ok(held(seal(value, [nobody.as_str()])?));
        };
        let credential = self.credential(server)?;
        let before = self.before.get(server);
        let known = || before.map(|plan| opened(plan, credential)).unwrap_or_default();
        let text = value.to_string();
        if let Some(sealed) = self.sealed.entry(server.clone()).or_insert_with(known).get(&text) {
            return Ok(held(sealed.clone()));
        }
        let sealed = seal(value, [self.recipient(server)?])?;
        self.sealed.entry(server.clone()).or_default().insert(text, sealed.clone());
        Ok(held(sealed))
    }

    fn key(&self, server: &Name) -> Option<Name> {
        Some(self.credentials.get(server)?.key()?.to_string().into())
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
