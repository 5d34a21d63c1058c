//! Resolves a resource once the resources that it refers to exist.

use wattle_model::{IndexMap, Name, Value as Known};

use crate::evaluate::{Answers, Value, resumed};
use crate::properties::Property;
use crate::resource;
use crate::stack;

use super::{Output, Resource, group};

impl Resource {
    /// The name of the type that implements it: the type that its own type is mapped to, if that is one of Heat's.
    pub fn made_by(&self) -> &str {
        self.inner.made_by()
    }

    /// The parts that leave its existence or its content open: `condition`, or properties of a group.
    pub fn undecided(&self) -> Vec<&'static str> {
        let condition = self.rest.contains_key("condition").then_some("condition");
        condition.into_iter().chain(group::undecided(&self.inner)).collect()
    }

    /// Whether it is a group whose members only Heat knows.
    pub fn has_open_members(&self) -> bool {
        self.is_group()
            && (crate::classes::open_size(&self.inner).is_some()
                || self.undecided().iter().any(|what| *what != "condition"))
    }

    /// The number of members, if it is a group that is too large to be expanded.
    pub fn too_many(&self) -> Option<i128> {
        crate::classes::too_many(&self.inner)
    }

    /// Whether it is a group, whose members are separate resources.
    pub fn is_group(&self) -> bool {
        self.inner.class().group.is_some()
    }

    /// The given values of its properties, by name as written.
    pub fn all_given(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.inner.given.iter().filter_map(|(name, property)| Some((&**name, property.value.as_ref()?)))
    }

    /// Resolves its values, given what `answers` returns for other resources. Resolves nothing but its own values.
    ///
    /// # Errors
    ///
    /// Why a value cannot be computed, and the property it belongs to.
    pub fn resolved(&self, answers: &dyn Answers) -> Result<Self, String> {
        let mut given = IndexMap::default();
        for (name, property) in &self.inner.given {
            let value = property.value.as_ref().map(|value| resumed(self.version, value, answers));
            let value = value.transpose().map_err(|why| format!("`{name}`: {why}"))?;
            given.insert(name.clone(), Property { value, pending: false, pair: None });
        }
        let (ty, maker) = (self.inner.ty.clone(), self.inner.maker.clone());
        let inner = resource::Resource { ty, maker, given, external: false, references: Vec::new() };
        Ok(Self {
            inner: stack::typed(inner),
            rest: self.rest.clone(),
            depends_on: self.depends_on.clone(),
            is_stack: self.is_stack,
            at: self.at.clone(),
            version: self.version,
        })
    }

    /// Its properties under the names that Heat reads and in the types of their schema. No defaults are added, neither for a
    /// property nor within one.
    ///
    /// # Errors
    ///
    /// Why Heat does not accept one of them.
    pub fn only_given(&self) -> Result<IndexMap<Name, Known>, String> {
        self.inner.properties().only_given().map(known)
    }

    /// The same without values that are the schema's default anyway. If two resources differ, they differ in one of these.
    ///
    /// # Errors
    ///
    /// Why Heat does not accept one of them.
    pub fn beyond_defaults(&self) -> Result<IndexMap<Name, Known>, String> {
        self.inner.properties().beyond_defaults().map(known)
    }
}

impl Output {
    /// Its value, once the resources that it refers to exist.
    ///
    /// # Errors
    ///
    /// Why it cannot be computed.
    pub fn resolved(&self, answers: &dyn Answers) -> Result<Known, String> {
        resumed(self.version, &self.value, answers).map(|value| value.to_model())
    }
}

fn known(values: IndexMap<Name, Value>) -> IndexMap<Name, Known> {
    values.into_iter().map(|(name, value)| (name, value.to_model())).collect()
}
