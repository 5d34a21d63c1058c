//! What the recipe of a component type reads and writes.

use wattle_recipe::{Analysis, UnknownName};

use crate::model::{Content, Declaration, Name, Source};

/// Analyses a run of the component type's files that begins with `entry`; `None` if that is not possible.
pub(super) fn analysis(kind: &Declaration, entry: &str) -> Option<Analysis> {
    wattle_recipe::analyse_run(kind.recipe.tool, entry, texts(kind)).ok()
}

/// The entry points of the component type: its recipe, and its teardown.
pub(super) fn entries(kind: &Declaration) -> Vec<&str> {
    [Some(&kind.recipe.entry), kind.recipe.teardown.as_ref()].into_iter().flatten().map(|entry| &**entry).collect()
}

/// The component type's text files.
pub(super) fn texts(kind: &Declaration) -> impl Iterator<Item = (&str, &str)> {
    kind.recipe.files.iter().filter_map(|file| match &file.content {
        Content::Text(text) => Some((&*file.path, &**text)),
        Content::Binary(_) => None,
    })
}

/// The place of `word` in a line of one of the component type's files, whose paths are relative to its crate.
pub(super) fn place(kind: &Declaration, path: &str, line: u32, word: &str) -> Source {
    let own = kind.at.file.replace('\\', "/");
    // The compiler names files relative to the workspace: the part before `src` is the crate.
    let root = own.rsplit_once("/src/").map(|(root, _)| format!("{root}/"));
    let text = texts(kind).find(|(own, _)| *own == path).map_or("", |(_, text)| text);
    let text = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_whole =
        |at: &usize| !is_part(text[..*at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next());
    let at = text.match_indices(word).map(|(at, _)| at).find(is_whole);
    let at = at.unwrap_or_else(|| text.len() - text.trim_start().len());
    let column = text[..at].chars().count() + 1;
    let file = format!("{}{path}", root.unwrap_or_default());
    Source { file: file.into(), line, column: u32::try_from(column).unwrap_or(u32::MAX) }
}

/// Suggests the input `meant` in place of a name that nothing sets, as the recipe would read it.
pub(super) fn did_you_mean(kind: &Declaration, unknown: &UnknownName, meant: &str) -> String {
    let reading = wattle_recipe::reading(kind.recipe.tool, meant).filter(|_| unknown.is_variable);
    crate::names::did_you_mean(reading.as_deref().unwrap_or(meant))
}

/// The name of an input or output in the recipe.
pub(super) fn own_name(kind: &Declaration, name: &str, path: &[Name]) -> String {
    if kind.recipe.tool.has_paths() && !path.is_empty() { path.join("/") } else { name.to_owned() }
}
