//! How a stack is doing, read from a data space that is made up.

#![expect(clippy::unwrap_used, reason = "what goes wrong fails the test")]

mod cause;
mod infrastructure;
mod silent;
mod timeline;
