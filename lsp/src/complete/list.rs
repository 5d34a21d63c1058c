//! The list of completions, in the form of the protocol.

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, InsertTextFormat, Range, TextEdit};
use wattle_catalog_generate::schema::{Property, PropertyType};
use wattle_heat::yaml::read;

use super::markdown;
use crate::context::Context;
use crate::cursor::{Cursor, Place};
use crate::shape;
use crate::text::Text;

/// The items so far, and what they replace.
pub(super) struct List<'c> {
    pub(super) items: Vec<CompletionItem>,
    cursor: &'c Cursor,
    range: Range,
    word: &'c str,
    is_quoted: bool,
    snippets: bool,
}

impl<'c> List<'c> {
    pub(super) fn new(text: &'c Text, cursor: &'c Cursor, offset: usize, snippets: bool) -> Self {
        let word = cursor.word.clone();
        let range = text.range(word.start.min(offset)..word.end.max(offset));
        let is_quoted = text.whole[..word.start].ends_with(['"', '\'']);
        Self { items: Vec::new(), cursor, range, word: &text.whole[word], is_quoted, snippets }
    }

    pub(super) fn add(
        &mut self,
        label: &str,
        kind: CompletionItemKind,
        detail: &str,
        doc: Option<String>,
        new_text: String,
    ) {
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then(|| detail.to_owned()),
            documentation: doc.map(markdown),
            filter_text: Some(label.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text })),
            ..CompletionItem::default()
        });
    }

    /// Adds a text, which is quoted if it would be read as something else.
    pub(super) fn value(&mut self, text: &str, kind: CompletionItemKind, detail: &str, doc: Option<String>) {
        let is_text = self.is_quoted || read(text).is_ok_and(|node| node.tree.as_text() == Some(text));
        let new_text = if is_text { text.to_owned() } else { format!("\"{text}\"") };
        if self.cursor.place != Place::Key {
            self.add(text, kind, detail, doc, new_text);
        }
    }

    /// Adds a literal word.
    pub(super) fn literal(&mut self, word: &str) {
        self.add(word, CompletionItemKind::CONSTANT, "", None, word.to_owned());
    }

    pub(super) fn ty(&mut self, ty: &str) {
        self.value(ty, CompletionItemKind::CLASS, "", None);
        if let Some(item) = self.items.last_mut() {
            item.data = Some(ty.into());
        }
    }

    /// Adds those of `keys` that are not present yet.
    pub(super) fn keys(&mut self, context: Context<'_>, keys: &[&str]) {
        for key in keys {
            let opens = matches!(
                *key,
                "properties" | "metadata" | "parameters" | "conditions" | "resources" | "outputs" | "constraints"
            );
            self.key(context, key, CompletionItemKind::KEYWORD, "", None, opens);
        }
    }

    /// Adds a key. `opens` is whether its value is written below it.
    pub(super) fn key(
        &mut self,
        context: Context<'_>,
        key: &str,
        kind: CompletionItemKind,
        detail: &str,
        doc: Option<String>,
        opens: bool,
    ) {
        let is_there = context.present().contains(&key) && self.word != key;
        if self.cursor.place == Place::Value || is_there {
            return;
        }
        let colon = match (self.cursor.is_key, self.is_quoted, opens && self.cursor.place == Place::Start) {
            (true, ..) | (_, true, _) => "",
            (.., true) => ":",
            _ => ": ",
        };
        self.add(key, kind, detail, doc, format!("{key}{colon}"));
    }

    /// Adds a property. Required ones come first.
    pub(super) fn property(&mut self, context: Context<'_>, name: &str, property: &Property) {
        let opens = matches!(property.t, PropertyType::List | PropertyType::Map);
        let count = self.items.len();
        let doc = shape::property_text(name, property);
        self.key(context, name, CompletionItemKind::PROPERTY, &shape::detail(property), Some(doc), opens);
        for item in &mut self.items[count..] {
            item.sort_text = Some(format!("{}{name}", if property.is_required() { "0" } else { "1" }));
        }
    }

    /// Adds a call of a function: as a map in braces after a key, otherwise as a key.
    pub(super) fn function(&mut self, name: &str, form: &str, about: &str) {
        if self.is_quoted {
            return;
        }
        let doc = Some(format!("`{form}`\n\n{about}"));
        let new_text = match (self.cursor.place, self.cursor.is_key) {
            (Place::Value, _) if self.snippets => format!("{{{name}: $0}}"),
            (Place::Value, _) => format!("{{{name}: }}"),
            (_, true) => name.to_owned(),
            _ => format!("{name}: "),
        };
        let is_snippet = self.snippets && self.cursor.place == Place::Value;
        self.add(name, CompletionItemKind::FUNCTION, form, doc, new_text);
        if let Some(item) = self.items.last_mut() {
            item.insert_text_format = is_snippet.then_some(InsertTextFormat::SNIPPET);
            // Values that are specific to the place come first.
            item.sort_text = Some(format!("2{name}"));
        }
    }
}
