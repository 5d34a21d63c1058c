//! Renames symbols of a template.

use lsp_types::TextEdit;
use wattle::extended::{KEY, MODEL};
use wattle_heat::yaml::{Place, read};

use crate::document::Analysis;
use crate::names::{Occurrence, Symbol};
use crate::text::Text;

/// The name at a byte, if it can be changed.
///
/// # Errors
///
/// The reason why it cannot be.
pub(crate) fn prepare(analysis: &Analysis, offset: usize) -> Result<&Occurrence, String> {
    let occurrence = analysis.names.at(offset).ok_or("there is no name here that the template defines")?;
    let symbol = &occurrence.symbol;
    let name = symbol.name();
    if let Symbol::Output(..) = symbol {
        return Err(format!("`{name}` is an output, which its recipe writes under this name"));
    }
    if !analysis.names.of_symbol(symbol).any(|one| one.gives) {
        return Err(format!("the template has no {} `{name}`", symbol.kind()));
    }
    let model = analysis.loaded.template.resources.get(MODEL).and_then(|resource| resource.metadata.as_ref());
    if model.and_then(|metadata| metadata.get(KEY)).is_some_and(|ours| ours.get("sources").is_some()) {
        return Err("a blueprint wrote this template: rename it in the blueprint".into());
    }
    Ok(occurrence)
}

/// The edits that rename the symbol at a byte to `to`.
///
/// # Errors
///
/// The reason why it cannot have that name.
pub(crate) fn rename(analysis: &Analysis, text: &Text, offset: usize, to: &str) -> Result<Vec<TextEdit>, String> {
    let symbol = &prepare(analysis, offset)?.symbol;
    let kind = symbol.kind();
    let is_legal = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    let is_text = read(to).is_ok_and(|node| node.tree.as_text() == Some(to));
    if !is_text || !to.chars().all(is_legal) || !to.starts_with(|first: char| first.is_alphanumeric() || first == '_') {
        return Err(format!(
            "`{}` cannot be the name of a {kind}: use letters, digits, `_`, `-` and `.`, but no word that YAML reads as \
             something else",
            to.escape_debug()
        ));
    }
    if to != symbol.name() && analysis.names.of_symbol(&symbol.named(to)).any(|one| one.gives) {
        return Err(format!("a {kind} `{to}` already exists"));
    }
    if analysis.unreadable.is_some() {
        return Err("the template has errors that keep wattle from finding every use of the name".into());
    }
    let edit = |one: &Occurrence| {
        let place: Place = text.place(one.bytes.start);
        let range = text.range(one.bytes.clone());
        one.is_plain
            .then(|| TextEdit { range, new_text: to.to_owned() })
            .ok_or_else(|| format!("at {place}, the name is an alias, or has escapes: write it out first"))
    };
    analysis.names.of_symbol(symbol).map(edit).collect()
}
