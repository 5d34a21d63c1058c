//! Heat templates as Heat reads them, with the place of everything.
//!
//! What lives here: the text of a template as a tree (`yaml`). What must not: files, and anything of a blueprint; the
//! crate knows Heat, and nothing of wattle.

pub mod yaml;
