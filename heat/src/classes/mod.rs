//! Resource types as Heat has them.
//!
//! What lives here: what a type's class does that its schema does not say. What must not: templates.

mod translation;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wattle_model::Schema;

pub(crate) use translation::{Rule, rules};

/// A resource type that is Heat's own.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// Its name.
    pub(crate) name: String,
    /// Its properties and attributes.
    pub(crate) schema: Schema,
    /// Whether it is only a name: it takes any property, and has any attribute.
    pub(crate) placeholder: bool,
}

impl Type {
    fn of(name: &str) -> Option<Self> {
        let schema = crate::schema::schema(name)?;
        // Heat keeps the names of types that it has no more. What has no properties otherwise is a handle.
        let placeholder = schema.properties.is_empty() && !name.ends_with("Handle");
        Some(Self { name: name.to_owned(), schema, placeholder })
    }

    /// What `get_resource` gives before the resource is made.
    pub(crate) fn reference(&self) -> Reference {
        let name = &*self.name;
        match name {
            "OS::Heat::Stack" | "OS::Heat::SwiftSignalHandle" | "OS::Nova::KeyPair" => Reference::Nothing,
            "OS::Swift::Container" | "AWS::S3::Bucket" => Reference::None,
            _ if name.starts_with("OS::Neutron::") && !self.placeholder => Reference::Nothing,
            _ => Reference::Name,
        }
    }
}

/// What stands for a resource that is not made yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Its name.
    Name,
    /// Nothing at all.
    Nothing,
    /// The text "None".
    None,
}

/// Whether the type is only a name: it takes any property, and has any attribute.
pub(crate) fn is_placeholder(name: &str) -> bool {
    Type::of(name).is_some_and(|ty| ty.placeholder)
}

/// Types that were asked for; looking one up means reading it.
#[derive(Debug, Default)]
pub(crate) struct Types(RefCell<HashMap<String, Option<Rc<Type>>>>);

impl Types {
    /// The type called `name`, if Heat has it.
    pub(crate) fn get(&self, name: &str) -> Option<Rc<Type>> {
        let mut known = self.0.borrow_mut();
        if let Some(found) = known.get(name) {
            return found.clone();
        }
        let found = Type::of(name).map(Rc::new);
        known.insert(name.to_owned(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_are_only_names_have_no_schema() {
        let placeholders: Vec<_> =
            crate::schema::types().filter(|name| Type::of(name).expect("a type").placeholder).collect();
        assert_eq!(placeholders.len(), 33, "{placeholders:#?}");
        assert!(placeholders.contains(&"OS::Heat::None") && !placeholders.contains(&"OS::Heat::SwiftSignalHandle"));
    }

    #[test]
    fn references_before_there_is_a_resource() {
        let reference = |name| Type::of(name).expect("a type").reference();
        assert_eq!(reference("OS::Neutron::Net"), Reference::Nothing);
        assert_eq!(reference("OS::Neutron::LBaaS::Pool"), Reference::Name);
        assert_eq!(reference("OS::Nova::Server"), Reference::Name);
        assert_eq!(reference("OS::Swift::Container"), Reference::None);
    }
}
