//! What the recipe of a kind reads and writes.

use wattle_recipe::Analysis;

use crate::model::{Content, Declaration, Name};

/// What a run of the kind's files that begins with `entry` does; none if that cannot be told.
pub(super) fn analysis(kind: &Declaration, entry: &str) -> Option<Analysis> {
    let known = kind.recipe.files.iter().filter_map(|file| match &file.content {
        Content::Text(text) => Some((&*file.path, &**text)),
        Content::Binary(_) => None,
    });
    wattle_recipe::analyse_run(kind.recipe.tool, entry, known).ok()
}

/// The name that an input or output has in the recipe.
pub(super) fn own_name(kind: &Declaration, name: &str, path: &[Name]) -> String {
    if kind.recipe.tool.has_paths() && !path.is_empty() { path.join("/") } else { name.to_owned() }
}
