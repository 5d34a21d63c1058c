//! What the tokens of a manifest mean.

use std::collections::{BTreeMap, BTreeSet};

use super::PREFIX;
use super::lexer::{Kind, Part, Token};
use crate::analysis::{Findings, Include};
use crate::names::{is_output, leading_identifier};
use crate::tool::file_name;

/// Stands for what cannot be told.
const UNKNOWN: char = '\0';
/// Stands for the value of `heat_outputs_path`.
const OUTPUTS: char = '\u{1}';
const VALUES: usize = 64;
const LENGTH: usize = 4096;

/// Attributes whose texts name files that are not written.
const LOOKING: [&str; 14] = [
    "source", "creates", "require", "subscribe", "before", "notify", "content", "message", "cwd", "environment", "alias",
    "tag", "line", "match",
];
/// Attributes that hold a command.
const COMMANDS: [&str; 4] = ["command", "unless", "onlyif", "refresh"];
const LOOKUPS: [&str; 8] =
    ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include", "fact", "getvar", "get"];
/// Functions and types that speak, or only look.
const SPEAKING: [&str; 12] =
    ["notice", "warning", "info", "debug", "err", "alert", "fail", "notify", "file_exists", "find_file", "dirname", "basename"];

/// The texts that a variable may hold, from every assignment.
type Values = BTreeMap<String, BTreeSet<String>>;

pub(super) fn judge(tokens: &[Token]) -> Findings {
    let mut manifest = Manifest { values: Values::new(), findings: Findings::default() };
    // Puppet assigns each variable once, but uses may stand before assignments in other scopes.
    for _ in 0..3 {
        manifest.assignments(tokens);
    }
    manifest.walk(tokens, None);
    manifest.findings
}

struct Manifest {
    values: Values,
    findings: Findings,
}

impl Manifest {
    /// Collects `$name = value` and `[…].each |$name|`.
    fn assignments(&mut self, tokens: &[Token]) {
        let mut assigned = Values::new();
        for (at, token) in tokens.iter().enumerate() {
            let Kind::Variable(name) = &token.kind else { continue };
            let texts = match tokens.get(at + 1).map(|token| &token.kind) {
                Some(Kind::Sign("=")) => self.expression(&tokens[at + 2..]).0,
                Some(Kind::Sign("|" | ",")) => match iterated(tokens, at) {
                    Some(texts) => texts,
                    None => continue,
                },
                _ => continue,
            };
            assigned.entry(last_part(name).to_owned()).or_default().extend(texts);
        }
        assigned.retain(|_, texts| texts.len() <= VALUES && texts.iter().all(|text| text.len() <= LENGTH));
        self.values = assigned;
    }

    /// The texts that an expression at the start of `tokens` may become, and how many tokens it has.
    fn expression(&self, tokens: &[Token]) -> (Vec<String>, usize) {
        let (mut texts, mut length) = self.operand(tokens);
        while let Some(Kind::Sign("+")) = tokens.get(length).map(|token| &token.kind) {
            let (right, more) = self.operand(&tokens[length + 1..]);
            texts = product(&texts, &right);
            length += 1 + more;
        }
        (texts, length)
    }

    fn operand(&self, tokens: &[Token]) -> (Vec<String>, usize) {
        let unknown = vec![UNKNOWN.to_string()];
        match tokens.first().map(|token| &token.kind) {
            Some(Kind::Text(parts)) => (self.text(parts), 1),
            Some(Kind::Variable(name)) => match key_behind(&tokens[1..]) {
                Some((key, length)) if is_facts(name) => (self.variable(key), 1 + length),
                _ => (self.variable(name), 1),
            },
            Some(Kind::Word(word)) if LOOKUPS.contains(&word.as_str()) => match key_behind(&tokens[1..]) {
                Some((key, length)) => (self.variable(key), 1 + length),
                None => (unknown, 1),
            },
            Some(Kind::Word(word)) => (vec![word.clone()], 1),
            _ => (unknown, 1),
        }
    }

    fn variable(&self, name: &str) -> Vec<String> {
        let name = last_part(name);
        if name == PREFIX {
            return vec![OUTPUTS.into()];
        }
        self.values.get(name).map_or_else(|| vec![UNKNOWN.into()], |texts| texts.iter().cloned().collect())
    }

    fn text(&self, parts: &[Part]) -> Vec<String> {
        let mut texts = vec![String::new()];
        for part in parts {
            let values = match part {
                Part::Text(text) => vec![text.clone()],
                Part::Code(tokens) => self.code(tokens),
            };
            texts = product(&texts, &values);
        }
        texts
    }

    /// The code in `${…}`, where a bare name is a variable.
    fn code(&self, tokens: &[Token]) -> Vec<String> {
        match tokens {
            [Token { kind: Kind::Word(name), .. }] => self.variable(name),
            [Token { kind: Kind::Word(name), .. }, rest @ ..] if is_facts(name) => match key_behind(rest) {
                Some((key, length)) if length == rest.len() => self.variable(key),
                _ => vec![UNKNOWN.into()],
            },
            // `${::name}`
            [Token { kind: Kind::Sign(":"), .. }, Token { kind: Kind::Sign(":"), .. }, Token { kind: Kind::Word(name), .. }] => {
                self.variable(name)
            }
            _ => {
                let (texts, length) = self.expression(tokens);
                if length == tokens.len() { texts } else { vec![UNKNOWN.into()] }
            }
        }
    }

    fn walk(&mut self, tokens: &[Token], within: Option<&str>) {
        // The type or function around each open bracket.
        let mut around: Vec<String> = within.map(str::to_owned).into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let line = token.line;
            let behind = &tokens[at + 1..];
            match &token.kind {
                Kind::Variable(name) => self.read(name, behind, line),
                Kind::Text(parts) => {
                    self.parts(parts, line);
                    let around = around.last().map_or("", String::as_str).to_owned();
                    self.place(tokens, at, &around);
                }
                Kind::Word(word) => self.word(word, tokens, at),
                Kind::Sign("{" | "(" | "[") => {
                    let name = match at.checked_sub(1).map(|before| &tokens[before].kind) {
                        Some(Kind::Word(word)) => word.clone(),
                        _ => String::new(),
                    };
                    around.push(if name.is_empty() { around.last().cloned().unwrap_or_default() } else { name });
                }
                Kind::Sign("}" | ")" | "]") => drop(around.pop()),
                Kind::Sign(_) | Kind::Other(_) => {}
            }
            // A variable that stands where a title or an attribute's value may.
            if matches!(token.kind, Kind::Variable(_)) {
                let around = around.last().map_or("", String::as_str).to_owned();
                self.place(tokens, at, &around);
            }
        }
    }

    /// A text or variable in its place: does it name a file that is written?
    fn place(&mut self, tokens: &[Token], at: usize, around: &str) {
        if SPEAKING.contains(&around) || around.starts_with(char::is_uppercase) {
            return;
        }
        let before: Vec<&Kind> = tokens[..at].iter().rev().take(2).map(|token| &token.kind).collect();
        let attribute = match before.as_slice() {
            [Kind::Sign("=>" | "+>"), Kind::Word(name), ..] => name.as_str(),
            // Parts of a sum are looked at from its beginning, assignments where the variable is used.
            [Kind::Sign("+" | "="), ..] => return,
            _ => "",
        };
        let behind = tokens.get(at + 1).map(|token| &token.kind);
        let title = matches!(behind, Some(Kind::Sign(":" | "]" | ",")));
        let line = tokens[at].line;
        let (texts, length) = self.expression(&tokens[at..]);
        if COMMANDS.contains(&attribute) || (around == "exec" && attribute.is_empty() && title) {
            for text in &texts {
                self.command(text, line);
            }
            return;
        }
        if LOOKING.contains(&attribute) || (attribute.is_empty() && !title && length == 1 && !is_call(around)) {
            return;
        }
        for text in texts {
            let Some((_, rest)) = text.rsplit_once(OUTPUTS) else { continue };
            match rest.strip_prefix('.') {
                Some(name) if is_output(name) => self.findings.analysis.write(name, line),
                _ if rest.contains(UNKNOWN) => self.findings.analysis.dynamic_writes = true,
                _ if rest.is_empty() && !LOOKUPS.contains(&around) => self.findings.analysis.dynamic_writes = true,
                _ => {}
            }
        }
    }

    fn command(&mut self, text: &str, line: u32) {
        let source = text.replace(OUTPUTS, "${heat_outputs_path}").replace(UNKNOWN, "${!puppet}");
        match crate::shell::findings(&source) {
            Ok(findings) => {
                for (name, at) in findings.analysis.writes {
                    self.findings.analysis.write(name, line.saturating_add(at - 1));
                }
                for (name, at) in findings.analysis.reads {
                    self.findings.analysis.read(name, line.saturating_add(at - 1));
                }
                self.findings.analysis.dynamic_writes |= findings.analysis.dynamic_writes;
                self.findings.includes.extend(findings.includes);
            }
            Err(_) => self.findings.analysis.dynamic_writes |= text.contains(OUTPUTS) || text.contains("wattle"),
        }
    }

    fn read(&mut self, name: &str, behind: &[Token], line: u32) {
        let analysis = &mut self.findings.analysis;
        if is_facts(name) {
            match key_behind(behind) {
                Some((key, _)) => analysis.read(last_part(key), line),
                None => analysis.dynamic_reads = true,
            }
        } else {
            analysis.read(last_part(name), line);
        }
    }

    /// What a text reads, and the code in it.
    fn parts(&mut self, parts: &[Part], line: u32) {
        for part in parts {
            match part {
                Part::Text(text) => self.findings.analysis.dynamic_reads |= text.contains("inputs.json"),
                Part::Code(tokens) => {
                    match tokens.first().map(|token| &token.kind) {
                        Some(Kind::Word(name)) if !is_called(tokens) => self.read(name, &tokens[1..], tokens[0].line),
                        Some(Kind::Sign(":")) => {
                            if let Some(Kind::Word(name)) = tokens.get(2).map(|token| &token.kind) {
                                self.findings.analysis.read(last_part(name), line);
                            }
                        }
                        _ => {}
                    }
                    // Texts inside code are values there, and name no file by themselves.
                    self.walk(tokens, Some("notice"));
                }
            }
        }
    }

    fn word(&mut self, word: &str, tokens: &[Token], at: usize) {
        let behind = &tokens[at + 1..];
        let line = tokens[at].line;
        let next = behind.first().map(|token| &token.kind);
        match word {
            _ if LOOKUPS.contains(&word) && !(matches!(next, Some(Kind::Sign("=>" | ":")))) => {
                let called = matches!(next, Some(Kind::Sign("(") | Kind::Text(_)));
                // `$facts.get('port')`, `lookup 'port'` and `lookup('port')`.
                match key_behind(behind) {
                    Some((key, _)) => self.findings.analysis.read(last_part(key), line),
                    None if called => self.findings.analysis.dynamic_reads = true,
                    None => {}
                }
            }
            "template" | "epp" | "inline_template" | "inline_epp" => match key_behind(behind) {
                Some((file, _)) if !word.starts_with("inline") => {
                    self.findings.includes.push(Include::Template(file_name(file).to_owned()));
                }
                Some((text, _)) if word == "inline_template" => {
                    self.findings.analysis.merge(crate::chef::template(text));
                }
                _ => self.findings.analysis.dynamic_reads |= matches!(next, Some(Kind::Sign("("))),
            },
            "include" | "require" | "contain" => self.classes(behind),
            "class" if matches!(next, Some(Kind::Sign("{"))) => {
                if let Some(Kind::Text(parts)) = behind.get(1).map(|token| &token.kind) {
                    self.included(&self.text(parts).join(""));
                }
            }
            "class" | "define" => {
                if let Some(Kind::Word(name)) = next {
                    self.findings.defines.push(name.clone());
                }
            }
            "create_resources" => self.findings.analysis.anything(),
            _ => {
                let declared = at.checked_sub(1).is_some_and(|before| {
                    matches!(&tokens[before].kind, Kind::Word(before) if matches!(before.as_str(), "class" | "define" | "inherits" | "function" | "node"))
                });
                if word.contains("::") && matches!(next, Some(Kind::Sign("{"))) && !declared {
                    self.included(word);
                }
            }
        }
    }

    /// The classes behind `include`, between commas. (`require => File[…]`, an attribute, names none.)
    fn classes(&mut self, behind: &[Token]) {
        let mut items = behind.iter().skip_while(|token| matches!(token.kind, Kind::Sign("(" | "[")));
        while let Some(token) = items.next() {
            match &token.kind {
                Kind::Word(name) => self.included(name),
                Kind::Text(parts) => self.included(&self.text(parts).join("")),
                Kind::Variable(_) => self.findings.analysis.anything(),
                _ => return,
            }
            if !matches!(items.next().map(|token| &token.kind), Some(Kind::Sign(","))) {
                return;
            }
        }
    }

    fn included(&mut self, name: &str) {
        let name = name.trim_start_matches(':');
        if !name.is_empty() {
            self.findings.includes.push(Include::Class(name.to_owned()));
        }
    }
}

fn product(left: &[String], right: &[String]) -> Vec<String> {
    if left.len() * right.len() > VALUES || left.iter().any(|text| text.len() > LENGTH) {
        // The prefix must stay seen.
        let seen = left.iter().chain(right).any(|text| text.contains(OUTPUTS));
        return vec![if seen { format!("{OUTPUTS}{UNKNOWN}") } else { UNKNOWN.into() }];
    }
    left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect()
}

/// The constant in `['key']`, `('key'…` or `.get('key'`, and how many tokens it takes up to a closing bracket.
fn key_behind(tokens: &[Token]) -> Option<(&str, usize)> {
    let kinds: Vec<&Kind> = tokens.iter().take(6).map(|token| &token.kind).collect();
    let (skipped, kinds) = match kinds.as_slice() {
        [Kind::Sign("."), Kind::Word(_), rest @ ..] => (2, rest),
        all => (0, all),
    };
    let text = |kind: &'_ Kind| match kind {
        Kind::Text(parts) => matches!(parts.as_slice(), [Part::Text(_)]),
        _ => false,
    };
    let (at, length) = match kinds {
        [Kind::Sign("[" | "("), key, Kind::Sign("]" | ")"), ..] if text(key) || matches!(key, Kind::Word(_)) => (1, 3),
        [Kind::Sign("("), key, ..] if text(key) => (1, 2),
        [key, ..] if skipped == 0 && text(key) => (0, 1),
        _ => return None,
    };
    match &tokens[skipped + at].kind {
        Kind::Text(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some((text, skipped + length)),
            _ => None,
        },
        Kind::Word(word) => Some((word, skipped + length)),
        _ => None,
    }
}

/// The constants over which `[…].each |$name|` runs, for the variable at `at`.
fn iterated(tokens: &[Token], at: usize) -> Option<Vec<String>> {
    let opening = at.checked_sub(1)?;
    let before = |back: usize| opening.checked_sub(back).map(|at| &tokens[at].kind);
    let each = matches!(tokens[opening].kind, Kind::Sign("|"))
        && matches!(before(1), Some(Kind::Word(word)) if matches!(word.as_str(), "each" | "map"))
        && matches!(before(2), Some(Kind::Sign(".")))
        && matches!(before(3), Some(Kind::Sign("]")));
    if !each {
        return None;
    }
    let mut texts = Vec::new();
    for token in tokens[..opening - 3].iter().rev() {
        match &token.kind {
            Kind::Text(parts) => match parts.as_slice() {
                [Part::Text(text)] => texts.push(text.clone()),
                _ => return None,
            },
            Kind::Sign(",") => {}
            Kind::Sign("[") => return Some(texts),
            _ => return None,
        }
    }
    None
}

/// Whether code in a text begins with a function's name.
fn is_called(tokens: &[Token]) -> bool {
    matches!(tokens.get(1).map(|token| &token.kind), Some(Kind::Sign("(")))
}

/// Whether what is around is a function that may be given a path.
fn is_call(around: &str) -> bool {
    const BODIES: [&str; 12] =
        ["class", "if", "unless", "case", "else", "elsif", "node", "define", "and", "or", "in", "default"];
    !around.is_empty() && !around.contains("::") && !BODIES.contains(&around) && !LOOKUPS.contains(&around)
}

fn is_facts(name: &str) -> bool {
    matches!(name.trim_start_matches(':'), "facts" | "trusted" | "server_facts")
}

/// `port` for `::db2::port`.
fn last_part(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or_default();
    if leading_identifier(last) == last { last } else { name }
}
