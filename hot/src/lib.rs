//! Heat templates as Heat reads them, with the place of everything.
//!
//! What lives here: the text of a template as a tree (`yaml`), its sections and functions (`template`), and what Heat
//! would refuse (`check`). What must not: reading files, and making a blueprint's model of what is written in Rust; the
//! crate knows `wattle`'s model and diagnostics, and `wattle` knows nothing of it.

pub mod check;
mod load;
pub mod template;
pub mod yaml;

pub use check::{check, explain};
pub use load::Loaded;
