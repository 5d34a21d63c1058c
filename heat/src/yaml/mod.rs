//! YAML as Heat reads it: libyaml's grammar, YAML 1.1's types, PyYAML's constructors.
//!
//! Heat reads templates with PyYAML, or as JSON if they are JSON. [`read`] returns what Heat gets, or refuses what Heat
//! refuses: `on` is a boolean, `0644` is 420, `22:22` is 1342, a date is text. Unlike PyYAML, it keeps the place of every
//! value, all pairs of a map with equal keys, and words as written ([`Node::written`]), and ends within bounded time and
//! memory for any input.
//!
//! From the inside out: `reader` provides characters, `scanner` turns them into tokens, `parser` into events, and `compose`
//! into the tree, using `scalar` for the meaning of words. `json` produces its own events.
//!
//! It refuses more than PyYAML does in these cases, in each of which Heat itself does not continue:
//! - nesting deeper than [`DEPTH`]: Heat recurses, and Python stops it at a few hundred levels;
//! - more than [`NODES`] values, with each alias counted as its whole value: Heat converts the template to JSON;
//! - an alias within its own value: JSON cannot represent it;
//! - the tags `!!set` and `!!binary`, whose values JSON cannot represent: Heat's client turns sets into lists in random order,
//!   and bytes into text if they are UTF-8. The tuples of `!!omap` and `!!pairs` are lists in JSON, and so they are here;
//! - integers of more than 38 digits, and under `!!int` and `!!float` digits of other scripts;
//! - half a surrogate pair in JSON: UTF-8 cannot represent it;
//! - what libyaml refuses but Python's own reader, which Heat tries next, does not: a `:` directly before a bracket or comma
//!   (`[a:]`) and unknown directives. That reader converts dates, including the version of most templates, to date objects,
//!   which Heat cannot store.

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
