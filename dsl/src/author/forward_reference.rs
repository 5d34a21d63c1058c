//! Forward references: values that are used before the part that supplies them exists.

use super::handle::{Output, OutputSource};

/// A `T` that one part uses and another supplies later with `t.fulfil(...)`.
///
/// [`Topology::later`](super::Topology::later) makes one, and has an example. Inputs and text take it directly.
pub struct ForwardReference<T> {
    output: Output<T>,
}

impl<T> ForwardReference<T> {
    pub(crate) fn new(topology: u32, index: u32) -> Self {
        Self { output: Output::new(topology, OutputSource::ForwardReference(index)) }
    }

    /// Returns the value as an output, for places that accept only outputs: a module's field, or a list of outputs.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn members(t: &mut Topology, first: Output<String>) -> Vec<Output<String>> {
    ///     let last = t.later("last");
    ///     vec![first, last.output()]
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let first = t.later("first").output();
    /// # assert_eq!(members(&mut t, first).len(), 2);
    /// ```
    pub fn output(self) -> Output<T> {
        self.output
    }
}

impl<T> Clone for ForwardReference<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ForwardReference<T> {}
