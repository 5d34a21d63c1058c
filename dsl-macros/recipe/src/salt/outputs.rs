//! The texts of an SLS file that are paths of outputs.

use std::collections::BTreeMap;

use super::code::quoted;
use super::{feeds, word};
use crate::analysis::Analysis;
use crate::embedded;
use crate::jinja::{Piece, pieces};
use crate::names::{OUTPUTS_PATH, identifiers, is_identifier, line_feeds};

/// The placeholder for an unknown text: a name after it is computed.
const UNKNOWN: &str = "{";
/// The maximum length of a text that is followed.
const LENGTH: usize = 4096;
/// The forms of access to the prefix, without spaces and with one kind of quotes.
const WAYS: [&str; 10] = [
    "pillar['heat_outputs_path']",
    "pillar.heat_outputs_path",
    "pillar.get('heat_outputs_path')",
    "salt['pillar.get']('heat_outputs_path')",
    "salt.pillar.get('heat_outputs_path')",
    "salt['config.get']('heat_outputs_path')",
    "salt.config.get('heat_outputs_path')",
    "salt['environ.get']('heat_outputs_path')",
    "salt.environ.get('heat_outputs_path')",
    "opts['pillar']['heat_outputs_path']",
];

/// The values of the variables that are set so far.
#[derive(Debug, Default)]
pub(super) struct Values<'a>(BTreeMap<&'a str, String>);

impl<'a> Values<'a> {
    /// The file's text, line by line, without comments, with each expression replaced by its value, as far as it is known.
    pub(super) fn text(mut self, source: &'a str, analysis: &mut Analysis) -> String {
        let mut text = String::new();
        let mut reached = 1;
        for (piece, line) in pieces(source, 1) {
            // Jinja's comments are not pieces.
            text.push_str(&"\n".repeat(line.saturating_sub(reached) as usize));
            let (Piece::Text(own) | Piece::Expression(own) | Piece::Statement(own)) = piece;
            reached = line.saturating_add(line_feeds(own));
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Expression(code) => {
                    text.push_str(&self.value(code));
                    text.push_str(&feeds(code));
                }
                Piece::Statement(code) => {
                    self.statement(code, line, analysis);
                    text.push_str(&feeds(code));
                }
            }
        }
        let is_comment = |line: &&str| line.trim_start().starts_with('#');
        text.split('\n').map(|line| if is_comment(&line) { "" } else { line }).collect::<Vec<_>>().join("\n")
    }

    fn statement(&mut self, code: &'a str, line: u32, analysis: &mut Analysis) {
        if word(code) == "set"
            && let Some((left, right)) = code.split_once('=')
            && let name = left.trim_start_matches(['-', '+', ' ', '\n']).trim_start_matches("set").trim()
            && is_identifier(name)
        {
            let value = self.value(right);
            let known = self.0.entry(name).or_insert_with(|| value.clone());
            if *known != value {
                let holds = known.contains(OUTPUTS_PATH) || value.contains(OUTPUTS_PATH);
                *known = if holds { format!("{OUTPUTS_PATH}{UNKNOWN}") } else { UNKNOWN.to_owned() };
            }
        } else if code.contains(OUTPUTS_PATH) {
            embedded::writes(&code.replace('~', "+"), line, analysis);
        } else {
            // The text that a block assigns is not followed, nor are other uses of the path.
            analysis.dynamic_writes |= word(code) == "set" || self.mentions(code);
        }
    }

    /// The value of an expression: text, [`OUTPUTS_PATH`] and [`UNKNOWN`].
    fn value(&self, code: &str) -> String {
        let code = code.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        let mut value = String::new();
        for operand in operands(code) {
            value += &self.operand(operand.trim());
            if value.len() > LENGTH {
                return if code.contains(OUTPUTS_PATH) || self.mentions(code) {
                    format!("{OUTPUTS_PATH}{UNKNOWN}")
                } else {
                    UNKNOWN.into()
                };
            }
        }
        value
    }

    fn operand(&self, operand: &str) -> String {
        if let Some((text, "")) = quoted(operand) {
            return text.to_owned();
        }
        // Filters such as `json` do not change a path.
        let name = operand.split('|').next().unwrap_or_default();
        let way: String = name.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace('"', "'");
        if WAYS.contains(&way.as_str()) {
            return OUTPUTS_PATH.to_owned();
        }
        match self.0.get(name.trim()) {
            Some(value) => value.clone(),
            None if operand.contains(OUTPUTS_PATH) || self.mentions(operand) => format!("{OUTPUTS_PATH}{UNKNOWN}"),
            None => UNKNOWN.to_owned(),
        }
    }

    /// Whether code names a variable that holds the path.
    fn mentions(&self, code: &str) -> bool {
        identifiers(code).any(|name| self.0.get(name).is_some_and(|value| value.contains(OUTPUTS_PATH)))
    }
}

/// The operands of `~` and `+` outside of brackets and strings.
fn operands(code: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0_u32, None);
    code.split(move |c: char| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '~' | '+') => return depth == 0,
            _ => {}
        }
        false
    })
}
