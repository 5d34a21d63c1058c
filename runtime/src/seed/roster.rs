//! The identities of a stack's servers: their credentials, or their own keys once admitted.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};
use wattle::model::{IndexMap, Name};
use wattle_agent_core::hex;
use wattle_agent_core::time::Time;

use crate::parallel;
use crate::space::{Admitted, Announced, Announcement, Authority, Fingerprint, Layout, Public, Record, Registered};
use crate::store::Principal;

use super::Credentials;

/// The recorded identities of servers, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Register {
    /// The identities that the operator has signed.
    pub(super) records: HashMap<Name, Record>,
    /// The servers' announcements, unverified. They may be empty.
    pub(super) announced: HashMap<Name, Vec<u8>>,
}

impl Register {
    /// The keys that servers sign with, as far as the operator has signed their owners.
    pub(super) fn keys(&self) -> Vec<(&Name, Authority)> {
        let known = self.records.iter().filter_map(|(server, record)| Some((server, record.registered()?)));
        let keys = known.flat_map(|(server, known)| [(server, known.credential.key), (server, known.identity().key)]);
        keys.collect()
    }

    /// Whether the place of `server`'s announcement contains something that the server did not announce.
    pub(super) fn is_disowned(&self, layout: &Layout, server: &Name) -> bool {
        let known = self.records.get(server).and_then(Record::registered);
        let (Some(data), Some(known)) = (self.announced.get(server), known) else { return false };
        let (path, place) = (layout.announcement(server), (layout.stack(), &**server));
        !Announced::is_empty(data) && Announcement::read(&path, data, place, &known.credential.key).is_none()
    }

    /// The announcements that [are disowned](Self::is_disowned), one per line.
    pub(super) fn disowned(&self, layout: &Layout) -> Vec<String> {
        let mut servers: Vec<&Name> = self.announced.keys().filter(|server| self.is_disowned(layout, server)).collect();
        servers.sort_unstable();
        let line = |server: &Name| {
            format!(
                "`{}` does not hold an announcement of `{server}`, and apart from the operator only someone with the \
                 credential of `{server}` can have written it: `wattle seed apply DIR --again` empties it",
                layout.announcement(server)
            )
        };
        servers.into_iter().map(line).collect()
    }

    /// The announcement that makes a server `server`, whose identity is `known`, in the data space with this name.
    fn comes(&self, layout: &Layout, server: &Name, known: &Public, space: Option<&Name>) -> Option<Announcement> {
        let (data, path) = (self.announced.get(server)?, layout.announcement(server));
        let said = Announcement::read(&path, data, (layout.stack(), server), &known.key)?;
        Some(said).filter(|said| said.space.as_ref() == space)
    }
}

/// The servers to admit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admitting<'a> {
    /// Whether to admit servers that use their credentials.
    pub(super) newcomers: bool,
    /// Servers to admit once more.
    pub(super) named: &'a [Name],
    /// The key that a server must have to be admitted.
    pub(super) only: Option<(&'a Name, Fingerprint)>,
    /// Whether only announcements endorsed by the previous keys count.
    pub(super) endorsed: bool,
    /// The name of the data space.
    pub(super) space: Option<&'a Name>,
    /// The present time.
    pub(super) now: Time,
}

/// The identities of a stack's servers from now on.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    pub(super) servers: IndexMap<Name, Registered>,
    /// The servers that are newly admitted.
    pub(super) admitted: Vec<Name>,
    /// The key that a server has announced instead of the required one.
    pub(super) other: Option<Fingerprint>,
}

impl Roster {
    /// Determines the identities of servers with `credentials`. Those in `there` count as far as they belong to the
    /// same credentials. For servers that have `left` the model before, only the credential counts, because Heat has
    /// created another server since.
    pub(super) fn of_credentials<'a>(
        layout: &Layout,
        servers: impl Iterator<Item = &'a Name>,
        credentials: &Credentials,
        there: &Register,
        left: impl Fn(&Name) -> bool,
        admitting: Admitting<'_>,
    ) -> Self {
        let servers: Vec<_> = servers.filter_map(|server| Some((server, credentials.get(server)?))).collect();
        let publics = parallel::map(&servers, |(server, credential)| credential.key().publics(layout.stack(), server));
        let registered = servers.into_iter().zip(publics).map(|((server, credential), mut publics)| {
            let known = there.records.get(server).and_then(Record::registered);
            let known = known.filter(|known| known.credential.has_key_of(&publics[0]));
            // As long as the store may have certificates of the authority with which the server was known, this
            // authority stays.
            let at = known.and_then(|known| publics.iter().position(|public| *public == known.credential));
            let public = publics.swap_remove(at.unwrap_or(0));
            let admitted = known.filter(|_| !left(server)).and_then(|known| known.admitted.clone());
            let former = credential.former_member(layout.stack()).is_some();
            (server.clone(), Registered { credential: public, former, admitted })
        });
        Self { servers: registered.collect(), admitted: Vec::new(), other: None }.admit(layout, there, admitting)
    }

    /// Determines the identities of `servers` without their credentials, as far as they were signed.
    pub(super) fn of_records<'a>(
        layout: &Layout,
        servers: impl Iterator<Item = &'a Name>,
        there: &Register,
        admitting: Admitting<'_>,
    ) -> Self {
        let registered = servers
            .filter_map(|server| Some((server.clone(), there.records.get(server)?.registered()?.clone())))
            .collect();
        Self { servers: registered, admitted: Vec::new(), other: None }.admit(layout, there, admitting)
    }

    fn admit(mut self, layout: &Layout, there: &Register, admitting: Admitting<'_>) -> Self {
        let Admitting { newcomers, named, only, endorsed, space, now } = admitting;
        for (server, registered) in &mut self.servers {
            let Some(said) = there.comes(layout, server, &registered.credential, space) else { continue };
            let announced = said.identity.key.fingerprint();
            if only.is_some_and(|(one, key)| one == server && key != announced) {
                self.other = Some(announced);
                continue;
            }
            let (path, before) = (layout.announcement(server), registered.identity());
            let is_newcomer = newcomers && registered.admitted.is_none();
            // Only its password differs, so only the server itself can have signed this.
            let is_itself = newcomers && said.identity.has_key_of(before);
            let is_named = named.contains(server) && (!endorsed || said.is_endorsed_by(&path, &before.key));
            if (is_newcomer || is_itself || is_named) && *before != said.identity {
                registered.admitted = Some(Admitted { identity: said.identity, since: now });
                self.admitted.push(server.clone());
            }
        }
        self
    }

    /// The identity of `server`.
    pub(super) fn identity(&self, server: &str) -> Option<&Public> {
        self.servers.get(server).map(Registered::identity)
    }

    /// The principal of each server.
    pub(super) fn principals(&self) -> HashMap<Name, Principal> {
        let principal = |(server, known): (&Name, &Registered)| (server.clone(), known.identity().principal.clone());
        self.servers.iter().map(principal).collect()
    }

    /// The servers that use their credentials.
    pub(super) fn on_credentials(&self) -> impl Iterator<Item = (&Name, &Registered)> {
        self.servers.iter().filter(|(_, known)| known.admitted.is_none())
    }

    /// The servers whose password is the same for all stores, as in earlier versions.
    pub(super) fn unbound(&self) -> impl Iterator<Item = &Name> {
        self.servers.iter().filter(|(_, known)| known.identity().store.is_none()).map(|(server, _)| server)
    }

    /// Whether some server uses a credential of an earlier version.
    pub(super) fn has_former(&self) -> bool {
        self.on_credentials().any(|(_, known)| known.former)
    }

    /// A digest that changes when any identity does. `has_places` is whether servers can make announcements.
    pub(super) fn digest(&self, has_places: bool) -> String {
        let who = |(server, known): (&Name, &Registered)| {
            (server.clone(), known.credential.clone(), known.former, known.identity().clone())
        };
        let mut all: Vec<_> = self.servers.iter().map(who).collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        hex(&Sha256::digest(serde_json::to_vec(&(has_places, all)).expect("INVARIANT: names and keys are JSON")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::ServerKey;

    const NOW: Time = Time::EPOCH;

    fn admitting<'a>(newcomers: bool, named: &'a [Name], space: &'a Name) -> Admitting<'a> {
        Admitting { newcomers, named, only: None, endorsed: false, space: Some(space), now: NOW }
    }

    #[test]
    fn whoever_was_never_admitted_is_and_another_one_only_by_name() {
        let layout = Layout::new("shop");
        let (db, space, other_space): (Name, Name, Name) = ("db".into(), "2026".into(), "2027".into());
        let [credential, first, second] = [(); 3].map(|()| ServerKey::generate());
        let public = |key: &ServerKey| key.public("shop", "db");
        let path = layout.announcement("db");
        let says = |key: &ServerKey| {
            let said = Announcement { space: Some(space.clone()), identity: public(key), at: NOW, endorsed: None };
            said.signed(&path, key, &credential)
        };
        let known = Registered { credential: public(&credential), former: false, admitted: None };
        let mut there = Register::default();
        there.records.insert(db.clone(), Record::Now(known));
        let roster = |there: &Register, newcomers, named: &[Name], space| {
            Roster::of_records(&layout, std::iter::once(&db), there, admitting(newcomers, named, space))
        };
        assert_eq!(roster(&there, true, &[], &space).identity("db"), Some(&public(&credential)));
        there.announced.insert(db.clone(), says(&first));
        assert_eq!(roster(&there, false, &[], &space).identity("db"), Some(&public(&credential)));
        assert_eq!(roster(&there, true, &[], &other_space).identity("db"), Some(&public(&credential)), "elsewhere");
        let admitted = roster(&there, true, &[], &space);
        assert_eq!(admitted.identity("db"), Some(&public(&first)));
        assert_eq!(admitted.admitted, std::slice::from_ref(&db));
        assert_ne!(admitted.digest(true), roster(&there, false, &[], &space).digest(true));

        there.records.insert(db.clone(), Record::Now(admitted.servers["db"].clone()));
        assert!(roster(&there, true, &[], &space).admitted.is_empty(), "it is there already");
        there.announced.insert(db.clone(), says(&second));
        assert_eq!(roster(&there, true, &[], &space).identity("db"), Some(&public(&first)), "it is another one");
        let again = roster(&there, true, std::slice::from_ref(&db), &space);
        assert_eq!(again.identity("db"), Some(&public(&second)));
        // Not if the key of another server is required.
        let only = |key: &ServerKey| {
            let only = Some((&db, public(key).key.fingerprint()));
            let admitting = Admitting { only, ..admitting(true, std::slice::from_ref(&db), &space) };
            Roster::of_records(&layout, std::iter::once(&db), &there, admitting)
        };
        assert_eq!(only(&second).identity("db"), Some(&public(&second)));
        let refused = only(&first);
        assert_eq!(refused.other, Some(public(&second).key.fingerprint()));
        assert!(refused.admitted.is_empty() && refused.identity("db") == Some(&public(&first)));
        assert_eq!(again.admitted, [db]);
    }
}
