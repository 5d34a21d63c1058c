//! Promises: values used before the part that supplies them exists.

use super::handle::{Output, OutputSource, unprintable};

/// A `T` that one part uses and another supplies later with `t.fulfil(...)`.
pub struct Promise<T> {
    output: Output<T>,
}

impl<T> Promise<T> {
    pub(crate) fn new(topology: u32, index: u32) -> Self {
        Self { output: Output::new(topology, OutputSource::Promise(index)) }
    }

    /// The value, for what takes an output.
    pub fn output(self) -> Output<T> {
        self.output
    }
}

unprintable! {
    [T] Promise<T>, T, PromiseIsKnown:
        "`Promise<{Self}>` cannot be printed: its value is not known while the blueprint runs";
}

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Promise<T> {}
