//! Turns the text of a script into tokens.
//!
//! It recognises only what is needed to know which text expands: quotes, expansions, substitutions, heredocs, comments, and
//! enough of the grammar (`case`, parentheses) to find the end of a substitution. Every variable that expands is recorded.

use std::mem;

use super::word::{Part, Token, TokenKind, Word};
use crate::analysis::{Analysis, SyntaxError};
use crate::lookup::Names;

/// The maximum nesting of substitutions; scripts written by people stay below ten.
const DEPTH: u32 = 100;

const OPERATORS: [&str; 23] = [
    "<<<", "<<-", "&>>", ";;&", "&&", "||", ";;", ";&", "|&", "&>", "<<", "<>", "<&", ">>", ">&", ">|", ";", "|", "&",
    "<", ">", "(", ")",
];

/// Words after which a command may begin.
const OPENING: [&str; 11] = ["if", "then", "else", "elif", "do", "while", "until", "for", "!", "time", "{"];

pub(super) struct Lexer<'a> {
    pub(super) source: &'a str,
    pub(super) at: usize,
    pub(super) line: u32,
    pub(super) depth: u32,
    /// The expansions, and their lines.
    pub(super) found: Analysis,
    /// The names among these without a default; and names that expansions set.
    pub(super) names: Names,
    /// The number of bytes that may still be searched for the end of arithmetic; keeps the time for hostile input linear.
    pub(super) budget: usize,
    /// Whether the commands in substitutions must be complete. This is not required in text that the shell reads only when
    /// it runs it.
    pub(super) whole: bool,
}

struct Pending {
    token: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

enum Open {
    Paren(u32),
    Case,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str, line: u32, depth: u32) -> Self {
        let (found, names) = Default::default();
        Self { source, at: 0, line, depth, found, names, budget: 8 * source.len() + 1024, whole: false }
    }

    /// Tokens up to the end of the text, or after the `)` of a substitution that began at line `closing`.
    pub(super) fn tokens(&mut self, closing: Option<u32>) -> Result<Vec<Token>, SyntaxError> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        let mut commands = true;
        loop {
            self.skip_blanks();
            let line = self.line;
            let rest = self.rest();
            let Some(next) = rest.chars().next() else { break };
            if next == '\n' {
                self.bump();
                tokens.push(Token { kind: TokenKind::Newline, line });
                for heredoc in mem::take(&mut pending) {
                    let token = heredoc.token;
                    tokens[token].kind = TokenKind::Heredoc(self.heredoc(&heredoc));
                }
                commands = true;
            } else if next == '#' {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if commands
                && rest.starts_with("((")
                && self.arithmetic(2)?.is_some_and(|scripts| {
                    if scripts.is_empty() {
                        tokens.push(super::expansion::quiet(line));
                    }
                    tokens.extend(scripts);
                    true
                })
            {
                commands = false;
            } else if let Some(op) = self.operator() {
                self.at += op.len();
                match op {
                    "(" => open.push(Open::Paren(line)),
                    ")" => match open.last() {
                        Some(Open::Paren(_)) => drop(open.pop()),
                        None if closing.is_some() => return Ok(tokens),
                        Some(Open::Case) | None => {}
                    },
                    _ => {}
                }
                if op == "<<" || op == "<<-" {
                    self.skip_blanks();
                    let word = self.word()?;
                    pending.push(Pending {
                        token: tokens.len(),
                        quoted: word.parts.iter().any(|part| matches!(part, Part::Text { quoted: true, .. })),
                        delimiter: word.to_source(),
                        tabs: op == "<<-",
                    });
                    tokens.push(Token { kind: TokenKind::Heredoc(Word::default()), line });
                } else {
                    commands = !op.contains(['<', '>']);
                    tokens.push(Token { kind: TokenKind::Op(op), line });
                }
            } else {
                let word = self.word()?;
                let number = self.rest().starts_with(['<', '>'])
                    && word.bare().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                if number {
                    continue;
                }
                match word.bare().filter(|_| commands) {
                    Some("case") => {
                        open.push(Open::Case);
                        commands = false;
                    }
                    Some("esac") if matches!(open.last(), Some(Open::Case)) => {
                        open.pop();
                        commands = false;
                    }
                    keyword => commands = keyword.is_some_and(|keyword| OPENING.contains(&keyword)),
                }
                tokens.push(Token { kind: TokenKind::Word(word.joined()), line });
            }
        }
        let unclosed = open.iter().find_map(|open| if let Open::Paren(line) = open { Some(*line) } else { None });
        match unclosed {
            Some(line) => Err(SyntaxError::new(line, "`(` is never closed")),
            None => match closing {
                Some(line) => Err(SyntaxError::new(line, "`$(` is never closed")),
                None => Ok(tokens),
            },
        }
    }

    fn word(&mut self) -> Result<Word, SyntaxError> {
        let mut word = Word { parts: Vec::new(), line: self.line };
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if word.parts.is_empty() && self.rest()[1..].starts_with('(') => {
                    self.at += 2;
                    let tokens = self.script()?;
                    word.parts.push(Part::Process { tokens, is_read: c == '<' });
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => self.escape(&mut word, None),
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backticks(&mut word)?,
                _ => {
                    self.bump();
                    word.push_char(c, false);
                }
            }
        }
        Ok(word)
    }

    /// Handles a backslash; before one of `special` (or, outside quotes, before anything) it quotes the next character.
    pub(super) fn escape(&mut self, word: &mut Word, special: Option<&str>) {
        self.bump();
        match self.peek() {
            Some('\n') => drop(self.bump()),
            Some(c) if special.is_none_or(|special| special.contains(c)) => {
                self.bump();
                word.push_char(c, true);
            }
            _ => word.push_char('\\', true),
        }
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let line = self.line;
        self.bump();
        let end = self.rest().find('\'').ok_or_else(|| SyntaxError::new(line, "`'` is never closed"))?;
        let text = self.take(end);
        word.parts.push(Part::Text { text: text.to_owned(), quoted: true });
        self.bump();
        Ok(())
    }

    /// `$'…'`, in which a backslash quotes.
    pub(super) fn ansi_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let line = self.line;
        self.bump();
        word.parts.push(Part::Text { text: String::new(), quoted: true });
        loop {
            match self.bump() {
                Some('\'') => return Ok(()),
                Some('\\') => match self.bump() {
                    Some('n') => word.push_char('\n', true),
                    Some(c) => word.push_char(c, true),
                    None => {}
                },
                Some(c) => word.push_char(c, true),
                None => return Err(SyntaxError::new(line, "`$'` is never closed")),
            }
        }
    }

    pub(super) fn double_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let line = self.line;
        self.bump();
        // An empty text, so that `""` is a word and the quotes of a heredoc's delimiter are visible.
        word.parts.push(Part::Text { text: String::new(), quoted: true });
        while let Some(c) = self.peek() {
            if c == '"' {
                self.bump();
                return Ok(());
            }
            self.expanding(c, word)?;
        }
        Err(SyntaxError::new(line, "`\"` is never closed"))
    }

    /// Processes one step of text in which only `$`, `` ` `` and `\` are special.
    pub(super) fn expanding(&mut self, c: char, word: &mut Word) -> Result<(), SyntaxError> {
        match c {
            '\\' => self.escape(word, Some("$`\"\\")),
            '$' => self.dollar(word, true)?,
            '`' => self.backticks(word)?,
            _ => {
                self.bump();
                word.push_char(c, true);
            }
        }
        Ok(())
    }

    fn heredoc(&mut self, heredoc: &Pending) -> Word {
        let start = self.at;
        let line = self.line;
        let mut end = self.source.len();
        while self.at < self.source.len() {
            let begin = self.at;
            let length = self.rest().find('\n').map_or(self.rest().len(), |at| at + 1);
            let text = self.take(length).trim_end_matches(['\n', '\r']);
            let text = if heredoc.tabs { text.trim_start_matches('\t') } else { text };
            if text == heredoc.delimiter {
                end = begin;
                break;
            }
        }
        let body = &self.source[start..end.max(start)];
        let plain = Word { parts: vec![Part::Text { text: body.to_owned(), quoted: true }], line };
        if heredoc.quoted {
            return plain;
        }
        // The shell reports a malformed expansion only when it reaches it: here, it counts as text.
        self.nested(body, line, all_expanding).unwrap_or(plain)
    }

    /// Lexes text within this one that has different quoting rules.
    pub(super) fn nested<T>(
        &mut self,
        text: &str,
        line: u32,
        lex: impl FnOnce(&mut Lexer<'_>) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        self.deeper()?;
        let mut inner = Lexer { budget: self.budget, ..Lexer::new(text, line, self.depth) };
        let result = lex(&mut inner);
        self.budget = inner.budget;
        self.found.merge(inner.found);
        self.names.merge(inner.names);
        self.depth -= 1;
        result
    }

    /// Lexes a substitution, after its opening.
    pub(super) fn script(&mut self) -> Result<Vec<Token>, SyntaxError> {
        self.deeper()?;
        let tokens = self.tokens(Some(self.line))?;
        if self.whole {
            super::structure::check(&tokens)?;
        }
        self.depth -= 1;
        Ok(tokens)
    }

    pub(super) fn deeper(&mut self) -> Result<(), SyntaxError> {
        if self.depth >= DEPTH {
            return Err(SyntaxError::new(self.line, format!("expansions nest deeper than {DEPTH}")));
        }
        self.depth += 1;
        Ok(())
    }

    fn operator(&self) -> Option<&'static str> {
        let rest = self.rest();
        if rest.starts_with("<(") || rest.starts_with(">(") {
            return None;
        }
        OPERATORS.into_iter().find(|op| rest.starts_with(op))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with([' ', '\t', '\r']) {
                self.at += 1;
            } else if rest.starts_with("\\\n") {
                self.take(2);
            } else {
                return;
            }
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.line += u32::from(c == '\n');
        Some(c)
    }

    /// Takes the next `length` bytes, which must end between characters.
    pub(super) fn take(&mut self, length: usize) -> &'a str {
        let text = &self.rest()[..length];
        self.at += length;
        self.line = self.line.saturating_add(crate::names::line_feeds(text));
        text
    }
}

/// Lexes the whole text like an unquoted heredoc or arithmetic.
pub(super) fn all_expanding(lexer: &mut Lexer<'_>) -> Result<Word, SyntaxError> {
    let mut word = Word { parts: Vec::new(), line: lexer.line };
    while let Some(c) = lexer.peek() {
        lexer.expanding(c, &mut word)?;
    }
    Ok(word)
}
