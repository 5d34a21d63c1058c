//! Escapes log lines. Quoted text can neither begin another line nor move the reader's cursor.

use wattle::shown::{is_unseen, on_terminal};

/// Escapes a line of text.
pub(in crate::cli) fn plain(line: &str) -> String {
    on_terminal(line, false).replace('\n', "\\n")
}

/// Escapes a line, keeping its colours.
pub(super) fn colored(line: &str) -> String {
    on_terminal(line, true).replace('\n', "\\n")
}

/// Escapes a line of JSON, keeping its meaning: only its strings can contain invisible characters.
pub(super) fn json(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if is_unseen(c) {
            let mut units = [0; 2];
            shown.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_and_shows_all() {
        let line = "INFO said=a\n2026 INFO all is fine\r\u{1b}[2J\u{9b}31m\u{202e}\tend";
        let shown = plain(line);
        assert_eq!(shown, "INFO said=a\\n2026 INFO all is fine\\r\\u{1b}[2J\\u{9b}31m\\u{202e}\tend");
        assert_eq!(colored("\u{1b}[32m INFO\u{1b}[0m \u{1b}[2J\n"), "\u{1b}[32m INFO\u{1b}[0m \\u{1b}[2J\\n");
        let line = serde_json::json!({ "message": line }).to_string();
        assert!(!json(&line).contains(is_unseen));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&json(&line)).unwrap(),
            serde_json::from_str::<serde_json::Value>(&line).unwrap()
        );
    }
}
