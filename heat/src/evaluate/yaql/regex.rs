//! Regular expressions that mean the same in Python.

use regex_lite::{Captures, Regex};

use super::machine::{Machine, Stop, unknown};

/// A regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Whether it can match the empty text. How Python continues after such a match is not modelled here.
    is_empty_somewhere: bool,
}

impl Pattern {
    /// Compiles a pattern. It is unknown if only Python understands it, or if Python understands it differently.
    pub(super) fn of(pattern: &str, flags: &str) -> Result<Self, Stop> {
        if !is_common(pattern) {
            return unknown();
        }
        let with_flags = if flags.is_empty() { pattern.to_owned() } else { format!("(?{flags}){pattern}") };
        let compile = |pattern: &str| regex_lite::RegexBuilder::new(pattern).size_limit(200_000).build();
        let (Ok(regex), Ok(empty)) = (compile(&with_flags), compile(&format!("^(?:{pattern})$"))) else {
            return unknown();
        };
        Ok(Self { regex, is_empty_somewhere: empty.is_match("") || pattern.contains('^') || pattern.contains('$') })
    }

    pub(super) fn is_in(&self, machine: &Machine<'_>, text: &str) -> Result<bool, Stop> {
        readable(machine, text)?;
        Ok(self.regex.is_match(text))
    }

    pub(super) fn first<'t>(&self, machine: &Machine<'_>, text: &'t str) -> Result<Option<Captures<'t>>, Stop> {
        readable(machine, text)?;
        Ok(self.regex.captures(text))
    }

    /// All matches, up to `most`.
    pub(super) fn all<'t>(&self, machine: &Machine<'_>, text: &'t str, most: usize) -> Result<Vec<Captures<'t>>, Stop> {
        readable(machine, text)?;
        if self.is_empty_somewhere {
            return unknown();
        }
        Ok(self.regex.captures_iter(text).take(most).collect())
    }
}

/// Refuses texts in which letters, white space or lines differ between the two engines.
fn readable(machine: &Machine<'_>, text: &str) -> Result<(), Stop> {
    machine.step(text.len())?;
    if text.is_ascii() && !text.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}']) {
        Ok(())
    } else {
        unknown()
    }
}

/// Whether a pattern uses only syntax that is the same in Python.
fn is_common(pattern: &str) -> bool {
    if !pattern.is_ascii() || pattern.len() > 500 {
        return false;
    }
    let mut signs = pattern.chars().peekable();
    let mut in_class = false;
    let mut last = ' ';
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied().unwrap_or(' ');
        let is_known = match sign {
            '\\' => {
                signs.next();
                "dDwWsS".contains(next) && !in_class
                    || "dws".contains(next)
                    || next.is_ascii_punctuation() && !"<>".contains(next)
            }
            ']' => std::mem::take(&mut in_class),
            '[' | '&' | '~' if in_class => false,
            '-' if in_class => next != '-',
            _ if in_class => true,
            '[' => {
                in_class = true;
                if next == '^' {
                    signs.next();
                }
                signs.peek() != Some(&']')
            }
            '(' if next == '?' => {
                signs.next();
                signs.next() == Some(':')
            }
            // Python reads a repeated repetition as something else.
            '*' | '+' | '}' => !"*+{".contains(next),
            '?' => !"*+{?".contains(next),
            '{' => next.is_ascii_digit() && last != '{',
            _ => true,
        };
        if !is_known || sign.is_control() {
            return false;
        }
        last = sign;
    }
    !in_class
}
