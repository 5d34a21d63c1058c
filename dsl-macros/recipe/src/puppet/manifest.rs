//! What the tokens of a manifest mean.

use super::lexer::{Part, Token, TokenKind};
use super::looked_up::Lookup;
use super::values::{LOOKUPS, Values, is_facts, key_behind, last_part};
use crate::analysis::{FileOutline, Include};
use crate::files::Use;
use crate::names::{file_name, is_output};
use crate::texts::{OUTPUTS, UNKNOWN};

/// Attributes whose texts name files that are not written.
const LOOKING: [&str; 14] = [
    "source",
    "creates",
    "require",
    "subscribe",
    "before",
    "notify",
    "content",
    "message",
    "cwd",
    "environment",
    "alias",
    "tag",
    "line",
    "match",
];
/// Attributes that hold a command.
const COMMANDS: [&str; 4] = ["command", "unless", "onlyif", "refresh"];
/// Functions and types that print, or only read.
const SPEAKING: [&str; 12] = [
    "notice",
    "warning",
    "info",
    "debug",
    "err",
    "alert",
    "fail",
    "notify",
    "file_exists",
    "find_file",
    "dirname",
    "basename",
];

pub(super) fn judge(tokens: &[Token]) -> FileOutline {
    let mut manifest = Manifest { values: Values::of(tokens), outline: FileOutline::default() };
    manifest.walk(tokens, None);
    super::scope::sets(tokens, &mut manifest.outline.names);
    manifest.outline
}

struct Manifest {
    values: Values,
    outline: FileOutline,
}

impl Manifest {
    fn walk(&mut self, tokens: &[Token], within: Option<&str>) {
        // The type or function around each open bracket.
        let mut around: Vec<String> = within.map(str::to_owned).into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let line = token.line;
            let behind = &tokens[at + 1..];
            match &token.kind {
                TokenKind::Variable(name) => self.read(name, behind, line),
                TokenKind::Text(parts) => {
                    if let [Part::Text(text)] = parts.as_slice()
                        && let Some(path) = text.strip_prefix("puppet:///modules/")
                    {
                        // Of several sources, the first that exists counts.
                        let before = at.checked_sub(1).map(|before| &tokens[before].kind);
                        let is_one = !matches!(before, Some(TokenKind::Sign("[" | ",")));
                        let one = Use::of_module("files", path, line);
                        self.outline.uses.extend(one.map(|one| if is_one { one } else { one.spare() }));
                    }
                    self.parts(parts, line);
                    let around = around.last().map_or("", String::as_str).to_owned();
                    self.place(tokens, at, &around);
                }
                TokenKind::Word(word) => self.word(word, tokens, at),
                TokenKind::Sign("{" | "(" | "[") => {
                    let name = match at.checked_sub(1).map(|before| &tokens[before].kind) {
                        Some(TokenKind::Word(word)) => word.clone(),
                        _ => String::new(),
                    };
                    around.push(if name.is_empty() { around.last().cloned().unwrap_or_default() } else { name });
                }
                TokenKind::Sign("}" | ")" | "]") => drop(around.pop()),
                TokenKind::Sign(_) | TokenKind::Other(_) => {}
            }
            // A variable in the place of a title or of an attribute's value.
            if matches!(token.kind, TokenKind::Variable(_)) {
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
        let before: Vec<&TokenKind> = tokens[..at].iter().rev().take(2).map(|token| &token.kind).collect();
        let attribute = match before.as_slice() {
            [TokenKind::Sign("=>" | "+>"), TokenKind::Word(name), ..] => name.as_str(),
            // Parts of a sum are looked at from its beginning, assignments where the variable is used.
            [TokenKind::Sign("+" | "="), ..] => return,
            _ => "",
        };
        let behind = tokens.get(at + 1).map(|token| &token.kind);
        let title = matches!(behind, Some(TokenKind::Sign(":" | "]" | ",")));
        let line = tokens[at].line;
        let (texts, length) = self.values.expression(&tokens[at..]);
        if COMMANDS.contains(&attribute) || (around == "exec" && attribute.is_empty() && title) {
            for text in &texts {
                crate::shell::command(text, line, around == "exec", &mut self.outline);
            }
            return;
        }
        if LOOKING.contains(&attribute) || (attribute.is_empty() && !title && length == 1 && !is_call(around)) {
            return;
        }
        for text in texts {
            let Some((_, rest)) = text.rsplit_once(OUTPUTS) else { continue };
            match rest.strip_prefix('.') {
                Some(name) if is_output(name) => self.outline.analysis.write(name, line),
                _ if rest.contains(UNKNOWN) => self.outline.analysis.dynamic_writes = true,
                _ if rest.is_empty() && !LOOKUPS.contains(&around) => self.outline.analysis.dynamic_writes = true,
                _ => {}
            }
        }
    }

    fn read(&mut self, name: &str, behind: &[Token], line: u32) {
        super::scope::needs(name, behind, line, &mut self.outline.names);
        let analysis = &mut self.outline.analysis;
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
                Part::Text(text) => self.outline.analysis.dynamic_reads |= text.contains("inputs.json"),
                Part::Code(tokens) => {
                    match tokens.first().map(|token| &token.kind) {
                        Some(TokenKind::Word(name)) if !is_called(tokens) => {
                            self.read(name, &tokens[1..], tokens[0].line);
                        }
                        Some(TokenKind::Sign(":")) => {
                            if let Some(TokenKind::Word(name)) = tokens.get(2).map(|token| &token.kind) {
                                self.outline.analysis.read(last_part(name), line);
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
            "lookup" if matches!(next, Some(TokenKind::Sign("("))) => self.lookup(&behind[1..], line),
            _ if LOOKUPS.contains(&word) && !(matches!(next, Some(TokenKind::Sign("=>" | ":")))) => {
                let called = matches!(next, Some(TokenKind::Sign("(") | TokenKind::Text(_)));
                // `$facts.get('port')`, `lookup 'port'` and `lookup('port')`.
                match key_behind(behind) {
                    Some((key, length)) => {
                        super::scope::lookup(key, &behind[length..], line, &mut self.outline.names);
                        self.outline.analysis.read(last_part(key), line);
                    }
                    None if called => self.outline.analysis.dynamic_reads = true,
                    None => {}
                }
            }
            "template" | "epp" | "inline_template" | "inline_epp" => match key_behind(behind) {
                Some((file, _)) if !word.starts_with("inline") => {
                    self.outline.uses.extend(Use::of_module("templates", file, line));
                    self.outline.includes.push(Include::Template(file_name(file).to_owned()));
                }
                Some((text, _)) if word == "inline_template" => {
                    self.outline.analysis.merge(crate::chef::template(text));
                }
                _ => self.outline.analysis.dynamic_reads |= matches!(next, Some(TokenKind::Sign("("))),
            },
            "file" if matches!(next, Some(TokenKind::Sign("("))) => {
                if let Some((file, length)) = key_behind(behind) {
                    let is_one = !matches!(behind.get(length).map(|token| &token.kind), Some(TokenKind::Sign(",")));
                    let one = Use::of_module("files", file, line);
                    self.outline.uses.extend(one.map(|one| if is_one { one } else { one.spare() }));
                }
            }
            "include" | "require" | "contain" => self.classes(behind),
            "class" if matches!(next, Some(TokenKind::Sign("{"))) => {
                if let Some(TokenKind::Text(parts)) = behind.get(1).map(|token| &token.kind) {
                    self.included(&self.values.text(parts).join(""));
                }
            }
            "class" | "define" => {
                if let Some(TokenKind::Word(name)) = next {
                    self.outline.defines.push(name.clone());
                }
            }
            "create_resources" => {
                self.outline.names.anything = true;
                self.outline.analysis.anything();
            }
            _ => {
                let declared = at.checked_sub(1).is_some_and(|before| {
                    matches!(&tokens[before].kind, TokenKind::Word(before) if matches!(before.as_str(), "class" | "define" | "inherits" | "function" | "node"))
                });
                if word.contains("::") && matches!(next, Some(TokenKind::Sign("{"))) && !declared {
                    self.included(word);
                }
            }
        }
    }

    /// What `lookup(...)` is given.
    fn lookup(&mut self, behind: &[Token], line: u32) {
        let Some(Lookup { keys, is_needed }) = Lookup::of(behind) else {
            self.outline.analysis.dynamic_reads = true;
            return;
        };
        for key in keys {
            self.outline.analysis.read(last_part(key), line);
            // A key with a namespace belongs to that class, and one with a dot leads into a value.
            if is_needed && !key.contains([':', '.']) {
                self.outline.names.need(key, line);
            }
        }
    }

    /// The classes after `include`, between commas. (`require => File[…]`, an attribute, names none.)
    fn classes(&mut self, behind: &[Token]) {
        let mut items = behind.iter().skip_while(|token| matches!(token.kind, TokenKind::Sign("(" | "[")));
        while let Some(token) = items.next() {
            match &token.kind {
                TokenKind::Word(name) => self.included(name),
                TokenKind::Text(parts) => self.included(&self.values.text(parts).join("")),
                TokenKind::Variable(_) => self.outline.analysis.anything(),
                _ => return,
            }
            if !matches!(items.next().map(|token| &token.kind), Some(TokenKind::Sign(","))) {
                return;
            }
        }
    }

    fn included(&mut self, name: &str) {
        let name = name.trim_start_matches(':');
        if !name.is_empty() {
            let module = name.split("::").next().unwrap_or_default();
            self.outline.uses.extend(Use::of_module("", module, 1));
            self.outline.includes.push(Include::Class(name.to_owned()));
        }
    }
}

/// Whether code in a text begins with a function's name.
fn is_called(tokens: &[Token]) -> bool {
    matches!(tokens.get(1).map(|token| &token.kind), Some(TokenKind::Sign("(")))
}

/// Whether the enclosing call is of a function that may be given a path.
fn is_call(around: &str) -> bool {
    const BODIES: [&str; 12] =
        ["class", "if", "unless", "case", "else", "elsif", "node", "define", "and", "or", "in", "default"];
    !around.is_empty() && !around.contains("::") && !BODIES.contains(&around) && !LOOKUPS.contains(&around)
}
