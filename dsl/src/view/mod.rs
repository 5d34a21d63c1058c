//! Renders diagnostics.
//!
//! What lives here: the renderings (full, in the style of rustc; concise; JSON), but nothing that creates a diagnostic.
//! What must not: I/O. Source text comes through a function, so that a rendering is a pure function of its arguments.

mod concise;
mod full;
mod json;
mod span;

use std::fmt::Write;
use std::sync::Arc;

use annotate_snippets::renderer::Style;

use crate::check::{Diagnostic, Severity};
use crate::shown::one_line;

pub use full::failure;

/// Returns the text of a source file by the name under which the compiler knew it; `None` if it is not available.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<Arc<str>>;

/// How a rendering is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to use colours, with ANSI escapes. JSON has no colours.
    pub color: bool,
    /// The maximum width of a source line. Longer lines are cut around the labelled part.
    pub width: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { color: false, width: 140 }
    }
}

/// The renderings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// With the source of every label, notes and help, as in rustc.
    #[default]
    Full,
    /// One line each: `FILE:LINE:COLUMN: error[CODE]: MESSAGE`.
    Concise,
    /// One JSON object per line. These keys are always present; others may be added:
    ///
    /// - `code`: `"W0101"`
    /// - `severity`: `"error"` or `"warning"`
    /// - `message`: one line of text
    /// - `spans`: the places, the one to look at first; each has `file`, `line` (from 1), `column` and `end_column` (in
    ///   characters, from 1; the end is the first character that is not part of it, and equals `column` if the source
    ///   text is not available) and `label`
    /// - `notes`: explanations, a list of texts, including labels without a known place
    /// - `help`: how to fix it, a list of texts
    Json,
}

/// All diagnostics, each followed by a newline. In the full rendering, a blank line separates them.
pub fn render(diagnostics: &[Diagnostic], format: Format, read: Read<'_>, options: &Options) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        match format {
            Format::Full => {
                full::render(diagnostic, read, options, &mut out);
                out.push('\n');
            }
            Format::Concise => concise::render(diagnostic, options, &mut out),
            Format::Json => json::render(diagnostic, read, &mut out),
        }
    }
    out
}

/// The number of errors and warnings: `2 errors, 1 warning`; `None` if there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    let mut summary = String::new();
    for (count, word) in [(errors, "error"), (diagnostics.len() - errors, "warning")] {
        if count > 0 {
            let comma = if summary.is_empty() { "" } else { ", " };
            let plural = if count == 1 { "" } else { "s" };
            write!(summary, "{comma}{count} {word}{plural}").expect("INVARIANT: text takes all that is written");
        }
    }
    (!summary.is_empty()).then_some(summary)
}

/// `text` in `style`, if colours are enabled.
fn styled(text: &str, style: Style, options: &Options) -> String {
    if options.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
