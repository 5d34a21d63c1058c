//! Generated pages of the book, from the output of a program or a table of the tests. `UPDATE=1` rewrites them.

use std::fs;

use crate::command::repository;

/// Compares a page with its expected text.
///
/// # Panics
/// If it differs, with the first different line; with `UPDATE=1`, if it cannot be written.
pub fn fresh(page: &str, text: &str) {
    let path = repository().join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("the page is written");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(there == text, "{page} is not up to date; `UPDATE=1` with this test writes it again: {first:?}");
}
