//! Converts diagnostics to the form of the protocol.

use std::collections::HashMap;
use std::collections::HashSet;
use std::ops::Range as Bytes;
use std::sync::Arc;

use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range, Uri};
use wattle::check::{Diagnostic as Found, Label, Severity};
use wattle::model::Source;
use wattle_heat::yaml::{Node, Place, Span, Tree};

use crate::document::{Analysis, Document};
use crate::files::{Near, uri};
use crate::text::Text;

/// All errors in a document.
pub(crate) fn diagnostics(document: &Document, analysis: &Analysis, near: Near<'_>) -> Vec<Diagnostic> {
    let places = Places { document, analysis, near, extents: extents(analysis) };
    analysis.diagnostics.iter().map(|found| places.diagnostic(found)).collect()
}

struct Places<'d> {
    document: &'d Document,
    analysis: &'d Analysis,
    near: Near<'d>,
    extents: HashMap<Place, Span>,
}

impl Places<'_> {
    fn diagnostic(&self, found: &Found) -> Diagnostic {
        let mut labels = found.labels.iter();
        let (range, first) = match labels.next() {
            Some(label) if self.is_here(&label.at) => (self.range(&label.at), None),
            Some(label) => (self.mention(&label.at.file), Some(label)),
            None => (Range::default(), None),
        };
        let related: Vec<_> = first.into_iter().chain(labels).filter_map(|label| self.related(label)).collect();
        Diagnostic {
            range,
            severity: Some(match found.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(found.code.to_owned())),
            source: Some("wattle".to_owned()),
            message: message(found),
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }

    fn is_here(&self, at: &Source) -> bool {
        *at.file == *self.analysis.loaded.template.file
    }

    fn range(&self, at: &Source) -> Range {
        let text = &self.document.text;
        text.range(extent(text, &self.extents, at))
    }

    /// The range in which the document mentions a file, even if only through others.
    fn mention(&self, file: &str) -> Range {
        let template = &self.analysis.loaded.template;
        let mentions = &self.analysis.loaded.library.mentions;
        let range = |span| self.document.text.range(self.document.text.bytes(span));
        let (mut file, mut seen) = (file, HashSet::new());
        while seen.insert(file) {
            let Some(mention) = mentions.iter().find(|mention| mention.path == file) else { break };
            if mention.file == template.file {
                return range(mention.span);
            }
            file = &mention.file;
        }
        // The files of recipes are mentioned by their exact names.
        word(&template.root, file, &mut HashSet::new()).map(range).unwrap_or_default()
    }

    fn related(&self, label: &Label) -> Option<DiagnosticRelatedInformation> {
        let location = if self.is_here(&label.at) {
            Location { uri: self.document.uri.clone(), range: self.range(&label.at) }
        } else {
            Location { uri: self.uri_of(&label.at.file)?, range: self.range_elsewhere(&label.at) }
        };
        Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
    }

    fn uri_of(&self, file: &str) -> Option<Uri> {
        uri(&self.near.whole(file)?)
    }

    fn range_elsewhere(&self, at: &Source) -> Range {
        let library = &self.analysis.loaded.library;
        let content = match (library.contents.get(&*at.file), library.recipes.get(&*at.file)) {
            (Some(Ok(content)), _) => content.to_string(),
            (_, Some(Ok(content))) => String::from_utf8_lossy(content).into_owned(),
            _ => return Range::default(),
        };
        let text = Text::new(content);
        text.range(extent(&text, &HashMap::new(), at))
    }
}

/// The error, its reason, and the advice.
fn message(found: &Found) -> String {
    let notes = found.notes.iter().map(|note| format!("\nnote: {note}"));
    let helps = found.help.iter().map(|help| format!("\nhelp: {help}"));
    let label = found.labels.first().map(|label| format!(" ({})", label.text)).filter(|_| found.labels.len() > 1);
    std::iter::once(format!("{}{}", found.message, label.unwrap_or_default())).chain(notes).chain(helps).collect()
}

/// The extent of every word of a template by its beginning, and of unreadable parts.
fn extents(analysis: &Analysis) -> HashMap<Place, Span> {
    let mut extents = HashMap::new();
    match &analysis.unreadable {
        Some(error) => extents.extend(error.all().map(|error| (error.span.start, error.span))),
        None => words(&analysis.loaded.template.root, &mut HashSet::new(), &mut extents),
    }
    extents
}

fn words(node: &Node, seen: &mut HashSet<*const Tree>, extents: &mut HashMap<Place, Span>) {
    let is_new = seen.insert(Arc::as_ptr(&node.tree));
    match &*node.tree {
        Tree::List(items) if is_new => items.iter().for_each(|item| words(item, seen, extents)),
        Tree::Map(pairs) if is_new => pairs.iter().for_each(|pair| {
            extents.insert(pair.key.span.start, pair.key.span);
            words(&pair.value, seen, extents);
        }),
        _ => {}
    }
    // The first item of a list or a map has an extent of its own, unless it begins with a bracket.
    extents.entry(node.span.start).or_insert(node.span);
}

/// The span of a word in a value, if present.
fn word(node: &Node, text: &str, seen: &mut HashSet<*const Tree>) -> Option<Span> {
    if !seen.insert(Arc::as_ptr(&node.tree)) {
        return None;
    }
    match &*node.tree {
        Tree::Text { text: written, .. } => (written == text).then_some(node.span),
        Tree::List(items) => items.iter().find_map(|item| word(item, text, seen)),
        Tree::Map(pairs) => pairs.iter().find_map(|pair| word(&pair.value, text, seen)),
        _ => None,
    }
}

/// The bytes at a place: what begins there, within one line.
fn extent(text: &Text, extents: &HashMap<Place, Span>, at: &Source) -> Bytes<usize> {
    let place = Place { line: at.line.saturating_sub(1), column: at.column.saturating_sub(1) };
    let start = text.byte(place);
    let (line, written) = text.line(start);
    let end = line + written.trim_end().len();
    let whole = extents.get(&place).map(|span| text.bytes(*span).end);
    let word = || {
        let rest = &text.whole[start.min(end)..end];
        start + rest.find([' ', '\t', ':', ',', '}', ']']).unwrap_or(rest.len())
    };
    let end = whole.unwrap_or_else(word).min(end);
    // A place at the end of a line means the last character on it, since what is missing there cannot be seen.
    if end > start { start..end } else { last_character(text, line, start)..start.max(line) }
}

fn last_character(text: &Text, line: usize, end: usize) -> usize {
    text.whole[line..end].char_indices().next_back().map_or(line, |(index, _)| line + index)
}
