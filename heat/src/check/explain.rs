//! A check's documentation for a terminal.

use super::{Check, find};

/// What the check with the code `code` reports, as Markdown: its title and severity, what is wrong, a template that fails
/// and the same fixed. `None` when there is no such check.
pub fn explain(code: &str) -> Option<String> {
    find(code).map(Check::page)
}
