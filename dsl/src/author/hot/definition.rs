//! The parts of a resource's definition other than its properties.

use crate::author::expression::Expression;
use crate::author::handle::Resource;
use crate::author::topology::Topology;
use crate::model::{self, Expr};

use super::argument::{Argument, AsResource};

/// A resource's definition (HOT specification, "resources section"), to be completed.
pub struct Definition<'t> {
    topology: &'t mut Topology,
    resource: Resource,
}

impl Topology {
    /// Sets the parts of a resource's definition that are not properties: the condition under which it exists, the
    /// resources that Heat creates before it, and so on.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn kept(t: &mut Topology, first: wattle::author::Resource) {
    ///     let volume = t.add("volume", RawResource::new("OS::Cinder::Volume").property("size", 1));
    ///     t.resource(volume).deletion_policy("Retain").depends_on(first);
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let first = t.add("first", RawResource::new("OS::Neutron::Net"));
    /// # kept(&mut t, first);
    /// # assert_eq!(t.finish(Exports::new()).resources["volume"].depends_on, ["first".into()]);
    /// ```
    pub fn resource(&mut self, resource: impl AsResource) -> Definition<'_> {
        Definition { resource: resource.resource(), topology: self }
    }
}

impl Definition<'_> {
    /// Makes the resource exist only under `condition`: a [`Condition`](super::Condition), or the result of a condition
    /// function.
    pub fn condition(self, condition: impl Argument) -> Self {
        self.set(condition.into_argument(), |resource, value| resource.condition = value)
    }

    /// Makes Heat create `other` first, even though the resource does not refer to it.
    pub fn depends_on(mut self, other: impl AsResource) -> Self {
        // A resource of another topology gets a name that does not exist, so that `check` reports it.
        let name = self.topology.resource_name(other.resource()).unwrap_or_else(|| "#foreign".into());
        if let Some(resource) = self.defined() {
            resource.depends_on.push(name);
        }
        self
    }

    /// Sets the metadata, a map.
    pub fn metadata(self, metadata: impl Argument) -> Self {
        self.set(metadata.into_argument(), |resource, value| resource.metadata = value)
    }

    /// Sets what happens to the resource when it leaves the stack: `Delete`, `Retain` or `Snapshot`.
    pub fn deletion_policy(self, policy: impl Argument) -> Self {
        self.set(policy.into_argument(), |resource, value| resource.deletion_policy = value)
    }

    /// Sets how the resource is updated, a map.
    pub fn update_policy(self, policy: impl Argument) -> Self {
        self.set(policy.into_argument(), |resource, value| resource.update_policy = value)
    }

    /// Makes the resource refer to an existing one with this identity. Heat does not create it.
    pub fn external_id(self, id: impl Argument) -> Self {
        self.set(id.into_argument(), |resource, value| resource.external_id = value)
    }

    /// Sets the description, for people who read the template.
    pub fn description(mut self, text: &str) -> Self {
        if let Some(resource) = self.defined() {
            text.clone_into(&mut resource.description);
        }
        self
    }

    fn set(mut self, value: Expression, set: impl FnOnce(&mut model::Resource, Option<Box<Expr>>)) -> Self {
        let value = self.topology.lower(&value);
        if let Some(resource) = self.defined() {
            set(resource, Some(Box::new(value)));
        }
        self
    }

    /// The definition; `None` if the resource belongs to another topology.
    fn defined(&mut self) -> Option<&mut model::Resource> {
        let id = self.resource.id;
        if id.topology != self.topology.id {
            return None;
        }
        self.topology.model.resources.get_index_mut(id.index as usize).map(|(_, resource)| resource)
    }
}
