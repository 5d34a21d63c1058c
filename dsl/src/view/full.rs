//! The full rendering, in the style of rustc.

use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::check::{Diagnostic, Label, Severity};

use super::{Options, Read, one_line, span};

pub(super) fn render(diagnostic: &Diagnostic, read: Read<'_>, options: &Options, out: &mut String) {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let files = by_file(&diagnostic.labels, read);
    let mut group = Group::with_title(level.primary_title(one_line(&diagnostic.message)).id(diagnostic.code));
    for file in &files {
        if let Some(excerpt) = &file.excerpt {
            group = group.element(excerpt.snippet(file.name));
        }
        for label in &file.unmarked {
            let place = Origin::path(file.name).line(label.at.line as usize).char_column(label.at.column as usize);
            group = group.element(place).element(Level::NOTE.message(one_line(&label.text)));
        }
    }
    for label in diagnostic.labels.iter().filter(|label| !label.at.is_known()) {
        group = group.element(Level::NOTE.message(one_line(&label.text)));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    out.push_str(&renderer(options).render(&[group]));
    out.push('\n');
}

/// A message that is not a diagnostic of a check, such as wrong usage, in the same style.
pub fn failure(message: &str, notes: &[String], help: &[String], options: &Options) -> String {
    let notes = notes.iter().map(|note| Level::NOTE.message(note));
    let help = help.iter().map(|help| Level::HELP.message(help));
    let group = Group::with_title(Level::ERROR.primary_title(one_line(message))).elements(notes).elements(help);
    let mut rendered = renderer(options).render(&[group]);
    rendered.push('\n');
    rendered
}

fn renderer(options: &Options) -> Renderer {
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(options.width)
}

/// The labels of one file.
struct File<'a> {
    name: &'a str,
    excerpt: Option<Excerpt<'a>>,
    /// Labels whose line cannot be shown.
    unmarked: Vec<&'a Label>,
}

/// The lines of a file from its first label to its last.
struct Excerpt<'a> {
    text: Arc<str>,
    /// The range of the text that is shown, in bytes.
    start: usize,
    end: usize,
    first_line: usize,
    /// Ranges in bytes of the excerpt.
    marks: Vec<(std::ops::Range<usize>, AnnotationKind, &'a Label)>,
}

impl<'a> Excerpt<'a> {
    fn snippet(&self, path: &'a str) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        Snippet::source(&self.text[self.start..self.end]).line_start(self.first_line).path(path).annotations(
            self.marks.iter().map(|(span, kind, label)| kind.span(span.clone()).label(one_line(&label.text))),
        )
    }
}

fn by_file<'a>(labels: &'a [Label], read: Read<'_>) -> Vec<File<'a>> {
    let mut files: Vec<(&str, Vec<&Label>)> = Vec::new();
    for label in labels.iter().filter(|label| label.at.is_known()) {
        match files.iter_mut().find(|(name, _)| *name == label.at.file) {
            Some((_, labels)) => labels.push(label),
            None => files.push((&label.at.file, vec![label])),
        }
    }
    let primary = labels.first();
    let file = |(name, labels)| match read(name) {
        Some(text) => excerpt(name, &text, labels, primary),
        None => File { name, excerpt: None, unmarked: labels },
    };
    files.into_iter().map(file).collect()
}

fn excerpt<'a>(name: &'a str, text: &Arc<str>, labels: Vec<&'a Label>, primary: Option<&Label>) -> File<'a> {
    let lines = labels.iter().map(|label| label.at.line as usize);
    let (first_line, last_line) = (lines.clone().min().unwrap_or(1), lines.max().unwrap_or(1));
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).skip(first_line - 1);
    let starts: Vec<usize> = starts.by_ref().take(last_line - first_line + 2).collect();
    let start = starts.first().copied().unwrap_or(text.len());
    let line = |number: usize| {
        let index = number - first_line;
        let from = *starts.get(index)?;
        let to = starts.get(index + 1).copied().unwrap_or(text.len());
        Some((from, text[from..to].trim_end_matches(['\n', '\r'])))
    };
    let (mut marks, mut unmarked, mut end) = (Vec::new(), Vec::new(), start);
    for label in labels {
        let marked = line(label.at.line as usize)
            .and_then(|(from, line)| Some((from, line, span::of(name, line, label.at.column)?)));
        let Some((from, line, span)) = marked else {
            unmarked.push(label);
            continue;
        };
        let is_primary = primary.is_some_and(|primary| std::ptr::eq(primary, label));
        let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        marks.push((from + span.start - start..from + span.end - start, kind, label));
        end = end.max(from + line.len());
    }
    let excerpt = (!marks.is_empty()).then(|| Excerpt { text: text.clone(), start, end, first_line, marks });
    File { name, excerpt, unmarked }
}
