//! What a changed blueprint would do to what is deployed.
//!
//! What lives here: two deployed states and what lies between them, as data and as text. What must not: I/O, and anything
//! that decides what is deployed.

mod files;

pub use files::gather;
