//! A check's documentation for a terminal.

use super::{CHECKS, find};
use crate::names::nearest;

/// What the check with the code `code` finds, as Markdown: its title and severity, what is wrong, an example that fails
/// and the same mended. `None` when there is no such check.
pub fn explain(code: &str) -> Option<String> {
    let check = find(code)?;
    let mut text = format!("{} ({}): {}\n\n", check.code, check.severity, check.summary);
    let mut in_code = false;
    for line in check.docs.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            text.push_str(if in_code { "```" } else { "```rust" });
            in_code = !in_code;
        } else if in_code && (line == "#" || line.starts_with("# ")) {
            // A line that makes the example a test, and that nobody wants to read.
            continue;
        } else {
            // Where recipes stand in an author's crate.
            text.push_str(&line.replace("src/check/examples/", "recipes/"));
        }
        text.push('\n');
    }
    // Hidden lines leave blank ones behind.
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    Some(text.replace("```rust\n\n", "```rust\n").replace("\n\n```\n", "\n```\n"))
}

/// The code that is most like `code`: what was probably meant by one that is unknown.
pub fn nearest_code(code: &str) -> Option<&'static str> {
    let asked = code.to_ascii_uppercase();
    let digits: String = asked.chars().filter(char::is_ascii_digit).collect();
    let padded = format!("W{digits:0>4}");
    let exact = CHECKS.iter().find(|check| check.code == padded).map(|check| check.code);
    exact.or_else(|| nearest(&asked, CHECKS.iter().map(|check| check.code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_explained_without_what_makes_it_a_test() {
        for check in CHECKS {
            let text = explain(check.code).expect("a check");
            assert!(text.starts_with(&format!("{} (", check.code)));
            assert!(text.contains("```rust\n"), "{text}");
            assert!(!text.contains("# use ") && !text.contains("assert!") && !text.contains("src/check"), "{text}");
            assert!(!text.contains("```rust\n```"), "an example of which nothing is left: {text}");
            assert!(text.ends_with('\n'));
        }
    }

    #[test]
    fn codes_are_found_in_any_case_and_suggested() {
        assert!(explain("w0101").is_some());
        assert_eq!(explain("W9999"), None);
        assert_eq!(nearest_code("101"), Some("W0101"));
        assert_eq!(nearest_code("W0110"), Some("W0101"));
        assert_eq!(nearest_code("hello"), None);
    }
}
