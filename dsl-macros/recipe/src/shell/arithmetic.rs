//! Variables in arithmetic, which need no `$`: `$((x + 1))`, `((x++))`, `let x=y`.

use crate::analysis::Analysis;
use crate::lookup::Names;
use crate::names::leading_identifier;

/// Records the variables of an expression: those that it sets, and those that it reads. A variable that it increments may
/// be empty at first, so the expression sets it.
pub(super) fn variables(text: &str, line: u32, found: &mut Analysis, names: &mut Names) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let name = leading_identifier(rest);
        if !name.is_empty() {
            let before = text[..text.len() - rest.len()].trim_end();
            let behind = rest[name.len()..].trim_start();
            let is_counted = ["++", "--"].iter().any(|sign| behind.starts_with(sign) || before.ends_with(sign));
            // For `x[i] = 1`, the end of the brackets is not determined.
            if is_counted || is_assigned(behind) || behind.starts_with('[') {
                names.set(name);
            } else {
                names.need(name, line);
            }
            found.read(name, line);
            rest = &rest[name.len()..];
        } else if c.is_ascii_digit() {
            // `0x1f`, `16#ff`: letters in a number are not names.
            let end =
                rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'#' | b'@' | b'_'));
            rest = &rest[end.unwrap_or(rest.len())..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// Whether the text after a name assigns to it: `= 1`, `+= 1`, `<<= 1`, and not `== 1`.
fn is_assigned(behind: &str) -> bool {
    let sign = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
    let sign = sign.strip_prefix("<<").or_else(|| sign.strip_prefix(">>")).unwrap_or(sign);
    sign.starts_with('=') && !sign.starts_with("==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_or_set() {
        for (text, taken, set) in [
            ("x + 1", vec!["x"], vec![]),
            ("x == y && a <= b", vec!["a", "b", "x", "y"], vec![]),
            ("x = y", vec!["y"], vec!["x"]),
            ("x += 1, y <<= z", vec!["z"], vec!["x", "y"]),
            ("x++ + --y - z", vec!["z"], vec!["x", "y"]),
            ("0x1f + 16#ff + 7", vec![], vec![]),
            ("a[i] ? 1 : b", vec!["b", "i"], vec!["a"]),
        ] {
            let (mut found, mut names, mut expected) = (Analysis::default(), Names::default(), Names::default());
            variables(text, 1, &mut found, &mut names);
            taken.iter().for_each(|name| expected.need(name, 1));
            set.iter().for_each(|name| expected.set(name));
            assert_eq!(names, expected, "{text}");
        }
    }
}
