//! One line per diagnostic, in a form that editors read.

use annotate_snippets::renderer::{AnsiColor, Effects};

use crate::check::{Diagnostic, Severity};

use super::{Options, one_line, styled};

pub(super) fn render(diagnostic: &Diagnostic, options: &Options, out: &mut String) {
    if let Some(label) = diagnostic.labels.first().filter(|label| label.at.is_known()) {
        out.push_str(&one_line(&label.at.to_string()));
        out.push_str(": ");
    }
    let color = match diagnostic.severity {
        Severity::Error => AnsiColor::BrightRed,
        Severity::Warning => AnsiColor::Yellow,
    };
    let severity = format!("{}[{}]", diagnostic.severity, diagnostic.code);
    out.push_str(&styled(&severity, color.on_default().effects(Effects::BOLD), options));
    out.push_str(": ");
    out.push_str(&one_line(&diagnostic.message));
    out.push('\n');
}
