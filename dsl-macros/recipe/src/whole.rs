//! A recipe of several files.

use crate::analysis::{Analysis, Findings, Include, SyntaxError};
use crate::names::extension;
use crate::tool::Tool;
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
/// Every file is taken for what its extension says, whichever tool runs the recipe; templates (`.erb`, `.j2`, `.epp`)
/// are read for what they read; files of other types are skipped. A file that another one includes makes the answer
/// dynamic only if it is not among `files`.
///
/// # Errors
///
/// A file of `tool` is malformed. One of another tool may be data that only looks like a recipe, and makes the answer
/// dynamic instead.
pub fn analyse_all<'a>(tool: Tool, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Analysis, FileError> {
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut all = Findings::default();
    for (path, source) in files {
        all.merge(findings(tool, path, source)?);
    }
    Ok(all.among(&paths))
}

/// What one run of a recipe reads and writes, of which `files` travel along: as [`analyse_all`], but of the recipes of
/// Chef cookbooks only those that `entry`, a `COOKBOOK::RECIPE`, runs by `include_recipe`, however far away.
///
/// # Errors
///
/// As [`analyse_all`], of the files that count.
pub fn analyse_run<'a>(
    tool: Tool,
    entry: &str,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Analysis, FileError> {
    let Some((cookbook, recipe)) = entry.split_once("::").filter(|_| !tool.runs_files()) else {
        return analyse_all(tool, files);
    };
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut waiting: Vec<(&str, &str)> = Vec::new();
    let mut all = Findings::default();
    for (path, source) in files {
        if is_recipe(path) {
            waiting.push((path, source));
        } else {
            all.merge(findings(tool, path, source)?);
        }
    }
    all.includes.push(Include::Cookbook { cookbook: cookbook.into(), folder: "recipes", file: format!("{recipe}.rb") });
    loop {
        let runs = |(path, _): &(&str, &str)| all.includes.iter().any(|include| include.names_recipe(path));
        let Some(next) = waiting.iter().position(runs) else { break };
        let (path, source) = waiting.swap_remove(next);
        all.merge(findings(tool, path, source)?);
    }
    if all.analysis.dynamic_writes {
        // A recipe that is included under a computed name is one of those that are left.
        for (path, source) in waiting {
            all.merge(findings(tool, path, source)?);
        }
    }
    Ok(all.among(&paths))
}

/// Whether the file is a recipe of a Chef cookbook.
fn is_recipe(path: &str) -> bool {
    extension(path) == Some("rb") && path.rsplit('/').nth(1) == Some("recipes")
}

fn findings(tool: Tool, path: &str, source: &str) -> Result<Findings, FileError> {
    let mut found = Findings::default();
    match (Tool::of_path(path), extension(path)) {
        (Some(own), _) => match crate::findings(own, source) {
            Ok(findings) if own == tool => return Ok(findings),
            Ok(findings) => found = findings,
            Err(error) if own == tool => return Err(FileError { path: path.to_owned(), error }),
            Err(_) => found.analysis.anything(),
        },
        (None, Some("erb")) => found.analysis.merge(chef::template(source)),
        (None, Some("epp")) => found.analysis.merge(puppet::template(source)),
        (None, Some("j2" | "jinja" | "jinja2")) => jinja::template(source, &mut found.analysis),
        _ => {}
    }
    crate::beside(tool, source, &mut found);
    Ok(found)
}
