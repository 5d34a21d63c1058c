//! Rights, as ZooKeeper writes them.

use zookeeper_client::{Acl, AuthId, Permission};

use crate::store::{Access, Login, Principal, Rights};

/// Whose the nodes are that this store makes.
///
/// ZooKeeper's scheme `auth` would do for one who has one login: it stands for all of them, so with two of them a login
/// that is shared with others would own the nodes as well.
pub(super) struct Owner(Option<Principal>);

impl Owner {
    pub(super) fn new(logins: &[Login]) -> Self {
        Self(logins.first().map(Login::principal))
    }

    /// The rights to a node that its maker keeps in hand. Empty, which ZooKeeper refuses, when nobody logged in and
    /// nobody is granted anything.
    pub(super) fn owned(&self, access: &Access) -> Vec<Acl> {
        let own = self.0.iter().map(|owner| acl(owner, Permission::ALL));
        own.chain(granted(access)).collect()
    }

    /// The rights to a node whose maker has none but those granted.
    pub(super) fn shared(&self, access: &Access) -> Vec<Acl> {
        let mut acls: Vec<_> = granted(access).collect();
        if acls.is_empty() {
            // ZooKeeper takes no empty list, so somebody has to be in it.
            acls.extend(self.0.iter().map(|owner| acl(owner, Permission::READ)));
        }
        acls
    }
}

fn granted(access: &Access) -> impl Iterator<Item = Acl> {
    let grants = access.grants().filter(|(_, rights)| *rights != Rights::default());
    grants.map(|(principal, rights)| acl(principal, permission(rights)))
}

fn acl(principal: &Principal, permission: Permission) -> Acl {
    Acl::new(permission, AuthId::new("digest", principal.as_str()))
}

fn permission(rights: Rights) -> Permission {
    let Rights { read, write, create, delete } = rights;
    let each = [
        (read, Permission::READ),
        (write, Permission::WRITE),
        (create, Permission::CREATE),
        (delete, Permission::DELETE),
    ];
    each.into_iter().filter(|(granted, _)| *granted).fold(Permission::NONE, |all, (_, one)| all | one)
}
