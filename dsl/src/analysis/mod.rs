//! What `check` and `lower` both need to know of a model: identities, and how each value reaches its reader.
//!
//! What lives here: questions about a whole model whose answers are no output by themselves. What must not: diagnostics,
//! templates, seeds.

pub(crate) mod attribute;
pub(crate) mod decision;
pub(crate) mod function;
pub(crate) mod identity;
pub(crate) mod lowering;
pub(crate) mod reads;
