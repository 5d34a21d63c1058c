//! The keys that verify what servers write.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use wattle::model::Name;

use super::envelope::{Disowned, said_by};
use super::following::Dated;
use super::signed::Authority;
use super::verified::Verified;
use super::{Layout, Revision, ServerPlan};

/// The keys of servers, as found in plans.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// By stack and server.
    keys: Mutex<HashMap<(Name, Name), Known>>,
    /// The servers whose plan was read and is not the operator's.
    unknown: Mutex<HashSet<(Name, Name)>>,
    verified: Verified,
    /// Contents that are not trusted, by path.
    refused: watch::Sender<BTreeMap<String, Disowned>>,
}

/// The known key of a server.
#[derive(Clone, Debug)]
struct Known {
    key: Authority,
    /// The revision since which it has this key. Unknown for servers of other stacks.
    since: Option<Revision>,
}

/// The result of verifying contents in a server's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They are from the server or the operator, or cannot be verified.
    Counts,
    /// Likewise, for a revision newer than the one since which the server's key is known. They are accepted if the
    /// desired revision has that revision.
    Newer(Revision),
    /// They are from a revision before the server had its present key, and count as absent.
    Outdated,
    /// They are from someone else.
    Disowned(Disowned),
}

impl Writers {
    /// Takes the keys from the plan of `server`, which belongs to `layout`'s stack.
    pub(super) fn learn(&self, layout: &Layout, server: &Name, plan: &ServerPlan) {
        let mut keys = self.keys();
        self.unknown().remove(&(layout.stack().into(), server.clone()));
        for (stack, server, key) in plan.keys(server) {
            let since = stack.is_none().then(|| plan.expects(server));
            let stack = stack.cloned().unwrap_or_else(|| layout.stack().into());
            // Keys in another format are of a newer version, whose signatures cannot be verified here.
            if let Ok(key) = key.parse() {
                keys.insert((stack, server.clone()), Known { key, since });
            } else {
                tracing::warn!("the key of `{server}` cannot be understood here: is this program too old?");
            }
        }
    }

    /// Learns the key of `server`, which belongs to `layout`'s stack and has no valid plan. Without a key, nothing that
    /// it writes is accepted from now on.
    pub(super) fn learn_one(&self, layout: &Layout, server: &Name, key: Option<Authority>) {
        let place = (Name::from(layout.stack()), server.clone());
        if let Some(key) = key {
            self.unknown().remove(&place);
            self.keys().insert(place, Known { key, since: None });
        } else {
            self.keys().remove(&place);
            self.unknown().insert(place);
        }
    }

    /// Verifies the contents at `path`: they must be from the server that owns the path, or from the `operator`.
    /// Anything is accepted from servers whose key is unknown, and so are empty contents. Pass the result to
    /// [`note`](Self::note).
    pub(super) fn judge(&self, operator: Option<&Authority>, path: &str, data: &[u8]) -> Verdict {
        let Some(place) = said_by(path).filter(|_| !data.is_empty()) else { return Verdict::Counts };
        if self.unknown().contains(&(place.0.into(), place.1.into())) {
            return match self.verified.verify(operator.into_iter(), path, data) {
                Ok(()) => Verdict::Counts,
                Err(_) => Verdict::Disowned(Disowned::Unknown),
            };
        }
        let known = self.known(place);
        let judged = known.as_ref().map(|known| {
            let keys = std::iter::once(&known.key).chain(operator);
            self.verified.verify(keys, path, data)
        });
        let since = known.and_then(|known| known.since);
        let dated = || Some((since?, serde_json::from_slice::<Dated>(data).ok()?.of()));
        match (judged, dated()) {
            (Some(Ok(())), Some((since, of))) if of > since => Verdict::Newer(of),
            (None | Some(Ok(())), _) => Verdict::Counts,
            (Some(Err(_)), Some((since, of))) if of < since => Verdict::Outdated,
            (Some(Err(why)), _) => Verdict::Disowned(why),
        }
    }

    /// Records the result of verifying `path`: the reason why it is not trusted, if so.
    pub(super) fn note(&self, path: &str, why: Option<Disowned>) {
        self.refused.send_if_modified(|refused| match why {
            None => refused.remove(path).is_some(),
            Some(why) => refused.insert(path.to_owned(), why) != Some(why),
        });
    }

    /// The key that verifies what a server of a stack writes. `None` if anything is accepted.
    pub(super) fn key(&self, place: (&str, &str)) -> Option<Authority> {
        self.known(place).map(|known| known.key)
    }

    fn known(&self, (stack, server): (&str, &str)) -> Option<Known> {
        self.keys().get(&(stack.into(), server.into())).cloned()
    }

    /// The contents that are not trusted.
    pub(super) fn refused(&self) -> watch::Receiver<BTreeMap<String, Disowned>> {
        self.refused.subscribe()
    }

    fn unknown(&self) -> MutexGuard<'_, HashSet<(Name, Name)>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<(Name, Name), Known>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use wattle::model::Order;
    use wattle_agent_core::content::{Content, Written};

    use super::super::signed::Signer;
    use super::*;

    const PATH: &str = "/wattle/shop/entries/db/part/out";

    #[test]
    fn what_a_server_said_with_its_former_key_is_no_ones_forgery() {
        let (former, now) = (Signer::of_server("former"), Signer::of_server("now"));
        let writers = Writers::default();
        let of = |number| Revision { space: Some("space".into()), number };
        let said = |signer: &Signer, number| {
            signer.vouch(PATH, &Written::new(&of(number), Content::Value("x".into())).to_bytes())
        };
        let judged = |data: &[u8]| {
            let verdict = writers.judge(None, PATH, data);
            writers.note(PATH, if let Verdict::Disowned(why) = &verdict { Some(*why) } else { None });
            (verdict, writers.refused().borrow().len())
        };
        assert_eq!(judged(&said(&former, 1)), (Verdict::Counts, 0), "nothing is known yet");
        let key = now.authority().to_string();
        let plan = ServerPlan::retired(&of(2), Order::Declared, Some(key.as_str().into()));
        writers.learn(&Layout::new("shop"), &"db".into(), &plan);
        assert_eq!(judged(&said(&former, 1)), (Verdict::Outdated, 0));
        assert_eq!(judged(&said(&former, 2)), (Verdict::Disowned(Disowned::Forged), 1));
        assert_eq!(judged(b"{\"revision\": 3, \"space\": \"space\"}"), (Verdict::Disowned(Disowned::Unsigned), 1));
        assert_eq!(judged(b"hello"), (Verdict::Disowned(Disowned::Unsigned), 1));
        assert_eq!(judged(&said(&now, 2)), (Verdict::Counts, 0));
        assert_eq!(judged(&said(&now, 3)), (Verdict::Newer(of(3)), 0));
        assert_eq!(judged(b""), (Verdict::Counts, 0));
    }
}
