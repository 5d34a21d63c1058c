//! A check's documentation for a terminal.

use super::find;

/// Returns the documentation of the check with the code `code` as Markdown: its title and severity, what is wrong, an
/// example that fails, and the same example fixed. `None` if there is no such check.
pub fn explain(code: &str) -> Option<String> {
    find(code).map(|check| check.page())
}

#[cfg(test)]
mod tests {
    use super::super::{CHECKS, all};
    use super::*;
    use crate::model::check::nearest_code;

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
        assert_eq!(nearest_code(&all(), "101"), Some("W0101"));
        assert_eq!(nearest_code(&all(), "W0110"), Some("W0101"));
        assert_eq!(nearest_code(&all(), "hello"), None);
    }
}
