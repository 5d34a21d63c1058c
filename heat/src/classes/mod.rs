//! The behaviour of each of Heat's classes beyond the schema of its type.
//!
//! What lives here: one file per class or small family of classes, with the dependencies that Heat adds, the class's
//! requirements on combinations of properties, the effect of an update, and everything else that a `Class` can declare; and
//! the registry. What must not: templates, and behaviour that all classes share (`resource`, `update`).

mod aws;
mod barbican;
mod cinder;
mod designate;
mod glance;
mod heat;
mod keystone;
mod magnum;
mod manila;
mod mistral;
mod neutron;
mod nova;
mod octavia;
mod rule;
mod swift;
mod trove;
mod zaqar;
mod zun;

pub(crate) use heat::group::{MOST as MEMBERS, compared, open_size, too_many};

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::resource::{Class, Refers, Type};

/// The classes with behaviour of their own.
const CLASSES: &[&[&[Class]]] = &[
    &[
        aws::CLASSES,
        barbican::CLASSES,
        cinder::CLASSES,
        designate::CLASSES,
        glance::CLASSES,
        keystone::CLASSES,
        magnum::CLASSES,
        manila::CLASSES,
        mistral::CLASSES,
        nova::CLASSES,
        octavia::CLASSES,
        swift::CLASSES,
        trove::CLASSES,
        zaqar::CLASSES,
        zun::CLASSES,
    ],
    heat::CLASSES,
    neutron::CLASSES,
];

/// The behaviour of the class of type `ty` beyond its schema.
pub(crate) fn of(ty: &str) -> &'static Class {
    static OF: LazyLock<HashMap<&str, &Class>> = LazyLock::new(|| {
        CLASSES.iter().flat_map(|of| of.iter().copied()).flatten().map(|class| (class.ty, class)).collect()
    });
    OF.get(ty).copied().unwrap_or_else(|| match ty.split("::").nth(1) {
        Some("Neutron") => &neutron::NEUTRON,
        Some("Octavia") => &octavia::OCTAVIA,
        _ => &Class::PLAIN,
    })
}

/// What `get_resource` returns before a resource of type `ty` is created.
pub(crate) fn refers(ty: &str) -> Refers {
    of(ty).refers
}

/// Whether Heat accepts any name as an attribute of type `ty`, because its attributes are those of its content.
pub fn has_any_attribute(ty: &str) -> bool {
    of(ty).any_attribute
}

/// The type called `name`, if Heat has it. Each call parses its schema.
fn read(name: &str) -> Option<Type> {
    let schema = crate::schema::schema(name)?;
    // Heat keeps the names of removed types. The other types without properties are handles.
    let placeholder = schema.properties.is_empty() && !name.ends_with("Handle");
    let class = if placeholder { &Class::PLAIN } else { of(name) };
    Some(Type { name: name.to_owned(), schema, placeholder, class })
}

/// Whether the type is a placeholder, which accepts any property and has any attribute.
pub(crate) fn is_placeholder(name: &str) -> bool {
    read(name).is_some_and(|ty| ty.placeholder)
}

/// A cache of types.
#[derive(Debug, Default)]
pub(crate) struct Types(RefCell<HashMap<String, Option<Arc<Type>>>>);

impl Types {
    /// The type called `name`, if Heat has it.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Type>> {
        let mut known = self.0.borrow_mut();
        if let Some(found) = known.get(name) {
            return found.clone();
        }
        let found = read(name).map(Arc::new);
        known.insert(name.to_owned(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Refers;

    #[test]
    fn types_that_are_only_names_have_no_schema() {
        let placeholders: Vec<_> =
            crate::schema::types().filter(|name| read(name).expect("a type").placeholder).collect();
        assert_eq!(placeholders.len(), 33, "{placeholders:#?}");
        assert!(placeholders.contains(&"OS::Heat::None") && !placeholders.contains(&"OS::Heat::SwiftSignalHandle"));
    }

    #[test]
    fn references_before_there_is_a_resource() {
        let refers = |name| read(name).expect("a type").class.refers;
        assert_eq!(refers("OS::Neutron::Net"), Refers::Nothing);
        assert_eq!(refers("OS::Neutron::LBaaS::Pool"), Refers::Name);
        assert_eq!(refers("OS::Nova::Server"), Refers::Name);
        assert_eq!(refers("OS::Swift::Container"), Refers::None);
    }

    /// A class with a misspelled type would have no effect.
    #[test]
    fn classes_are_of_types_that_heat_has_once_each() {
        let mut names: Vec<_> =
            CLASSES.iter().flat_map(|of| of.iter().copied()).flatten().map(|class| class.ty).collect();
        assert!(names.iter().all(|name| read(name).is_some_and(|ty| !ty.placeholder)), "{names:#?}");
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
