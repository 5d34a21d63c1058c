//! What several checks of unused things share.

use crate::model::Source;

/// Whether a place is in the author's own crates, and not in a library that Cargo fetched.
pub(super) fn is_own(at: &Source) -> bool {
    let file = at.file.replace('\\', "/");
    !["/registry/src/", "/git/checkouts/"].iter().any(|folder| file.contains(folder))
}
