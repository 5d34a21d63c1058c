//! A recipe of several files.

use crate::analysis::{Analysis, Findings, SyntaxError};
use crate::tool::{Tool, extension};
use crate::{chef, jinja, puppet};

/// One file of a recipe is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FileError {
    /// The file, as it was given.
    pub path: String,
    /// What is wrong in it.
    #[source]
    pub error: SyntaxError,
}

/// What a recipe of several files reads and writes: the union of its files.
///
/// Every file is taken for what its extension says, whichever tool runs the recipe; templates (`.erb`, `.j2`) are read
/// for what they read (`.epp` too); files of other types are skipped. A file that another one includes makes the answer dynamic only
/// if it is not among `files`.
///
/// # Errors
///
/// A file of `tool` is malformed. One of another tool may be data that only looks like a recipe, and makes the answer
/// dynamic instead.
pub fn analyse_all<'a>(tool: Tool, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Analysis, FileError> {
    let mut all = Findings::default();
    let mut paths = Vec::new();
    for (path, source) in files {
        paths.push(path);
        match (Tool::of_path(path), extension(path)) {
            (Some(own), _) => match crate::findings(own, source) {
                Ok(findings) => all.merge(findings),
                Err(error) if own == tool => return Err(FileError { path: path.to_owned(), error }),
                Err(_) => all.analysis.anything(),
            },
            (None, Some("erb")) => all.analysis.merge(chef::template(source)),
            (None, Some("epp")) => all.analysis.merge(puppet::template(source)),
            (None, Some("j2" | "jinja" | "jinja2")) => jinja::template(source, &mut all.analysis),
            _ => {}
        }
    }
    Ok(all.among(&paths))
}
