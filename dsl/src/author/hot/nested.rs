//! Stacks of nested templates, whose properties are the parameters of a blueprint.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::author::blueprint::Blueprint;
use crate::author::module::{Properties, RawResource};
use crate::author::parameters::Parameters;

/// Parameters that are given to a stack of their blueprint's template. Implemented by `#[derive(Parameters)]`.
pub trait Stacked: Parameters {
    /// The stack before it is added, with a setter for each parameter. One without a default must be set.
    type Stack;
    /// A stack of which nothing is set yet.
    fn stack(properties: Properties) -> Self::Stack;
}

impl Stacked for () {
    type Stack = RawResource;

    fn stack(properties: Properties) -> RawResource {
        RawResource::of(properties)
    }
}

/// The template of the blueprint `B`, beside the one that is being written: what [`Topology::template`] returns.
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

    /// A stack of the template: `t.add(name, template.stack())`, with a setter for each parameter of the blueprint.
    #[track_caller]
    pub fn stack(&self) -> <B::Parameters as Stacked>::Stack
    where
        B::Parameters: Stacked,
    {
        B::Parameters::stack(Properties::of(&*self.path))
    }
}
