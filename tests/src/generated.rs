//! Generated pages of the book, from a program's output or a table of the tests. `UPDATE=1` writes them again.

use std::fs;

use crate::command::repository;

/// Compares a page to its expected text.
///
/// # Panics
/// They differ, with the first line that does; with `UPDATE=1`, if it cannot be written.
pub fn fresh(page: &str, text: &str) {
    let path = repository().join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("the page is written");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(there == text, "{page} is not up to date; `UPDATE=1` with this test writes it again: {first:?}");
}
