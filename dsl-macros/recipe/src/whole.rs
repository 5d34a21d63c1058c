//! A recipe of several files.

use crate::analysis::{Analysis, Findings, Include, SyntaxError};
use crate::tool::{Tool, extension, file_name};

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
/// for what they read; files of other types are skipped. A file that another one includes makes the answer dynamic only
/// if it is not among `files`.
///
/// # Errors
///
/// A file of `tool` is malformed. One of another tool may be data that only looks like a recipe, and makes the answer
/// dynamic instead.
pub fn analyse_all<'a>(
    tool: Tool,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Analysis, FileError> {
    let mut analysis = Analysis::default();
    let mut includes = Vec::new();
    let mut paths = Vec::new();
    for (path, source) in files {
        paths.push(path);
        let Some(result) = file(path, source) else { continue };
        match result {
            Ok(findings) => {
                analysis.merge(findings.analysis);
                includes.extend(findings.includes);
            }
            Err(error) if Tool::of_path(path) == Some(tool) => return Err(FileError { path: path.to_owned(), error }),
            Err(_) => analysis.anything(),
        }
    }
    if includes.iter().any(|include| !is_given(include, &paths)) {
        analysis.anything();
    }
    Ok(analysis)
}

fn file(path: &str, source: &str) -> Option<Result<Findings, SyntaxError>> {
    match Tool::of_path(path) {
        Some(tool) => Some(crate::findings(tool, source)),
        None => match extension(path)? {
            _ => None,
        },
    }
}

fn is_given(include: &Include, paths: &[&str]) -> bool {
    match include {
        Include::File(name) => paths.iter().any(|path| file_name(path) == name),
        Include::Folder(name) => paths.iter().any(|path| path.split('/').rev().skip(1).any(|part| part == name)),
    }
}
