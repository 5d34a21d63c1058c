//! One JSON object per diagnostic, for programs.

use serde::Serialize;

use crate::check::{Diagnostic, Label, Severity};

use super::{Read, span};

#[derive(Serialize)]
struct Line<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    spans: Vec<Span<'a>>,
    notes: Vec<&'a str>,
    help: &'a [String],
}

#[derive(Serialize)]
struct Span<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_column: u32,
    label: &'a str,
}

pub(super) fn render(diagnostic: &Diagnostic, read: Read<'_>, out: &mut String) {
    let (placed, unplaced): (Vec<&Label>, Vec<&Label>) =
        diagnostic.labels.iter().partition(|label| label.at.is_known());
    let unplaced = unplaced.iter().map(|label| label.text.as_str());
    let line = Line {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: &diagnostic.message,
        spans: placed.into_iter().map(|label| span(label, read)).collect(),
        notes: unplaced.chain(diagnostic.notes.iter().map(String::as_str)).collect(),
        help: &diagnostic.help,
    };
    out.push_str(&serde_json::to_string(&line).expect("INVARIANT: text and numbers have a JSON form"));
    out.push('\n');
}

fn span<'a>(label: &'a Label, read: Read<'_>) -> Span<'a> {
    let at = &label.at;
    let width = read(&at.file).and_then(|text| {
        let line = text.lines().nth(at.line as usize - 1)?;
        let marked = span::of(&at.file, line, at.column)?;
        u32::try_from(line[marked].chars().count()).ok()
    });
    let end_column = at.column.saturating_add(width.unwrap_or(0));
    Span { file: &at.file, line: at.line, column: at.column, end_column, label: &label.text }
}
