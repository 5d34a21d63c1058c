//! Stacks of nested templates, whose properties are the parameters of a blueprint.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::author::blueprint::Blueprint;
use crate::author::module::{Complete, Part, Properties, RawResource};
use crate::author::parameters::Parameters;
use crate::author::topology::Topology;

use super::value::Value;

/// Parameters that can be given to a stack of their blueprint's template. Implemented by `#[derive(Parameters)]`.
pub trait Stacked: Parameters {
    /// The stack before it is added, with a setter for each parameter. Parameters without a default must be set.
    type Stack;
    /// A stack with nothing set yet.
    fn stack(properties: Properties) -> Self::Stack;
}

impl Stacked for () {
    type Stack = RawResource;

    fn stack(properties: Properties) -> RawResource {
        RawResource::of(properties)
    }
}

/// The template of the blueprint `B`, written beside the template of this topology. [`Topology::template`] returns one.
///
/// [`Topology::template`]: crate::Topology::template
#[derive(Clone)]
pub struct Nested<B> {
    path: Arc<str>,
    blueprint: PhantomData<fn() -> B>,
}

impl<B: Blueprint> Nested<B> {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.into(), blueprint: PhantomData }
    }

    /// A stack of the template, with a setter for each parameter of the blueprint. Add it with
    /// `t.add(name, template.stack())`.
    #[track_caller]
    pub fn stack(&self) -> <B::Parameters as Stacked>::Stack
    where
        B::Parameters: Stacked,
    {
        B::Parameters::stack(Properties::of(&*self.path))
    }
}

/// A member of one of Heat's groups.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the member of a group",
    label = "neither a resource nor a stack",
    note = "a member is one resource (`t.member(neutron::Port::new(net))`), or a stack of a nested template: `t.member(template.stack())`"
)]
pub trait Member: Part {
    /// Returns the properties that were set.
    fn into_properties(self) -> Properties;
}

#[diagnostic::do_not_recommend]
impl Member for RawResource {
    fn into_properties(self) -> Properties {
        self.into()
    }
}

impl Topology {
    /// Defines the members of a group, such as those of an `OS::Heat::ResourceGroup` in its property `resource_def`. A
    /// member is a resource, or a stack of a nested template. The compiler checks it like any other part.
    ///
    /// Heat shows the properties of a group, including those of its members, to everyone who may see the stack.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[derive(Parameters)]
    /// pub struct Settings {
    ///     /// Its name.
    ///     name: Parameter<String>,
    /// }
    ///
    /// #[blueprint]
    /// pub fn member(t: &mut Topology, p: Settings) {
    ///     t.add("network", RawResource::new("OS::Neutron::Net").property("name", p.name));
    /// }
    ///
    /// #[blueprint]
    /// pub fn members(t: &mut Topology) {
    ///     let of_member = t.template("member.yaml", member);
    ///     let each = t.member(of_member.stack().name("net-%index%"));
    ///     t.add("group", RawResource::new("OS::Heat::ResourceGroup").property("count", 3).property("resource_def", each));
    /// }
    /// # let model = wattle::author::Blueprint::model(&members, Default::default());
    /// # assert!(model.unused.is_empty());
    /// ```
    pub fn member<M: Member>(&mut self, member: M) -> Value
    where
        M::State: Complete,
    {
        Value(self.definition(member.into_properties()))
    }
}
