//! YAML as Heat reads it: libyaml's grammar, YAML 1.1's types, PyYAML's constructors.
//!
//! Heat reads templates with PyYAML. [`read`] gives what PyYAML gives, or refuses what it refuses: `on` is a boolean,
//! `0644` is 420, `22:22` is 1342, a date is text. Unlike PyYAML it keeps the place of every value, keeps the pairs of
//! a map whose keys are equal, and ends within bounded time and memory on whatever it is given.
//!
//! It refuses more than PyYAML does in these cases, in each of which Heat itself does not go on:
//! - deeper than [`DEPTH`]: Heat recurses, and Python ends that at a few hundred levels;
//! - more than [`NODES`] values, each alias counted as all that it stands for: Heat makes JSON of it;
//! - an alias within what it names: no JSON can hold it;
//! - the tags `!!set`, `!!omap`, `!!pairs` and `!!binary`: they make what JSON does not have;
//! - integers of more than 38 digits.

mod compose;
mod error;
mod node;
mod printable;
mod scalar;

pub use compose::{BYTES, DEPTH, NODES, read};
pub use error::{Error, Problem};
pub use node::{Node, Pair, Place, Span, Tree};
