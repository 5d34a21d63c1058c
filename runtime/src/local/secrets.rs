//! Generated secrets, for users who only want to try out a topology. They are the same each time.

use std::io;

use wattle::lower::Seed;
use wattle::manners::read_bytes;
use wattle::model::{IndexMap, Name, Type, json};

use crate::seed::Given;

use super::error::UpError;
use super::folder::{Folder, write_whole};

/// Completes `given` with the secrets that were generated before and, if `make` is set, generates the missing ones.
pub(super) fn complete(folder: &Folder, seed: &Seed, mut given: Given, make: bool) -> Result<Given, UpError> {
    let file = folder.secrets();
    let mut known: IndexMap<Name, String> = match read_bytes(&file) {
        Ok(text) => json::read(&text).map_err(|reason| UpError::file(&file)(io::Error::other(reason)))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => IndexMap::default(),
        Err(error) => return Err(UpError::file(&file)(error)),
    };
    let mut is_new = false;
    for (name, parameter) in given.missing(seed) {
        let is_text = |ty: &Type| ty.is_secret() && ty.refuse(&"x".into()).is_none();
        if !is_text(&parameter.ty) {
            continue;
        }
        if !known.contains_key(name) && make {
            known.insert(name.clone(), random().map_err(UpError::file(&file))?);
            is_new = true;
        }
        if let Some(secret) = known.get(name) {
            given.set(name, secret.as_str().into());
        }
    }
    if is_new {
        let text = serde_json::to_string_pretty(&known).map_err(|error| UpError::file(&file)(error.into()))?;
        write_whole(&file, format!("{text}\n").as_bytes(), 0o600).map_err(UpError::file(&file))?;
    }
    Ok(given)
}

/// 128 random bits, in a form that any software accepts as a password.
fn random() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(wattle_agent_core::hex(&bytes))
}
