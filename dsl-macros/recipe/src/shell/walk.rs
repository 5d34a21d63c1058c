//! Turns tokens into simple commands: bounds of functions and loops, assignments, redirections.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::folder::folder;
use super::lexer::Lexer;
use super::pattern::{Pattern, heads_case};
use super::uses::Uses;
use super::values::Values;
use super::word::{Part, Token, TokenKind, Word, is_op};
use super::{asked, background, cleared, content, guards, idle, joined, pipe, substituted, unguarded};
use crate::analysis::{Analysis, SyntaxError};
use crate::failures::{Failures, Unnoticed, Why};
use crate::idle::NeverRun;
use crate::lookup::Names;
use crate::names::{is_identifier, leading_identifier};

/// The content of a script, before variables are resolved.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) found: Analysis,
    pub(super) names: Names,
    pub(super) values: Values,
    pub(super) commands: Vec<Command>,
    /// Words after `>`, `>>` and similar operators.
    pub(super) redirected: Vec<Word>,
    /// Files of the crate that it uses.
    pub(super) uses: Uses,
    pub(super) functions: BTreeMap<String, Function>,
    /// It has changed to a folder that is not the recipe's.
    pub(super) away: bool,
    /// How it handles failures.
    pub(super) failures: Failures,
    /// Functions that it does not call.
    pub(super) idle: Vec<NeverRun>,
}

#[derive(Debug, Default)]
pub(super) struct Function {
    /// It uses its arguments in ways other than by number.
    pub(super) opaque: bool,
}

/// A simple command, without its assignments and redirections.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// Its heredocs and here-strings.
    pub(super) fed: Vec<Word>,
    /// Files after `<`.
    pub(super) input: Vec<Word>,
    /// Files after `>` and similar operators.
    pub(super) output: Vec<Word>,
    /// Its output goes to a file or another program.
    pub(super) sends: bool,
    /// It may fail: the script handles that.
    pub(super) asks: bool,
    /// The number of scripts in strings around it.
    pub(super) depth: u32,
    /// It sees the recipe's variables: it does not run as another user or on another machine.
    pub(super) here: bool,
    /// It is in a subshell or function, so its `cd` affects nothing else.
    pub(super) scoped: bool,
}

/// A script inside a string.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) text: String,
    /// Where it begins in the file.
    pub(super) line: u32,
    /// Its whole text is known, and it sees the recipe's variables.
    pub(super) here: bool,
    /// A separate shell runs it, which does not inherit `set -e`; the value tells whether that shell sets `-e`.
    pub(super) strict: Option<bool>,
}

impl Inner {
    /// A script that runs as another user, or on another machine.
    pub(super) fn elsewhere(text: String, line: u32) -> Self {
        Self { text, line, here: false, strict: None }
    }
}

struct Scope {
    closing: &'static str,
    is_function: bool,
}

/// The simple command that is being read.
#[derive(Default)]
struct Line {
    words: Vec<Word>,
    fed: Vec<Word>,
    input: Vec<Word>,
    output: Vec<Word>,
    sends: bool,
    asks: bool,
}

/// Words at the beginning of a command that are not its program.
const KEYWORDS: [&str; 14] =
    ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "time", "coproc", "esac", "}"];

impl Script {
    /// Adds the text of a script within another one.
    pub(super) fn add(&mut self, inner: &Inner, depth: u32) -> Result<(), SyntaxError> {
        let tokens = self.lex(Lexer::new(&inner.text, inner.line, depth), depth, inner.here)?;
        if let Some(strict) = inner.strict
            && let Ok(shape) = super::structure::check(&tokens)
        {
            let counts = strict || guards::traps(&tokens, &shape);
            let found = unguarded::first(&tokens, &shape, !counts);
            let found = found.map(|(program, line)| Unnoticed { file: None, program, line, why: Why::OwnShell });
            self.failures.add_started(found);
        }
        Ok(())
    }

    /// Adds the text of a file. If `whole`, its commands must be complete.
    pub(super) fn add_file(&mut self, source: &str, whole: bool) -> Result<(), SyntaxError> {
        let tokens = self.lex(Lexer { whole, ..Lexer::new(source, 1, 0) }, 0, true)?;
        if whole {
            let shape = super::structure::check(&tokens)?;
            let of = |found: Option<(String, u32)>, why| {
                found.map(|(program, line)| Unnoticed { file: None, program, line, why })
            };
            self.idle = idle::all(&tokens, &shape);
            self.failures = Failures {
                traps: guards::traps(&tokens, &shape),
                pipefail: pipe::fails(&tokens, &shape),
                unguarded: of(unguarded::first(&tokens, &shape, true), Why::NeverCounts),
                lenient: of(unguarded::first(&tokens, &shape, false), Why::NoLongerCounts),
                early: of(unguarded::early(&tokens, &shape), Why::NotYetCounts),
                joined: of(joined::first(&tokens, &shape), Why::Joined),
                content: content::first(&tokens, &shape),
                piped: of(pipe::first(&tokens, &shape), Why::Piped),
                asked: asked::first(&tokens, &shape),
                substituted: substituted::first(&tokens, &shape),
                cleared: cleared::first(&tokens, &shape),
                inherits: cleared::inherits(&tokens, &shape),
                background: background::first(&tokens, &shape),
                forgiven: guards::forgiven(&tokens, &shape),
                started: None,
                unpolled: None,
            };
        }
        Ok(())
    }

    fn lex(&mut self, mut lexer: Lexer<'_>, depth: u32, here: bool) -> Result<Vec<Token>, SyntaxError> {
        let tokens = lexer.tokens(None);
        self.found.merge(lexer.found);
        // A script inside a string may run elsewhere, with its own variables.
        if here {
            self.names.merge(lexer.names);
        }
        let tokens = tokens?;
        let (scopes, functions) = Default::default();
        Walker { script: self, depth, here, scopes, functions, pending: None, pattern: None }.walk(&tokens);
        Ok(tokens)
    }
}

struct Walker<'a> {
    script: &'a mut Script,
    depth: u32,
    here: bool,
    scopes: Vec<Scope>,
    /// The enclosing functions.
    functions: Vec<String>,
    /// A function whose body is about to begin.
    pending: Option<String>,
    /// The enclosing pattern of `case`.
    pattern: Option<Pattern>,
}

impl Walker<'_> {
    fn walk(&mut self, tokens: &[Token]) {
        let mut line = Line::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if let Some(pattern) = self.pattern.take() {
                if let TokenKind::Word(word) = &token.kind {
                    self.seen(word);
                }
                self.pattern = pattern.goes_on(&token.kind);
                continue;
            }
            match &token.kind {
                TokenKind::Op(";;" | ";&" | ";;&") => {
                    self.command(mem::take(&mut line));
                    self.pattern = Some(Pattern::default());
                }
                TokenKind::Word(word) if word.bare() == Some("in") && heads_case(&line.words) => {
                    line.words.clear();
                    self.pattern = Some(Pattern::default());
                }
                TokenKind::Heredoc(body) => line.fed.push(self.seen(body)),
                TokenKind::Word(word) => at = self.word(word, &mut line, tokens, at),
                TokenKind::Op("<<<") => at = self.operand(tokens, at, |_, word| line.fed.push(word)),
                TokenKind::Op(op) if op.contains('>') && !op.starts_with('<') => {
                    let compared = line.words.first().and_then(Word::bare) == Some("[[");
                    line.sends = true;
                    at = self.operand(tokens, at, |script, word| {
                        if !compared {
                            line.output.push(word.clone());
                            script.redirected.push(word);
                        }
                    });
                }
                TokenKind::Op(op) if op.contains('<') => {
                    at = self.operand(tokens, at, |_, word| {
                        if *op == "<" {
                            line.input.push(word);
                        }
                    });
                }
                TokenKind::Op("(") if is_op(tokens.get(at), &[")"]) && names_function(&line.words) => {
                    self.pending = line.words.pop().and_then(|word| word.literal().map(str::to_owned));
                    line.words.clear();
                    at += 1;
                }
                TokenKind::Op("(") => {
                    self.command(mem::take(&mut line));
                    self.open(")");
                }
                TokenKind::Op(")") => {
                    self.command(mem::take(&mut line));
                    self.close(")");
                }
                TokenKind::Op(op) => {
                    line.sends |= op.starts_with('|') && *op != "||";
                    line.asks |= *op == "||";
                    self.command(mem::take(&mut line));
                }
                TokenKind::Newline => self.command(mem::take(&mut line)),
            }
        }
        self.command(line);
    }

    fn word(&mut self, word: &Word, line: &mut Line, tokens: &[Token], at: usize) -> usize {
        let word = self.seen(word);
        let begins = line.words.is_empty();
        match word.bare() {
            Some("{") if begins => self.open("}"),
            Some("{") if line.words.len() == 2 && names_function(&line.words) => {
                self.pending = line.words.pop().and_then(|word| word.literal().map(str::to_owned));
                line.words.clear();
                self.open("}");
            }
            Some("}") if begins => self.close("}"),
            Some(text) if array(text).is_some() && is_op(tokens.get(at), &["("]) => {
                let name = array(text).unwrap_or_default().to_owned();
                return self.array(&name, tokens, at + 1);
            }
            Some(keyword) if begins && KEYWORDS.contains(&keyword) => {
                line.asks |= ["if", "elif", "while", "until", "!"].contains(&keyword);
            }
            _ => line.words.push(word),
        }
        at
    }

    fn operand(&mut self, tokens: &[Token], at: usize, mut with: impl FnMut(&mut Script, Word)) -> usize {
        let Some(Token { kind: TokenKind::Word(word), .. }) = tokens.get(at) else { return at };
        let word = self.seen(word);
        with(self.script, word);
        at + 1
    }

    fn open(&mut self, closing: &'static str) {
        let function = self.pending.take();
        self.scopes.push(Scope { closing, is_function: function.is_some() });
        if let Some(name) = function {
            self.script.functions.entry(name.clone()).or_default();
            self.functions.push(name);
        }
    }

    fn close(&mut self, closing: &str) {
        if self.scopes.last().is_some_and(|scope| scope.closing == closing) {
            self.leave(self.scopes.len() - 1);
        }
    }

    fn leave(&mut self, scopes: usize) {
        for scope in self.scopes.drain(scopes..) {
            if scope.is_function {
                self.functions.pop();
            }
        }
    }

    /// Walks the substitutions of a word, and binds `$1` to the function in which it appears.
    fn seen(&mut self, word: &Word) -> Word {
        let function = self.functions.last().cloned();
        let mut seen = Word { parts: Vec::with_capacity(word.parts.len()), line: word.line };
        for part in &word.parts {
            seen.parts.push(match (part, &function) {
                (Part::Script(tokens) | Part::Process { tokens, .. }, _) => {
                    self.substitution(tokens);
                    folder(tokens)
                }
                (Part::Var(name), Some(function)) if name.bytes().all(|byte| byte.is_ascii_digit()) && name != "0" => {
                    Part::Var(positional(function, name))
                }
                (Part::Var(name), Some(function)) if name == "@" || name == "*" => {
                    self.script.functions.entry(function.clone()).or_default().opaque = true;
                    part.clone()
                }
                _ => part.clone(),
            });
        }
        seen
    }

    fn substitution(&mut self, tokens: &[Token]) {
        let (pending, pattern) = (self.pending.take(), self.pattern.take());
        let depth = self.scopes.len();
        self.walk(tokens);
        self.leave(depth);
        (self.pending, self.pattern) = (pending, pattern);
    }

    fn array(&mut self, name: &str, tokens: &[Token], mut at: usize) -> usize {
        while let Some(token) = tokens.get(at) {
            at += 1;
            match &token.kind {
                TokenKind::Op(")") => break,
                TokenKind::Word(word) => {
                    let word = self.seen(word);
                    self.script.values.assign_items(name, word);
                }
                _ => {}
            }
        }
        at
    }

    fn command(&mut self, line: Line) {
        let Line { mut words, fed, input, output, sends, asks } = line;
        let assigned = words.iter().take_while(|word| self.assignment(word)).count();
        words.drain(..assigned);
        let program = words.first().and_then(Word::literal).unwrap_or_default().to_owned();
        match program.as_str() {
            "case" => return,
            // Its text is analysed, if it is known.
            "eval" => self.script.names.anything |= !words[1..].iter().all(Word::is_constant),
            "for" | "select" => return self.loop_variable(&words),
            "function" => {
                self.pending = words.get(1).and_then(Word::literal).map(str::to_owned);
                return;
            }
            "local" | "declare" | "typeset" | "readonly" | "export" => {
                self.script.names.anything |= words[1..].iter().any(is_computed);
                self.declaration(&program, &words);
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" => {
                let names: BTreeSet<&str> =
                    words.iter().filter_map(Word::literal).filter(|w| is_identifier(w)).collect();
                self.script.names.anything |= program != "printf" && words[1..].iter().any(is_computed);
                for name in names {
                    self.script.values.assign_unknown(name);
                }
            }
            "shift" | "getopt" => {
                if let Some(function) = self.functions.last().cloned() {
                    self.script.functions.entry(function.clone()).or_default().opaque = true;
                    for number in 1..=9 {
                        self.script.values.assign_unknown(&positional(&function, &number.to_string()));
                    }
                }
            }
            _ => {}
        }
        for (number, word) in words.iter().enumerate().skip(1).take(9).filter(|_| is_function_name(&program)) {
            self.script.values.assign(&positional(&program, &number.to_string()), word.clone());
        }
        if [&words, &fed, &input, &output].iter().any(|words| !words.is_empty()) {
            self.script.commands.push(Command {
                words,
                fed,
                input,
                output,
                sends,
                asks,
                depth: self.depth,
                here: self.here,
                scoped: !self.scopes.is_empty(),
            });
        }
    }

    /// Records `name=value`, `name+=value` or `name[key]=value`.
    fn assignment(&mut self, word: &Word) -> bool {
        let Some(Part::Text { text, .. }) = word.parts.first() else { return false };
        let name = leading_identifier(text);
        let rest = &text[name.len()..];
        let Some(equals) = rest.find('=').filter(|_| !name.is_empty()) else { return false };
        let plain = equals == 0;
        if !plain && rest != "+=" && !rest.starts_with("+=") && !rest.starts_with('[') {
            return false;
        }
        if rest.starts_with("+=") {
            self.script.values.assign_unknown(name);
            return true;
        }
        let mut value = word.clone();
        let quoted = matches!(value.parts.first(), Some(Part::Text { quoted: true, .. }));
        value.parts[0] = Part::Text { text: rest[equals + 1..].to_owned(), quoted };
        if value.parts.len() > 1 && rest.len() == equals + 1 {
            value.parts.remove(0);
        }
        self.script.values.assign(name, value);
        true
    }

    fn declaration(&mut self, program: &str, words: &[Word]) {
        let options: String = words.iter().filter_map(Word::literal).filter(|word| word.starts_with('-')).collect();
        if options.contains('n') && program != "export" {
            self.script.found.anything();
        }
        if words.len() == 1 || options == "-p" {
            self.script.found.dynamic_reads |= program != "local";
        }
        for word in &words[1..] {
            if self.assignment(word) {
                continue;
            }
            if let Some(name) = word.literal().filter(|name| is_identifier(name)) {
                match program {
                    "local" => self.script.values.assign_unknown(name),
                    "declare" | "typeset" => self.script.names.set(name),
                    _ => self.script.found.read(name, word.line),
                }
            }
        }
    }

    fn loop_variable(&mut self, words: &[Word]) {
        let Some(name) = words.get(1).and_then(Word::literal).filter(|name| is_identifier(name)) else { return };
        match words.get(2).and_then(Word::bare) {
            Some("in") => words[3..].iter().for_each(|word| self.script.values.assign_items(name, word.clone())),
            _ => self.script.values.assign_unknown(name),
        }
    }
}

/// Whether the name in a word of a declaration is computed.
fn is_computed(word: &Word) -> bool {
    let mut begin = word.parts.iter().take_while(|part| match part {
        Part::Text { text, .. } => !text.contains('='),
        _ => true,
    });
    begin.any(|part| !matches!(part, Part::Text { .. }))
}

fn positional(function: &str, number: &str) -> String {
    format!("{function} {number}")
}

fn is_function_name(program: &str) -> bool {
    !program.is_empty() && !program.contains(['/', '='])
}

/// The name in `name=` or `name+=`, before the `(` of an array.
fn array(text: &str) -> Option<&str> {
    let name = text.strip_suffix('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_identifier(name).then_some(name)
}

/// Whether `()` after these words declares a function.
fn names_function(words: &[Word]) -> bool {
    words.len() == 1 || (words.len() == 2 && words[0].bare() == Some("function"))
}
