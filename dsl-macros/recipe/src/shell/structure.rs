//! Whether the commands of a script are complete: `if` and `fi`, loops, `case`, braces, parentheses, and operators that
//! join two commands.
//! It refuses only what both POSIX shells and Bash refuse. If one of them is more lenient (`time`, `!`, `[[`, extended
//! patterns), this is too.

mod compound;
mod headers;
mod parentheses;
mod tokens;

use std::mem;

use self::compound::{Compound, Open};
use super::word::{Token, TokenKind, Word};
use crate::analysis::SyntaxError;

/// Whether the script is for a shell with a known grammar: not for zsh, ksh, fish and others.
pub(super) fn is_known(program: Option<&str>) -> bool {
    program.is_none_or(|program| matches!(program, "sh" | "bash" | "dash" | "ash" | "rbash" | "busybox"))
}

/// The commands of a complete script.
#[derive(Default)]
pub(super) struct Shape<'t> {
    pub(super) simple: Vec<Simple>,
    /// Compound commands in the order in which they begin.
    pub(super) compounds: Vec<Around>,
    /// Heads of loops and of `case`.
    pub(super) heads: Vec<Head>,
    /// Names of functions.
    pub(super) functions: Vec<&'t str>,
}

impl<'t> Shape<'t> {
    /// The first simple command that begins at a token or after it.
    pub(super) fn at_or_behind(&self, token: usize) -> Option<&Simple> {
        self.simple.get(self.simple.partition_point(|one| one.start < token))
    }

    /// The bodies of functions, by the numbers of their compound commands, with the functions' names. Empty if the
    /// assignment of bodies to functions is unknown.
    pub(super) fn bodies(&self) -> Vec<(usize, &'t str)> {
        let bodies = self.compounds.iter().enumerate().filter(|(_, compound)| compound.is_function);
        let bodies: Vec<usize> = bodies.map(|(number, _)| number).collect();
        let is_known = bodies.len() == self.functions.len();
        bodies.into_iter().zip(self.functions.iter().copied()).filter(|_| is_known).collect()
    }
}

/// The words between `for`, `select` or `case` and the body.
pub(super) struct Head {
    /// Its keyword.
    pub(super) start: usize,
    /// After its last word.
    pub(super) end: usize,
}

/// A simple command.
#[derive(Clone)]
pub(super) struct Simple {
    /// Its first token.
    pub(super) start: usize,
    /// It is in a condition.
    pub(super) is_asked: bool,
    /// It is negated by `!`.
    pub(super) is_denied: bool,
    /// The compound command around it, by its number.
    pub(super) around: Option<usize>,
}

/// The properties of a compound command that its content needs.
pub(super) struct Around {
    /// Its first token.
    pub(super) start: usize,
    /// The token after it.
    pub(super) behind: Option<usize>,
    /// It is the body of a function.
    pub(super) is_function: bool,
    /// It is negated by `!`.
    pub(super) is_denied: bool,
    /// It is in a condition.
    pub(super) is_asked: bool,
    /// The enclosing compound command.
    pub(super) outer: Option<usize>,
}

/// Checks the tokens of a script, or of a substitution's content.
pub(super) fn check(tokens: &[Token]) -> Result<Shape<'_>, SyntaxError> {
    let last = tokens.last().map_or(1, |token| token.line);
    let (open, shape) = Default::default();
    let mut checker = Checker {
        tokens,
        at: 0,
        open,
        state: State::Start,
        empty: true,
        tested: true,
        asking: 0,
        denied: false,
        begun: 0,
        shape,
    };
    while let Some(token) = tokens.get(checker.at) {
        checker.at += 1;
        match &token.kind {
            TokenKind::Newline => checker.newline(),
            TokenKind::Heredoc(_) => checker.redirected(),
            TokenKind::Word(word) => checker.word(word, token.line)?,
            TokenKind::Op(op) if op.contains(['<', '>']) => checker.redirection(op, token.line)?,
            TokenKind::Op(op) => checker.operator(op, token.line)?,
        }
    }
    if let Some(open) = checker.open.last() {
        return Err(open.unclosed());
    }
    match checker.state {
        State::Operand(op) => Err(SyntaxError::new(last, format!("nothing follows `{op}`"))),
        _ => Ok(checker.shape),
    }
}

/// The expected next token.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// A command, or the end of a list that has at least one.
    Start,
    /// A command, which this operator or `name()` requires.
    Operand(&'static str),
    /// More words of a simple command.
    Words,
    /// The tokens that may follow a compound command.
    Done,
    /// After `]]`, which ends a compound command in Bash, and is a word in other shells.
    Tested,
    /// A pattern of `case`, or its end.
    Pattern,
}

struct Checker<'a> {
    tokens: &'a [Token],
    at: usize,
    open: Vec<Open>,
    state: State,
    /// The current list has no command yet.
    empty: bool,
    /// Whether a `]]` may still be found; keeps the time for hostile input linear.
    tested: bool,
    /// The number of conditions around the current position.
    asking: usize,
    /// The next command is negated by `!`.
    denied: bool,
    /// The start of the last command.
    begun: usize,
    shape: Shape<'a>,
}

impl Checker<'_> {
    fn newline(&mut self) {
        if matches!(self.state, State::Words | State::Done | State::Tested) {
            self.state = State::Start;
        }
    }

    /// A redirection alone is a command; after a compound command it belongs to that.
    fn redirected(&mut self) {
        if matches!(self.state, State::Start | State::Operand(_)) {
            self.command(State::Words);
        }
    }

    fn redirection(&mut self, op: &str, line: u32) -> Result<(), SyntaxError> {
        self.redirected();
        match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(TokenKind::Word(_)) => self.at += 1,
            // The lexer drops numbers before a redirection, so in `2>&1>x` it drops an operand.
            Some(TokenKind::Heredoc(_)) => {}
            Some(TokenKind::Op(next)) if next.contains(['<', '>']) || *next == "(" => {}
            _ => return Err(SyntaxError::new(line, format!("`{op}` does not name a file"))),
        }
        Ok(())
    }

    fn command(&mut self, state: State) {
        self.state = state;
        self.empty = false;
    }

    fn begin(&mut self, kind: Compound, line: u32) {
        self.push(kind, line, kind.opening());
        self.list();
    }

    fn push(&mut self, kind: Compound, line: u32, section: &'static str) {
        let is_function = matches!(self.state, State::Operand("()" | "function"));
        let outer = self.open.last().map(|open| open.number);
        let number = self.shape.compounds.len();
        let is_denied = mem::take(&mut self.denied);
        let is_asked = self.asking > 0;
        self.shape.compounds.push(Around { start: self.begun, behind: None, is_function, is_denied, is_asked, outer });
        self.open.push(Open { kind, line, section, number });
        self.asking += usize::from(is_condition(section));
    }

    fn list(&mut self) {
        self.state = State::Start;
        self.empty = true;
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.asking -= usize::from(is_condition(open.section));
            self.shape.compounds[open.number].behind = Some(self.at);
        }
        self.command(State::Done);
    }

    fn word(&mut self, word: &Word, line: u32) -> Result<(), SyntaxError> {
        let bare = word.bare();
        match self.state {
            State::Words => Ok(()),
            State::Pattern => self.pattern(word, line),
            State::Start | State::Operand(_) => match bare {
                Some(text) => self.first(text, line),
                None => self.simple(line),
            },
            State::Done | State::Tested => match bare {
                Some(text) if self.closer(text, line)? => Ok(()),
                _ if self.state == State::Tested => Ok(()),
                _ => Err(SyntaxError::new(line, format!("unexpected {} after the end of a command", shown(word)))),
            },
        }
    }

    /// An unquoted word where a command may begin.
    fn first(&mut self, text: &str, line: u32) -> Result<(), SyntaxError> {
        self.begun = self.at - 1;
        match text {
            "if" => self.begin(Compound::If, line),
            "while" => self.begin(Compound::While, line),
            "until" => self.begin(Compound::Until, line),
            "for" => return self.loop_header(Compound::For, line),
            "select" => return self.loop_header(Compound::Select, line),
            "case" => return self.case(line),
            "{" => self.begin(Compound::Brace, line),
            "!" | "time" => {
                self.denied |= text == "!";
                self.command(State::Start);
                while matches!(self.bare(), Some("-p" | "--")) {
                    self.at += 1;
                }
            }
            "coproc" => {
                self.command(State::Start);
                let compound = |text| matches!(text, "{" | "while" | "until" | "for" | "if" | "case" | "[[");
                let named = match self.tokens.get(self.at + 1).map(|token| &token.kind) {
                    Some(TokenKind::Word(word)) => word.bare().is_some_and(compound),
                    Some(TokenKind::Op(op)) => *op == "(",
                    _ => false,
                };
                if named && self.bare().is_some_and(|text| !compound(text)) {
                    self.at += 1;
                }
            }
            "function" => {
                self.shape.functions.extend(self.literal(self.at));
                self.at += usize::from(self.is_word());
                if self.is_op("(") && self.op_at(self.at + 1) == Some(")") {
                    self.at += 2;
                }
                self.command(State::Operand("function"));
            }
            "((" => {
                self.denied = false;
                self.skip_arithmetic();
                self.command(State::Done);
            }
            "[[" if self.tested => {
                self.denied = false;
                if let Some(length) = self.tokens[self.at..].iter().position(is_end_of_test) {
                    self.at += length + 1;
                    self.command(State::Tested);
                } else {
                    self.tested = false;
                    self.command(State::Words);
                }
            }
            _ if self.closer(text, line)? => {}
            _ => return self.simple(line),
        }
        Ok(())
    }

    /// A simple command, or the head of a function.
    fn simple(&mut self, line: u32) -> Result<(), SyntaxError> {
        self.command(State::Words);
        let start = self.at - 1;
        if self.is_op("(") && self.op_at(self.at + 1) == Some(")") && !self.behind_pattern() {
            self.shape.functions.extend(self.literal(start));
            self.at += 2;
            self.state = State::Operand("()");
            return Ok(());
        } else if self.is_op("(") && !self.behind_pattern() {
            return Err(SyntaxError::new(line, "unexpected `(` within a command"));
        }
        let around = self.open.last().map(|open| open.number);
        let is_denied = mem::take(&mut self.denied);
        self.shape.simple.push(Simple { start, is_asked: self.asking > 0, is_denied, around });
        Ok(())
    }

    /// Handles a word that ends a list, such as `then` or `done`; returns whether it is one.
    fn closer(&mut self, text: &str, line: u32) -> Result<bool, SyntaxError> {
        let (section, compounds): (&'static str, &[Compound]) = match text {
            "then" => ("then", &[Compound::If]),
            "elif" => ("elif", &[Compound::If]),
            "else" => ("else", &[Compound::If]),
            "fi" => ("fi", &[Compound::If]),
            "do" => ("do", &[Compound::While, Compound::Until]),
            "done" => ("done", &[Compound::While, Compound::Until, Compound::For, Compound::Select]),
            "esac" => ("esac", &[Compound::Case]),
            "}" => ("}", &[Compound::Brace]),
            _ => return Ok(false),
        };
        let Some(open) = self.open.last_mut().filter(|open| compounds.contains(&open.kind)) else {
            return Err(self.stray(section, line));
        };
        let fits = match section {
            "then" => matches!(open.section, "if" | "elif"),
            "elif" | "else" => open.section == "then",
            "fi" => matches!(open.section, "then" | "else"),
            "do" => open.section == open.kind.opening(),
            "done" => open.section == "do",
            _ => true,
        };
        if !fits {
            let (opening, from) = (open.kind.opening(), open.line);
            let message = format!("unexpected `{section}` after `{}` of the `{opening}` on line {from}", open.section);
            return Err(SyntaxError::new(line, message));
        }
        if self.empty && section != "esac" {
            let message = format!("there is no command between `{}` and `{section}`", open.section);
            return Err(SyntaxError::new(line, message));
        }
        if let State::Operand(op) = self.state {
            return Err(SyntaxError::new(line, format!("there is no command between `{op}` and `{section}`")));
        }
        if section == open.kind.closing() {
            self.end();
        } else {
            self.asking -= usize::from(is_condition(open.section));
            self.asking += usize::from(is_condition(section));
            open.section = section;
            self.list();
        }
        Ok(true)
    }

    /// The error for a word that closes nothing, or not the innermost open command.
    fn stray(&self, word: &str, line: u32) -> SyntaxError {
        let message = match self.open.last() {
            None => format!("unexpected `{word}`: nothing is open that it could belong to"),
            Some(open) => {
                let (opening, closing) = (open.kind.opening(), open.kind.closing());
                format!("unexpected `{word}` in the `{opening}` on line {}, which lacks its `{closing}`", open.line)
            }
        };
        SyntaxError::new(line, message)
    }

    fn operator(&mut self, op: &'static str, line: u32) -> Result<(), SyntaxError> {
        if self.state == State::Pattern {
            return match op {
                "(" => self.rest_of_pattern(false, line),
                _ => Err(SyntaxError::new(line, format!("unexpected `{op}` where `case` needs a pattern"))),
            };
        }
        match op {
            "(" => self.parenthesis(line),
            ")" => self.close_parenthesis(line),
            ";;" | ";&" | ";;&" => self.end_of_case(op, line),
            _ => {
                self.left(op, line)?;
                self.state = if matches!(op, ";" | "&") { State::Start } else { State::Operand(op) };
                Ok(())
            }
        }
    }

    /// Refuses an operator without a left operand.
    fn left(&self, op: &str, line: u32) -> Result<(), SyntaxError> {
        let before = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        let message = match self.state {
            // After `!` and `time`, Bash accepts even nothing.
            State::Start if matches!(before, Some(Token { kind: TokenKind::Word(_), .. })) && !self.empty => {
                return Ok(());
            }
            State::Start => format!("there is no command before `{op}`"),
            State::Operand(first) => format!("there is no command between `{first}` and `{op}`"),
            _ => return Ok(()),
        };
        Err(SyntaxError::new(line, message))
    }
}

/// Whether the exit status of a section's commands is tested.
fn is_condition(section: &str) -> bool {
    matches!(section, "if" | "elif" | "while" | "until")
}

fn is_end_of_test(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Word(word) if word.bare() == Some("]]"))
}

fn shown(word: &Word) -> String {
    word.literal().map_or_else(|| "a word".to_owned(), |text| format!("`{text}`"))
}
