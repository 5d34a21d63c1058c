//! The commands about templates, and their common part.

pub(super) mod check;
mod decisions;
mod files;
mod given;
pub(super) mod graph;
pub(super) mod import;
pub(super) mod lower;
pub(super) mod place;

pub(super) use files::Disk;
