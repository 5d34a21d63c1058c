//! Rights, as ZooKeeper writes them.

use zookeeper_client::{Acl, AuthId, Permission};

use crate::store::{Access, Login, OPERATOR, Principal, Rights};

/// For whom the nodes are that this store makes.
pub(super) struct Maker {
    operator: Option<Principal>,
    somebody: Option<Principal>,
}

impl Maker {
    pub(super) fn new(logins: &[Login]) -> Self {
        let operator = logins.iter().find(|login| login.name == OPERATOR);
        Self { operator: operator.map(Login::principal), somebody: logins.first().map(Login::principal) }
    }

    /// The rights to a node that is made or protected: those granted, and all of them for the operator, if that is who
    /// does it. Empty, which ZooKeeper refuses, when nobody is granted anything and nobody logged in.
    ///
    /// ZooKeeper's own word for whoever makes a node, `auth`, stands for all their logins: also for one that is shared
    /// with others.
    pub(super) fn acls(&self, access: &Access) -> Vec<Acl> {
        let operator = self.operator.iter().map(|operator| acl(operator, Permission::ALL));
        let granted = access.grants().filter(|(_, rights)| *rights != Rights::default());
        let granted = granted.map(|(principal, rights)| acl(principal, permission(rights)));
        let mut acls: Vec<_> = operator.chain(granted).collect();
        if acls.is_empty() {
            acls.extend(self.somebody.iter().map(|somebody| acl(somebody, Permission::READ)));
        }
        acls
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
