//! Keystone's types.

use crate::resource::values::has;
use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Keystone::Group", validates: &[roles], ..Class::PLAIN },
    Class { ty: "OS::Keystone::GroupRoleAssignment", validates: &[roles], ..Class::PLAIN },
    Class { ty: "OS::Keystone::User", validates: &[roles], ..Class::PLAIN },
    Class { ty: "OS::Keystone::UserRoleAssignment", validates: &[roles], ..Class::PLAIN },
];

fn roles(subject: Subject<'_>) -> Ruled {
    for role in subject.maps("roles")? {
        let (project, domain) = (has(&role, "project"), has(&role, "domain"));
        if project && domain {
            return broken("a role is for a `project` or for a `domain`", "remove one of them");
        }
        if !project && !domain {
            return broken("a role is for a `project` or for a `domain`", "set one of them");
        }
    }
    Ok(None)
}
