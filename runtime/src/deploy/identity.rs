//! The identity of a deployment: its mark on all things in a cloud, and the key of its digests.
//!
//! Both are random and remain as long as the deployment exists, even if the operator's key changes. If they changed,
//! all things would belong to another deployment, or differ from their sources.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use wattle::model::{Name, Value};
use wattle_agent_core::hex;

use crate::space::{DesiredRevision, Layout, OperatorKey, SealError, open, seal};
use crate::store::{Store, StoreError};

use super::keeper::{get, json};
use super::place::Place;
use super::{DeployError, own};

/// The identity of a deployment.
#[derive(Clone)]
pub struct Identity {
    /// The text in the marks of its things: the stack's name and a few random characters.
    pub mark: String,
    /// The key of its digests.
    pub key: [u8; 32],
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("mark", &self.mark).finish_non_exhaustive()
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    mark: String,
    /// The data space of the stack, if known: records about its infrastructure are not valid in any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Name>,
    /// Encrypted for the operator: with the key, short values could be guessed from their digests.
    key: String,
}

impl Identity {
    /// Returns the identity of `stack`; creates one if it has none.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub async fn of(store: &Arc<dyn Store>, stack: &str, operator: &OperatorKey) -> Result<Self, DeployError> {
        let store = &own(store, operator);
        super::keeper::prepare(store, stack).await?;
        let place = Place::new(stack);
        loop {
            if let Some((kept, _)) = get::<Kept>(store, stack, place.root()).await? {
                return Self::opened(&kept, operator).map_err(|source| sealed(stack, source));
            }
            let Some(node) = store.get(place.root()).await? else {
                super::keeper::prepare(store, stack).await?;
                continue;
            };
            let made = Self { mark: format!("{stack}-{}", hex(&chance::<3>())), key: chance() };
            let space = space(store, stack).await?;
            let kept = made.kept(operator, space).map_err(|source| sealed(stack, source))?;
            match store.set(place.root(), &json(&kept), Some(node.version)).await {
                // The identity of the first process wins.
                Ok(_) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Encrypts the identity of `stack` for the owner of the `next` key, if it is still encrypted for the `former` one.
    pub(super) async fn pass_on(
        store: &Arc<dyn Store>,
        stack: &str,
        former: &OperatorKey,
        next: &OperatorKey,
    ) -> Result<(), DeployError> {
        let place = Place::new(stack);
        let Some((kept, version)) = get::<Kept>(store, stack, place.root()).await? else { return Ok(()) };
        if Self::opened(&kept, next).is_ok() {
            return Ok(());
        }
        let own = Self::opened(&kept, former).map_err(|source| sealed(stack, source))?;
        let kept = own.kept(next, kept.space).map_err(|source| sealed(stack, source))?;
        store.set(place.root(), &json(&kept), Some(version)).await?;
        Ok(())
    }

    fn kept(&self, operator: &OperatorKey, space: Option<Name>) -> Result<Kept, SealError> {
        let recipient = operator.recipient();
        let key = seal(&Value::Str(STANDARD.encode(self.key).into()), [recipient.as_str()])?;
        Ok(Kept { mark: self.mark.clone(), space, key })
    }

    fn opened(kept: &Kept, operator: &OperatorKey) -> Result<Self, SealError> {
        let Value::Str(text) = open(&kept.key, &operator.opener())? else { return Err(SealError::Value) };
        let key = STANDARD.decode(&*text).ok().and_then(|bytes| bytes.try_into().ok()).ok_or(SealError::Value)?;
        Ok(Self { mark: kept.mark.clone(), key })
    }
}

/// The data space of `stack`, if known.
async fn space(store: &Arc<dyn Store>, stack: &str) -> Result<Option<Name>, DeployError> {
    let desired = get::<DesiredRevision>(store, stack, &Layout::new(stack).revision()).await?;
    Ok(desired.and_then(|(desired, _)| desired.space))
}

/// The top node of `stack`'s infrastructure for its present data space, and the mark with which everything else there
/// is signed.
pub(super) async fn of_this_space(
    store: &Arc<dyn Store>,
    stack: &str,
    held: &[u8],
) -> Result<Option<(Vec<u8>, String)>, DeployError> {
    let Ok(kept) = serde_json::from_slice::<Kept>(held) else { return Ok(None) };
    let kept = Kept { space: space(store, stack).await?, ..kept };
    Ok(Some((json(&kept), kept.mark)))
}

fn chance<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("INVARIANT: the system has random numbers");
    bytes
}

fn sealed(stack: &str, source: SealError) -> DeployError {
    DeployError::Sealed { stack: stack.to_owned(), source }
}
