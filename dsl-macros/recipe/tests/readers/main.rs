//! The analysis of single recipes of each tool.

mod ansible;
mod chef;
mod failures;
mod files;
mod idle;
mod lacking_files;
mod lookups;
mod puppet;
mod salt;
mod shell;
mod shell_files;
mod shown;

use std::collections::BTreeMap;

/// The names that are read or written.
fn names(of: &BTreeMap<String, u32>) -> Vec<&str> {
    of.keys().map(String::as_str).collect()
}
