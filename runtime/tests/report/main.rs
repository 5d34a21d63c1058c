//! The state of a stack, read from a fabricated data space.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

mod cause;
mod infrastructure;
mod silent;
mod timeline;
