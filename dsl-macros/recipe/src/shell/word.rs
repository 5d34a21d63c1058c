//! Words and tokens of a shell script.

/// One word, before the shell expands it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// Text with quotes removed.
    Text { text: String, quoted: bool },
    /// `$name`, `${name}`, `${name:-…}` and similar expansions: the value of a variable, or nearly so.
    Var(String),
    /// The result of a command substitution. Once walked, it becomes one of the other parts.
    Script(Vec<Token>),
    /// A process substitution, whose status is ignored; `is_read` tells whether its output is read: `<(…)`, and not `>(…)`.
    Process { tokens: Vec<Token>, is_read: bool },
    /// The folder of the recipe's file: certainly, or probably.
    Folder { is_sure: bool },
    /// An expansion whose result is not known.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: u32,
}

impl Token {
    /// The word, if it is one.
    pub(super) fn word(&self) -> Option<&Word> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The word, or the text of a heredoc.
    pub(super) fn text(&self) -> Option<&Word> {
        match &self.kind {
            TokenKind::Word(word) | TokenKind::Heredoc(word) => Some(word),
            TokenKind::Op(_) | TokenKind::Newline => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Word(Word),
    Op(&'static str),
    Newline,
    /// The input that a `<<` gives to its command.
    Heredoc(Word),
}

impl Word {
    /// The text of a word without expansions.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text { text, .. }] => Some(text),
            _ => None,
        }
    }

    /// Whether nothing in it expands.
    pub(super) fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text { .. }))
    }

    /// The text of a word that is wholly unquoted, as keywords must be.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }

    /// The word as source text of another script, with expansions in a form that can be read again.
    pub(super) fn to_source(&self) -> String {
        let mut source = String::new();
        for part in &self.parts {
            match part {
                Part::Text { text, .. } => source.push_str(text),
                Part::Var(name) => source.extend(["${", name, "}"]),
                Part::Script(_) | Part::Process { .. } | Part::Folder { .. } | Part::Unknown => {
                    source.push_str("${?}");
                }
            }
        }
        source
    }

    pub(super) fn push_char(&mut self, c: char, quoted: bool) {
        if let Some(Part::Text { text, quoted: last }) = self.parts.last_mut()
            && *last == quoted
        {
            text.push(c);
        } else {
            self.parts.push(Part::Text { text: c.into(), quoted });
        }
    }

    /// Joins constant parts into one, so that `a"b"` is recognised as `ab`.
    pub(super) fn joined(mut self) -> Self {
        if self.is_constant() && self.parts.len() > 1 {
            let quoted = self.parts.iter().any(|part| matches!(part, Part::Text { quoted: true, .. }));
            let text = self.to_source();
            self.parts = vec![Part::Text { text, quoted }];
        }
        // Only the value of `"$x"` remains.
        if self.parts.len() > 1 {
            self.parts.retain(|part| !matches!(part, Part::Text { text, .. } if text.is_empty()));
        }
        self
    }
}

/// Whether a token is one of these operators.
pub(super) fn is_op(token: Option<&Token>, ops: &[&str]) -> bool {
    matches!(token, Some(Token { kind: TokenKind::Op(op), .. }) if ops.contains(op))
}

/// Whether a word is a group of short options that contains this one, such as `-eu`.
pub(crate) fn has_short(word: &str, option: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(option)
}
