//! Rights in ZooKeeper's form.

use zookeeper_client::{Acl, AuthId, Permission};

use crate::store::{Access, Login, OPERATOR, Principal, Rights};

/// The owner of the nodes that this store creates.
pub(super) struct Maker {
    /// The principal of each of the operator's logins. Nodes are created for the first one.
    operator: Vec<Principal>,
    somebody: Option<Principal>,
}

impl Maker {
    pub(super) fn new(logins: &[Login]) -> Self {
        let operator = logins.iter().filter(|login| login.name == OPERATOR);
        Self { operator: operator.map(Login::principal).collect(), somebody: logins.first().map(Login::principal) }
    }

    /// The rights to a node that is created or protected: the granted ones, and all rights for the operator, if the
    /// operator makes the request. Empty, which ZooKeeper refuses, if nothing is granted and no one is logged in.
    ///
    /// ZooKeeper's own scheme for the creator of a node, `auth`, would stand for all of the client's logins, including
    /// shared ones.
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

    /// Whether the rights to a node are those of an operator's login that is not the first one, as after a change of
    /// the key or the authority.
    pub(super) fn was_before(&self, there: &[Acl]) -> bool {
        let has =
            |operator: &Principal| there.iter().any(|acl| acl.scheme() == "digest" && acl.id() == operator.as_str());
        let mut operators = self.operator.iter();
        operators.next().is_some_and(|first| !has(first)) && operators.any(has)
    }

    /// Whether the existing rights to a node exceed those that it would be created or protected with.
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
