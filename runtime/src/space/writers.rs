//! Whose word counts for what: by which keys is judged what servers say.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use wattle::model::Name;

use super::envelope::{Disowned, said_by, verify};
use super::signed::Authority;
use super::{Layout, Plan};

/// The keys of servers, as plans tell them.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// By stack and server.
    keys: Mutex<HashMap<(Name, Name), Authority>>,
    /// What is there and not believed, by path.
    refused: watch::Sender<BTreeMap<String, Disowned>>,
}

impl Writers {
    /// Takes the keys from the plan of `server`, one of `layout`'s stack.
    pub(super) fn learn(&self, layout: &Layout, server: &Name, plan: &Plan) {
        let mut keys = self.keys();
        for (stack, server, key) in plan.keys(server) {
            let stack = stack.cloned().unwrap_or_else(|| layout.stack().into());
            // Another form of key is a newer version's, whose signatures are nobody's here.
            if let Ok(key) = key.parse() {
                keys.insert((stack, server.clone()), key);
            } else {
                tracing::warn!("the key of `{server}` makes no sense here: is this program too old?");
            }
        }
    }

    /// Judges what is at `path`: it must be of the server whose place that is, or of the `operator`. Of servers whose key is not
    /// known, everything counts, and so does nothing at all.
    pub(super) fn judge(&self, operator: Option<&Authority>, path: &str, data: &[u8]) -> Result<(), Disowned> {
        let Some((stack, server)) = said_by(path).filter(|_| !data.is_empty()) else { return Ok(()) };
        let key = self.key((stack, server));
        let judged = key.map_or(Ok(()), |key| verify(std::iter::once(&key).chain(operator), path, data));
        self.refused.send_if_modified(|refused| match judged {
            Ok(()) => refused.remove(path).is_some(),
            Err(why) => refused.insert(path.to_owned(), why) != Some(why),
        });
        judged
    }

    /// By which key is judged what a server of a stack says; none if all of it counts.
    pub(super) fn key(&self, (stack, server): (&str, &str)) -> Option<Authority> {
        self.keys().get(&(stack.into(), server.into())).copied()
    }

    /// What is there and not believed.
    pub(super) fn refused(&self) -> watch::Receiver<BTreeMap<String, Disowned>> {
        self.refused.subscribe()
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<(Name, Name), Authority>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
