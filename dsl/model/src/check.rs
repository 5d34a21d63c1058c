//! What a check is: its description, and the function that runs it.

use crate::names::nearest;
use crate::{Diagnostic, Severity, Source};

/// One check. `Run` is the type of its function: checks of models and checks of templates receive different input.
#[derive(Debug)]
pub struct Check<Run: 'static> {
    /// Its description.
    pub about: About,
    /// The function that runs it.
    pub run: Run,
}

/// The description of a check, whatever it examines.
#[derive(Debug)]
pub struct About {
    /// The code of its diagnostics, such as `W0101`. Codes are stable and never reused.
    pub code: &'static str,
    /// The severity of its diagnostics.
    pub severity: Severity,
    /// What it reports, in one line.
    pub summary: &'static str,
    /// What it reports, why that is wrong, an example that fails, and the same example fixed. Markdown.
    pub docs: &'static str,
}

impl<Run> std::ops::Deref for Check<Run> {
    type Target = About;

    fn deref(&self) -> &About {
        &self.about
    }
}

impl About {
    /// Creates a diagnostic of this check.
    pub fn diagnostic(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message)
    }

    /// Its documentation for a terminal, as Markdown: code, severity, summary and description, without the hidden lines that
    /// turn a Rust example into a test.
    pub fn page(&self) -> String {
        let mut text = format!("{} ({}): {}\n\n", self.code, self.severity, self.summary);
        let mut block = Block::None;
        for line in self.docs.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            let shown = match (block, line) {
                (Block::None, "```yaml") => Some((Block::Other, line.to_owned())),
                (Block::None, fence) if fence.starts_with("```") => Some((Block::Rust, "```rust".to_owned())),
                (Block::Rust | Block::Other, "```") => Some((Block::None, line.to_owned())),
                (Block::Rust, "#") => None,
                (Block::Rust, hidden) if hidden.starts_with("# ") => None,
                // Recipes have their own folder in an author's crate.
                _ => Some((block, line.replace("src/check/examples/", "recipes/"))),
            };
            let Some((next, shown)) = shown else { continue };
            block = next;
            text.push_str(&shown);
            text.push('\n');
        }
        // Removing hidden lines leaves blank lines behind.
        while text.contains("\n\n\n") {
            text = text.replace("\n\n\n", "\n\n");
        }
        text.replace("```rust\n\n", "```rust\n").replace("\n\n```\n", "\n```\n")
    }
}

/// Where a line of documentation is.
#[derive(Clone, Copy)]
enum Block {
    /// Outside of any code block.
    None,
    /// In a Rust example.
    Rust,
    /// In a template.
    Other,
}

/// The check with the code `code`, ignoring case.
pub fn find<'c>(all: &[&'c About], code: &str) -> Option<&'c About> {
    all.iter().copied().find(|check| check.code.eq_ignore_ascii_case(code))
}

/// The known code most similar to `code`, to suggest in place of an unknown one.
pub fn nearest_code(all: &[&About], code: &str) -> Option<&'static str> {
    let asked = code.to_ascii_uppercase();
    let digits: String = asked.chars().filter(char::is_ascii_digit).collect();
    let exact = find(all, &format!("W{digits:0>4}")).map(|check| check.code);
    exact.or_else(|| nearest(&asked, all.iter().map(|check| check.code)))
}

/// Sorts diagnostics by severity, place and code, and removes duplicates.
pub fn sorted(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    fn rank(one: &Diagnostic) -> (Severity, Option<&Source>, &str, &str) {
        (one.severity, one.place(), one.code, &one.message)
    }
    found.sort_by(|one, other| rank(one).cmp(&rank(other)));
    found.dedup();
    found.into_iter().map(Diagnostic::bounded).collect()
}

/// Declares a check: its documentation, then `NAME: "W0101", Error, "summary"`, then its function. `explain` prints the
/// documentation, and its code blocks are tests.
#[macro_export]
macro_rules! check {
    ($(#[doc = $doc:literal])+ $visibility:vis $name:ident: $code:literal, $severity:ident, $summary:literal, $run:expr, $ty:ty) => {
        $(#[doc = $doc])+
        $visibility static $name: $crate::Check<$ty> = $crate::Check {
            about: $crate::check::About {
                code: $code,
                severity: $crate::Severity::$severity,
                summary: $summary,
                docs: concat!($($doc, "\n"),+),
            },
            run: $run,
        };
    };
}
