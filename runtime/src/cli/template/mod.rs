//! The commands about templates, with what they have in common.

pub(super) mod check;
mod files;
mod given;
