//! Code that the checks for unused things share.

use crate::model::Source;

/// Whether a place is in the author's own workspace rather than in a library: Cargo names files relative to the workspace,
/// and those of all other packages, fetched or not, by their full paths. (So are examples in documentation, unless they are
/// `standalone_crate`s.)
pub(super) fn is_own(at: &Source) -> bool {
    let is_rust = at.file.ends_with(".rs");
    !(is_rust && (at.file.starts_with('/') || at.file.get(1..).is_some_and(|rest| rest.starts_with(":\\"))))
}
