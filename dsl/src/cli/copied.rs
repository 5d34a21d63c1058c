//! Files of other commands, written as `emit` writes its own.

use std::io::Write as _;
use std::path::Path;

use super::files::{self, File};
use super::tree;
use crate::manners::CommandError;

/// A file to be written: its path below the directory, a description, and its content.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The path, with slashes.
    pub name: String,
    /// A description of its content.
    pub content: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Writes files into a directory, either all of them or none, and returns them as a tree. Other files there stay.
///
/// # Errors
/// What could not be written. The earlier files are intact.
pub fn write_files(directory: &Path, copied: &[Copied]) -> Result<String, CommandError> {
    let is_ours = |name: &str| copied.iter().any(|file| file.name == name);
    let (mut written, _) = files::replace(directory, is_ours, |swap| {
        copied.iter().rev().try_for_each(|file| {
            let write = Box::new(|out: &mut std::fs::File| Ok(out.write_all(&file.bytes)?));
            swap.write(File { name: file.name.clone(), content: file.content.clone(), write })
        })
    })?;
    written.sort_by_key(|file| copied.iter().position(|one| one.name == file.name));
    Ok(tree::of_files(&directory.display().to_string(), &written))
}
