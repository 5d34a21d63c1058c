//! A check's documentation for a terminal.

use super::find;

/// What the check with the code `code` finds, as Markdown: its title and severity, what is wrong, a template that fails
/// and the same mended. `None` when there is no such check.
pub fn explain(code: &str) -> Option<String> {
    let check = find(code)?;
    let mut text = format!("{} ({}): {}\n\n", check.code, check.severity, check.summary);
    for line in check.docs.lines() {
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
    }
    Some(text)
}
