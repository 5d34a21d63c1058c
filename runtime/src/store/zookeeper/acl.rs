//! Rights, as ZooKeeper writes them.

use zookeeper_client::{Acl, AuthId, Permission};

use crate::store::{Access, Login, OPERATOR, Principal, Rights};

/// For whom the nodes are that this store makes.
pub(super) struct Maker {
    /// By each of their logins: the first one is whom nodes are made for.
    operator: Vec<Principal>,
    somebody: Option<Principal>,
}

impl Maker {
    pub(super) fn new(logins: &[Login]) -> Self {
        let operator = logins.iter().filter(|login| login.name == OPERATOR);
        Self { operator: operator.map(Login::principal).collect(), somebody: logins.first().map(Login::principal) }
    }

    /// The rights to a node that is made or protected: those granted, and all of them for the operator, if that is who
    /// does it. Empty, which ZooKeeper refuses, when nobody is granted anything and nobody logged in.
    ///
    /// ZooKeeper's own word for whoever makes a node, `auth`, stands for all their logins: also for one that is shared
    /// with others.
    pub(super) fn acls(&self, access: &Access) -> Vec<Acl> {
        let operator = self.operator.iter().take(1).map(|operator| acl(operator, Permission::ALL));
        let granted = access.grants().filter(|(_, rights)| *rights != Rights::default());
        let granted = granted.map(|(principal, rights)| acl(principal, permission(rights)));
        let mut acls: Vec<_> = operator.chain(granted).collect();
        if acls.is_empty() {
            acls.extend(self.somebody.iter().map(|somebody| acl(somebody, Permission::READ)));
        }
        acls
    }

    /// Whether any of those rights to a node is not one of whom it is made for or protected.
    pub(super) fn exceeds(&self, there: &[Acl], access: &Access) -> bool {
        let granted = self.acls(access);
        let is_operators =
            |acl: &Acl| acl.scheme() == "digest" && self.operator.iter().any(|operator| operator.as_str() == acl.id());
        let is_granted = |acl: &Acl| {
            granted.iter().any(|one| one.auth_id() == acl.auth_id() && one.permission().has(acl.permission()))
        };
        there.iter().any(|acl| !is_operators(acl) && !is_granted(acl))
    }
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
