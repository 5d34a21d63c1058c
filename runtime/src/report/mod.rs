//! The state of a stack as a whole.
//!
//! This module reads everything at once, and determines why something makes no progress. Presentation is up to the
//! command.

mod admission;
mod bounded;
mod building;
mod cause;
mod entries;
mod exports;
mod infrastructure;
mod json;
mod shown;
mod silent;
mod snapshot;
mod stands;
mod timeline;

pub use admission::{Admission, Other};
pub use bounded::FEW;
pub use building::Building;
pub use cause::{Cause, Root, roots};
pub(crate) use cause::{between, still_runs};
pub use entries::{content, contents, entries, in_context, judged};
pub(crate) use exports::{Exported, exports};
pub use infrastructure::{Built, How, Infrastructure, Pace, Resource};
pub use json::{json_of_condition, json_of_root, json_of_tally};
pub use shown::shown;
pub use silent::{no_word, silent};
pub(crate) use snapshot::natural;
pub use snapshot::{Condition, Part, StackSnapshot, Standing, Tally};
pub use stands::Stands;
pub use timeline::{Hop, Life, critical_path, lives};
