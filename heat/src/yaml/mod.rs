//! YAML as Heat reads it: libyaml's grammar, YAML 1.1's types, PyYAML's constructors.
//!
//! Heat reads templates with PyYAML, or as JSON if they are JSON. [`read`] gives what Heat gets, or refuses what it
//! refuses: `on` is a boolean, `0644` is 420, `22:22` is 1342, a date is text. Unlike PyYAML it keeps the place of every
//! value, keeps the pairs of a map whose keys are equal, knows what was written ([`Node::written`]), and ends within
//! bounded time and memory on whatever it is given.
//!
//! From inside out: `reader` is the characters, `scanner` makes words of them, `parser` events, `compose` the tree, in
//! which `scalar` says what a word means. `json` makes events of its own.
//!
//! It refuses more than PyYAML does in these cases, in each of which Heat itself does not go on:
//! - deeper than [`DEPTH`]: Heat recurses, and Python ends that at a few hundred levels;
//! - more than [`NODES`] values, each alias counted as all that it stands for: Heat makes JSON of it;
//! - an alias within what it names: no JSON can hold it;
//! - the tags `!!set` and `!!binary`, which make what no JSON can hold, and `!!omap` and `!!pairs`, which make tuples;
//! - integers of more than 38 digits, and under `!!int` and `!!float` digits of other scripts;
//! - half a surrogate pair in JSON: no UTF-8 can hold it;
//! - what libyaml refuses and the reader in Python, which Heat asks then, does not: a `:` directly before a bracket or comma
//!   (`[a:]`) and unknown directives. That reader makes dates of dates, the version of most templates included, which Heat
//!   cannot store.

mod bounds;
mod compose;
mod error;
mod json;
mod node;
mod parser;
mod read;
mod reader;
mod scalar;
mod scanner;
mod syntax;
mod token;

pub use bounds::{BYTES, DEPTH, NODES};
pub use error::{Error, Problem};
pub(crate) use node::counting;
pub use node::{Comment, Node, Pair, Place, Span, Tree};
pub use read::{read, read_bytes, read_with_comments};
pub use syntax::Syntax;
