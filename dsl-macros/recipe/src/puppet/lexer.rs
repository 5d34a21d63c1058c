//! Turns the text of a manifest into tokens.

use crate::analysis::SyntaxError;
use crate::names::line_feeds;

/// The maximum nesting of expressions within texts.
const DEPTH: u32 = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// `$name`, with its `::`.
    Variable(String),
    /// A bare word, which may contain `::`.
    Word(String),
    Text(Vec<Part>),
    /// `=>`, `+>` and single characters.
    Sign(&'static str),
    Other(char),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// `${…}`, in which a name at the start is a variable.
    Code(Vec<Token>),
}

const SIGNS: [&str; 22] = [
    "=>", "+>", "->", "~>", "==", "!=", "=~", "<|", "|>", "=", "+", "{", "}", "[", "]", "(", ")", "|", ":", ",", ";",
    ".",
];

pub(super) fn tokens(source: &str, line: u32) -> Result<Vec<Token>, SyntaxError> {
    Lexer { source, at: 0, line, depth: 0, heredocs: Vec::new() }.run()
}

/// Unbalanced brackets are the only syntax error that is reported.
pub(super) fn balanced(tokens: &[Token]) -> Result<(), SyntaxError> {
    let mut open: Vec<(&str, u32)> = Vec::new();
    for token in tokens {
        let TokenKind::Sign(sign) = token.kind else { continue };
        let closes = match sign {
            "{" | "(" | "[" => {
                open.push((sign, token.line));
                continue;
            }
            "}" => "{",
            ")" => "(",
            "]" => "[",
            _ => continue,
        };
        match open.pop() {
            Some((opening, _)) if opening == closes => {}
            _ => return Err(SyntaxError::new(token.line, format!("`{sign}` closes nothing"))),
        }
    }
    match open.pop() {
        Some((sign, line)) => Err(SyntaxError::new(line, format!("`{sign}` is never closed"))),
        None => Ok(()),
    }
}

struct Heredoc {
    token: usize,
    end: String,
    expands: bool,
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: u32,
    depth: u32,
    heredocs: Vec<Heredoc>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) -> Result<Vec<Token>, SyntaxError> {
        let mut tokens: Vec<Token> = Vec::new();
        while let Some(c) = self.rest().chars().next() {
            let line = self.line;
            let rest = self.rest();
            let kind = match c {
                '\n' => {
                    self.take(1);
                    for heredoc in std::mem::take(&mut self.heredocs) {
                        let token = heredoc.token;
                        tokens[token].kind = TokenKind::Text(self.heredoc(&heredoc)?);
                    }
                    continue;
                }
                _ if c.is_whitespace() => {
                    self.take(c.len_utf8());
                    continue;
                }
                '#' => {
                    self.take(rest.find('\n').unwrap_or(rest.len()));
                    continue;
                }
                '/' if rest.starts_with("/*") => {
                    let end = rest.find("*/").ok_or_else(|| SyntaxError::new(line, "`/*` is never closed"))?;
                    self.take(end + 2);
                    continue;
                }
                '/' if tokens.last().is_none_or(|last| !ends_value(&last.kind)) && regex(rest).is_some() => {
                    self.take(regex(rest).unwrap_or(1));
                    TokenKind::Text(Vec::new())
                }
                '\'' => TokenKind::Text(vec![Part::Text(self.single_quoted()?)]),
                '"' => TokenKind::Text(self.double_quoted()?),
                '$' => {
                    let name = name(&rest[1..]).to_owned();
                    self.take(1 + name.len());
                    TokenKind::Variable(name)
                }
                '@' if rest.starts_with("@(") => {
                    let Some(heredoc) = self.heredoc_opening(tokens.len()) else {
                        self.take(1);
                        tokens.push(Token { kind: TokenKind::Other('@'), line });
                        continue;
                    };
                    self.heredocs.push(heredoc);
                    TokenKind::Text(Vec::new())
                }
                _ if c.is_ascii_alphanumeric() || c == '_' => {
                    let word = name(rest).to_owned();
                    self.take(word.len().max(1));
                    TokenKind::Word(word)
                }
                _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                    Some("}") if self.depth > 0 && closes_code(&tokens) => return Ok(tokens),
                    Some(sign) => {
                        self.take(sign.len());
                        TokenKind::Sign(sign)
                    }
                    None => {
                        self.take(c.len_utf8());
                        TokenKind::Other(c)
                    }
                },
            };
            tokens.push(Token { kind, line });
        }
        if self.depth > 0 {
            return Err(SyntaxError::new(self.line, "`${` is never closed"));
        }
        Ok(tokens)
    }

    fn single_quoted(&mut self) -> Result<String, SyntaxError> {
        let line = self.line;
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '\'' if !escaped => {
                    self.take(at + 1);
                    return Ok(text);
                }
                '\\' if !escaped => escaped = true,
                _ => {
                    if escaped && !matches!(c, '\'' | '\\') {
                        text.push('\\');
                    }
                    text.push(c);
                    escaped = false;
                }
            }
        }
        Err(SyntaxError::new(line, "`'` is never closed"))
    }

    fn double_quoted(&mut self) -> Result<Vec<Part>, SyntaxError> {
        let line = self.line;
        self.take(1);
        let mut parts = Vec::new();
        loop {
            let rest = self.rest();
            if rest.starts_with('"') {
                self.take(1);
                return Ok(parts);
            }
            if !self.step(&mut parts)? {
                return Err(SyntaxError::new(line, "`\"` is never closed"));
            }
        }
    }

    /// Processes the next part of an expanding text; returns false at its end.
    fn step(&mut self, parts: &mut Vec<Part>) -> Result<bool, SyntaxError> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return Ok(false) };
        if c == '\\' {
            self.take(1);
            if let Some(c) = self.rest().chars().next() {
                self.take(c.len_utf8());
                let c = if c == 'n' { '\n' } else { c };
                push(parts, c);
            }
        } else if rest.starts_with("${") {
            if self.depth >= DEPTH {
                return Err(SyntaxError::new(self.line, format!("texts nest deeper than {DEPTH}")));
            }
            self.take(2);
            let (source, at, line) = (self.source, self.at, self.line);
            let mut inner = Lexer { source, at, line, depth: self.depth + 1, heredocs: Vec::new() };
            let tokens = inner.run()?;
            (self.at, self.line) = (inner.at, inner.line);
            self.take(1);
            parts.push(Part::Code(tokens));
        } else if c == '$' && !name(&rest[1..]).is_empty() {
            let name = name(&rest[1..]).to_owned();
            let line = self.line;
            self.take(1 + name.len());
            parts.push(Part::Code(vec![Token { kind: TokenKind::Variable(name), line }]));
        } else {
            self.take(c.len_utf8());
            push(parts, c);
        }
        Ok(true)
    }

    /// `@("END"/L)`; if quoted, the heredoc expands.
    fn heredoc_opening(&mut self, token: usize) -> Option<Heredoc> {
        let rest = self.rest();
        let close = rest.find(')').filter(|close| !rest[..*close].contains('\n'))?;
        let inside = rest[2..close].trim();
        let tag = inside.split(['/', ':']).next().unwrap_or_default().trim();
        let expands = tag.starts_with('"');
        let end = tag.trim_matches('"').trim().to_owned();
        if end.is_empty() {
            return None;
        }
        self.take(close + 1);
        Some(Heredoc { token, end, expands })
    }

    fn heredoc(&mut self, heredoc: &Heredoc) -> Result<Vec<Part>, SyntaxError> {
        let line = self.line;
        let mut length = 0;
        for text in self.rest().split_inclusive('\n') {
            let last = text.trim().trim_start_matches('|').trim_start().trim_start_matches('-').trim();
            if last == heredoc.end {
                let body = self.take(length).to_owned();
                self.take(text.trim_end_matches('\n').len());
                if !heredoc.expands {
                    return Ok(vec![Part::Text(body)]);
                }
                let mut inner = Lexer { source: &body, at: 0, line, depth: self.depth, heredocs: Vec::new() };
                let mut parts = Vec::new();
                while inner.step(&mut parts)? {}
                return Ok(parts);
            }
            length += text.len();
        }
        Err(SyntaxError::new(line, format!("the text up to `{}` never ends", heredoc.end)))
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn take(&mut self, length: usize) -> &str {
        let start = self.at;
        let end = (start + length).min(self.source.len());
        self.line = self.line.saturating_add(line_feeds(&self.source[start..end]));
        self.at = end;
        &self.source[start..end]
    }
}

fn push(parts: &mut Vec<Part>, c: char) {
    if let Some(Part::Text(text)) = parts.last_mut() {
        text.push(c);
    } else {
        parts.push(Part::Text(c.into()));
    }
}

/// A name with its `::`.
fn name(text: &str) -> &str {
    let mut end = 0;
    let bytes = text.as_bytes();
    while end < bytes.len() {
        if crate::names::is_identifier_byte(bytes[end]) {
            end += 1;
        } else if bytes[end..].starts_with(b"::")
            && bytes.get(end + 2).is_some_and(|b| crate::names::is_identifier_byte(*b))
        {
            end += 2;
        } else {
            break;
        }
    }
    &text[..end]
}

/// Whether a `/` after this is a division.
fn ends_value(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Variable(_) => true,
        TokenKind::Word(word) => word.bytes().all(|byte| byte.is_ascii_digit()),
        TokenKind::Sign(sign) => matches!(*sign, ")" | "]"),
        _ => false,
    }
}

/// The length of a regular expression at the start of `text`.
fn regex(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            '/' if !escaped => return Some(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

/// Whether every brace in the code of a text is closed.
fn closes_code(tokens: &[Token]) -> bool {
    let signs =
        tokens.iter().filter_map(|token| if let TokenKind::Sign(sign) = token.kind { Some(sign) } else { None });
    let open = signs.clone().filter(|sign| *sign == "{").count();
    open == signs.filter(|sign| *sign == "}").count()
}
