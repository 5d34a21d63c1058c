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
            return broken("a role is of a `project` or of a `domain`", "take one of them away");
        }
        if !project && !domain {
            return broken("a role is of a `project` or of a `domain`", "give one of them");
        }
    }
    Ok(None)
}
