//! What is read in one recipe of each tool.

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

use std::collections::BTreeMap;

/// The names of what is read or written.
fn names(of: &BTreeMap<String, u32>) -> Vec<&str> {
    of.keys().map(String::as_str).collect()
}
