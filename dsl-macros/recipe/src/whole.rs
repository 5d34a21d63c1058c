//! A recipe of several files.

use crate::analysis::{Analysis, FileOutline, Include, SyntaxError};
use crate::files::{self, UsedFile};
use crate::lookup::{self, UnknownName};
use crate::names::extension;
use crate::tool::Tool;
use crate::{chef, jinja, puppet};

/// One file of a recipe is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FileError {
    /// The file, as it was given.
    pub path: String,
    /// The error in it.
    #[source]
    pub error: SyntaxError,
}

/// Analyses the reads and writes of a recipe of several files: the union of its files.
///
/// Every file is read according to its extension, whichever tool runs the recipe; of templates (`.erb`, `.j2`, `.epp`),
/// only the reads matter; files of other types are skipped. A file that another one includes makes the result dynamic only
/// if it is not among `files`.
///
/// # Errors
///
/// A file of `tool` is malformed. A file of another tool may be data that only looks like a recipe, and makes the
/// result dynamic instead.
pub fn analyse_all<'a>(tool: Tool, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Analysis, FileError> {
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut all = FileOutline::default();
    for (path, source) in files {
        all.merge(outline(tool, path, source)?);
    }
    Ok(all.among(&paths))
}

/// Analyses one run of a recipe with `files`: like [`analyse_all`], but of the recipes of Chef cookbooks includes only
/// those that `entry`, a `COOKBOOK::RECIPE`, runs by `include_recipe`, directly or indirectly.
///
/// # Errors
///
/// As for [`analyse_all`], in the files that are analysed.
pub fn analyse_run<'a>(
    tool: Tool,
    entry: &str,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Analysis, FileError> {
    let Some((cookbook, recipe)) = entry.split_once("::").filter(|_| !tool.runs_files()) else {
        let files: Vec<_> = files.into_iter().collect();
        let all = analyse_all(tool, files.iter().copied())?;
        if let Some((path, source)) = files.iter().find(|(path, _)| *path == entry) {
            crate::begins(tool, source).map_err(|error| FileError { path: (*path).to_owned(), error })?;
        }
        return Ok(all);
    };
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut waiting: Vec<(&str, &str)> = Vec::new();
    let mut all = FileOutline::default();
    for (path, source) in files {
        if is_recipe(path) {
            waiting.push((path, source));
        } else {
            all.merge(outline(tool, path, source)?);
        }
    }
    all.includes.push(Include::Cookbook { cookbook: cookbook.into(), folder: "recipes", file: format!("{recipe}.rb") });
    loop {
        let runs = |(path, _): &(&str, &str)| all.includes.iter().any(|include| include.names_recipe(path));
        let Some(next) = waiting.iter().position(runs) else { break };
        let (path, source) = waiting.swap_remove(next);
        all.merge(outline(tool, path, source)?);
    }
    if all.analysis.dynamic_writes {
        // A recipe that is included under a computed name is one of the remaining ones.
        for (path, source) in waiting {
            all.merge(outline(tool, path, source)?);
        }
    }
    Ok(all.among(&paths))
}

/// The names that a recipe of `tool` looks up in these files, that nothing sets and that are not among the `inputs`, which
/// are written as in [`Analysis`]. Nothing is reported if something may set any name; for files that are neither `entries`
/// nor included by any other, only typos are reported.
pub fn unknown_names<'a>(
    tool: Tool,
    entries: &[&str],
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    inputs: &[&str],
) -> Vec<UnknownName> {
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut all = FileOutline::default();
    let (mut names, mut libraries) = (Vec::new(), Vec::new());
    for (path, source) in files {
        // Files that other tools run get their inputs in another way.
        if crate::is_data(tool, path) {
            names.push((path, crate::data(source)));
            continue;
        }
        if Tool::of_path(path).is_some_and(|own| own != tool) {
            continue;
        }
        let Ok(mut found) = outline(tool, path, source) else { return Vec::new() };
        let mut own = std::mem::take(&mut found.names);
        own.anything |= crate::gives_names(tool, path);
        if tool == Tool::Shell && !found.defines.is_empty() {
            libraries.push(names.len());
        }
        names.push((path, own));
        all.merge(found);
    }
    // Other recipes may set the names that functions of a sourced file read.
    for at in libraries {
        let (path, own) = &mut names[at];
        if all.includes.iter().any(|include| include.takes_in(path)) {
            own.spare_all();
        }
    }
    if all.includes.iter().any(|include| include.is_unknown(&paths, &all.defines)) {
        return Vec::new();
    }
    // Attributes outside a cookbook's own key may be the machine's.
    let is_cookbook = |name: &str| paths.iter().any(|path| path.split('/').rev().skip(2).any(|folder| folder == name));
    for (path, own) in &mut names {
        let is_taken_in = || all.includes.iter().any(|include| include.takes_in(path));
        if tool.runs_files() && !entries.contains(path) && !is_taken_in() {
            own.spare_all();
        }
    }
    // A cookbook is included as a whole, and its other recipes are for other components.
    let is_alone = paths.iter().filter(|path| is_recipe(path)).count() == 1;
    let own =
        |name: &str| !tool.has_paths() || is_alone && name.split_once('/').is_some_and(|(first, _)| is_cookbook(first));
    lookup::unknown(&names, inputs, own)
}

/// The files that a recipe of `tool` uses, by paths that appear in these files, and that are not among them. The recipe
/// begins with `entries`. The possible places of each are relative to the base of these paths. The caller checks whether
/// they exist.
pub fn used_files<'a>(
    tool: Tool,
    entries: &[&str],
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<UsedFile> {
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut used = Vec::new();
    for (path, source) in files {
        // The content of another tool's file does not matter for this one.
        if Tool::of_path(path) != Some(tool) {
            continue;
        }
        let Ok(found) = outline(tool, path, source) else { continue };
        used.extend(found.uses.into_iter().map(|one| one.of(path, entries.contains(&path), &paths)));
        used.extend(found.includes.iter().filter_map(|include| files::cookbook(include, path)));
    }
    used.retain(|used| !used.places.is_empty() && !used.is_given(&paths));
    used.dedup();
    used
}

/// Whether the file is a recipe of a Chef cookbook.
fn is_recipe(path: &str) -> bool {
    extension(path) == Some("rb") && path.rsplit('/').nth(1) == Some("recipes")
}

fn outline(tool: Tool, path: &str, source: &str) -> Result<FileOutline, FileError> {
    let mut found = FileOutline::default();
    match (Tool::of_path(path), extension(path)) {
        (Some(own), _) => match crate::outline(own, source) {
            Ok(outline) if own == tool => return Ok(outline),
            Ok(outline) => found = outline,
            Err(error) if own == tool => return Err(FileError { path: path.to_owned(), error }),
            Err(_) => found.analysis.anything(),
        },
        (None, Some("erb")) => found.analysis.merge(chef::template(source)),
        (None, Some("epp")) => found.analysis.merge(puppet::template(source)),
        (None, Some("j2" | "jinja" | "jinja2")) => {
            jinja::template(source, &mut found.analysis);
            if matches!(tool, Tool::Ansible | Tool::Salt) {
                // Such a line may redefine the delimiters.
                if let Some(error) = jinja::unclosed(source, 1).filter(|_| !source.starts_with("#jinja2:")) {
                    return Err(FileError { path: path.to_owned(), error });
                }
            }
            if tool == Tool::Ansible {
                jinja::names::template(source, 1, &mut found.names);
            }
        }
        _ => {}
    }
    crate::beside(tool, source, &mut found);
    Ok(found)
}
