//! What both `check` and `lower` need to know about a model: identities, and how each value reaches its reader.
//!
//! This module answers questions about a whole model whose answers are not output by themselves. Diagnostics, templates
//! and seeds do not belong here.

pub(crate) mod attribute;
pub(crate) mod decision;
pub(crate) mod function;
pub(crate) mod identity;
pub(crate) mod lowering;
pub(crate) mod reads;
pub(crate) mod talks;
