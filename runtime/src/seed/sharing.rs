//! The data that the servers of a stack share: the right to read each other's statuses, and when it passes to another
//! login.

use std::collections::HashMap;

use wattle::model::Name;

use crate::space::{Layout, Members, OperatorKey, Shared};
use crate::store::{Access, AuthorityId, Login, Principal, Rights};

/// The data that the servers share in a revision.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    /// The login that each server receives.
    pub(super) login: Login,
    /// The authority of the stores that may learn the login.
    pub(super) store: Option<AuthorityId>,
    /// The members that are signed while one login replaces another.
    pub(super) under_way: Members,
    /// The members that are signed afterwards.
    pub(super) members: Members,
    counting: Vec<Principal>,
    all: Vec<Principal>,
    /// Whether all servers have received this login before.
    pub(super) is_known: bool,
}

impl Sharing {
    /// Determines the sharing in the data space with this name. `before` is what was shared so far, `left` is whether a
    /// server that may know it has left, and `former` is what must continue for earlier versions.
    pub(super) fn new(
        key: &OperatorKey,
        (layout, space): (&Layout, Option<&Name>),
        before: Option<&Shared>,
        left: bool,
        former: Option<Principal>,
    ) -> Self {
        let login = |generation| key.member_login(layout.stack(), space, generation);
        let mut earlier = Vec::new();
        let mut generation = 1;
        match before {
            Some(Shared::Now(there)) => {
                // In another data space, the generations restart.
                if there.current == login(there.generation).principal() {
                    generation = there.generation + u64::from(left);
                }
                earlier.push(there.current.clone());
                earlier.extend(there.earlier.iter().chain(&there.former).cloned());
            }
            Some(Shared::Former(principal)) => earlier.push(principal.clone()),
            None => {}
        }
        let current = login(generation).principal();
        let counting: Vec<Principal> = std::iter::once(current.clone()).chain(former.clone()).collect();
        earlier.retain(|principal| !counting.contains(principal));
        Self {
            login: login(generation),
            store: key.authorities().first().copied(),
            is_known: matches!(before, Some(Shared::Now(there)) if there.current == current),
            under_way: Members {
                generation,
                current: current.clone(),
                earlier: earlier.clone(),
                former: former.clone(),
            },
            members: Members { generation, current, earlier: Vec::new(), former },
            all: counting.iter().cloned().chain(earlier).collect(),
            counting,
        }
    }

    /// Continues the present sharing.
    pub(super) fn as_it_is(key: &OperatorKey, place: (&Layout, Option<&Name>), before: Option<&Shared>) -> Self {
        let former = match before {
            Some(Shared::Now(members)) => members.former.clone(),
            Some(Shared::Former(principal)) => Some(principal.clone()),
            None => None,
        };
        Self::new(key, place, before, false, former)
    }

    /// Whether rights have to change.
    pub(super) fn changes(&self) -> bool {
        !self.is_known || self.counting != self.all
    }

    /// The rights to shared nodes.
    pub(super) fn access(&self) -> Access {
        readable(&self.counting)
    }

    /// These rights while servers may not know the present login yet.
    pub(super) fn access_meanwhile(&self) -> Access {
        readable(&self.all)
    }
}

fn readable(principals: &[Principal]) -> Access {
    principals.iter().fold(Access::new(), |access, principal| access.grant(principal, Rights::READ))
}

/// Whether a server of `before` is gone `now`, or is another one.
pub(super) fn has_left(before: &HashMap<Name, Principal>, now: &HashMap<Name, Principal>) -> bool {
    before.iter().any(|(server, principal)| now.get(server) != Some(principal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_gives_way_to_the_next_once_all_know_it() {
        let (key, layout, space) = (OperatorKey::generate(), Layout::new("shop"), Name::from("2026"));
        let sharing =
            |before: Option<&Shared>, left, former| Sharing::new(&key, (&layout, Some(&space)), before, left, former);
        let principal = |generation| key.member_login("shop", Some(&space), generation).principal();
        let first = sharing(None, false, None);
        assert_eq!((first.members.generation, &first.members), (1, &first.under_way));
        let there = Shared::Now(first.members);
        assert!(!sharing(Some(&there), false, None).changes());
        let second = sharing(Some(&there), true, None);
        assert!(second.changes() && !second.is_known);
        assert_eq!(second.access(), readable(&[principal(2)]));
        assert_eq!(second.access_meanwhile(), readable(&[principal(2), principal(1)]));
        // It was interrupted.
        let there = Shared::Now(second.under_way.clone());
        let again = sharing(Some(&there), false, None);
        assert!(again.changes() && again.is_known);
        assert_eq!(again.access_meanwhile(), second.access_meanwhile());
        assert_eq!(again.members, second.members);
        let there = Shared::Now(again.members);
        assert!(!sharing(Some(&there), false, None).changes());
        let other: Name = "2027".into();
        let anew = Sharing::new(&key, (&layout, Some(&other)), Some(&there), true, None);
        assert_eq!(anew.members.generation, 1);
        let first = key.member_login("shop", Some(&other), 1).principal();
        assert_eq!(anew.access_meanwhile(), readable(&[first, principal(2)]));

        let old = Login { name: "shop".to_owned(), password: "x".to_owned() }.principal();
        let there = Shared::Former(old.clone());
        let kept = sharing(Some(&there), false, Some(old.clone()));
        assert_eq!(kept.access(), readable(&[principal(1), old.clone()]));
        let there = Shared::Now(kept.members.clone());
        assert!(!sharing(Some(&there), false, Some(old.clone())).changes());
        let gone = sharing(Some(&there), false, None);
        assert!(gone.changes());
        assert_eq!((gone.access(), gone.access_meanwhile()), (readable(&[principal(1)]), kept.access()));
    }
}
