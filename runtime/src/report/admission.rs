//! Which servers use the credentials of their user data, and for which a second server has appeared.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::model::Name;
use wattle_agent_core::time::Time;

use crate::space::{
    Announcement, DesiredRevision, Fingerprint, Record, Registered, Space, SpaceError, parse_json, unverified,
};
use crate::store::StoreError;

use super::snapshot::{AT_ONCE, natural};

/// The servers' identities, for the operator. Empty if servers have no keys of their own, or if the reader lacks
/// permission.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// The servers that use the credentials of their user data.
    pub on_credentials: Vec<Name>,
    /// The admitted servers for which another one has appeared.
    pub others: Vec<Other>,
    known: HashMap<Name, Arc<Registered>>,
}

/// A server that has appeared with a credential that was already used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The server that it claims to be.
    pub server: Name,
    /// When it appeared, by its own clock.
    pub since: Time,
    /// The key that it has generated.
    pub key: Fingerprint,
}

impl Admission {
    /// Reads the identities, except for those in `known`.
    pub(super) async fn read(
        space: &Space,
        desired: Option<&DesiredRevision>,
        known: Option<&Self>,
    ) -> Result<Self, SpaceError> {
        let layout = space.layout();
        let mut names = match space.store().children(&layout.admission()).await {
            Err(StoreError::Denied { .. }) => return Ok(Self::default()),
            names => names?,
        };
        names.sort_by(|a, b| natural(a, b));
        let read = names.into_iter().map(|name| {
            let name = Name::from(name);
            let registered = known.and_then(|known| known.known.get(&name).cloned());
            async move {
                let registered = match registered {
                    Some(registered) => Some(registered),
                    None => registered_as(space, &name).await?,
                };
                let path = layout.announcement(&name);
                let said = space.store().get(&path).await?;
                let other = registered.as_deref().zip(said).and_then(|(registered, said)| {
                    let by = &registered.credential.key;
                    let said = Announcement::read(&path, &said.data, (layout.stack(), &name), by)?;
                    let is_here = desired.is_some_and(|desired| desired.space == said.space);
                    let is_other = registered.admitted.is_some() && !said.identity.has_key_of(registered.identity());
                    (is_here && is_other).then(|| Other {
                        server: name.clone(),
                        since: said.at,
                        key: said.identity.key.fingerprint(),
                    })
                });
                Ok::<_, SpaceError>((name, registered, other))
            }
        });
        let read: Vec<_> = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        let mut admission = Self::default();
        for (name, registered, other) in read {
            let Some(registered) = registered else { continue };
            if registered.admitted.is_none() {
                admission.on_credentials.push(name.clone());
            }
            admission.others.extend(other);
            admission.known.insert(name, registered);
        }
        Ok(admission)
    }
}

async fn registered_as(space: &Space, server: &str) -> Result<Option<Arc<Registered>>, SpaceError> {
    let path = space.layout().server(server);
    let Some(node) = space.store().get(&path).await? else { return Ok(None) };
    let record: Option<Record> = parse_json(&path, unverified(&node.data)).unwrap_or_default();
    Ok(record.and_then(|record| record.registered().cloned()).map(Arc::new))
}
