//! The two streams that a command writes to.

use std::io::{self, ErrorKind, IsTerminal, Write};

use crate::manners::{reason, wants_color};
use crate::shown::on_terminal;
use crate::view;

use crate::manners::CommandError;

/// The streams of a program.
pub(super) struct Console<'a> {
    /// The requested output.
    pub(super) out: Stream<'a>,
    /// Everything else.
    pub(super) err: Stream<'a>,
    /// The width of help texts, in columns. If `None`, it is detected.
    pub(super) help_width: Option<usize>,
}

/// One stream.
pub(super) struct Stream<'a> {
    pub(super) out: Box<dyn Write + 'a>,
    pub(super) color: bool,
    /// Whether it is a terminal. If so, control characters are written as escapes.
    pub(super) is_terminal: bool,
}

impl Console<'_> {
    /// The streams of this process, in colour if they go to a terminal. They are not locked, because a blueprint may
    /// print too.
    pub(super) fn of_process() -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let var = |name: &str| std::env::var_os(name);
        let (out_color, err_color) = (wants_color(out.is_terminal(), var), wants_color(err.is_terminal(), var));
        let (out_shown, err_shown) = (out.is_terminal(), err.is_terminal());
        let err = Stream { out: Box::new(err), color: err_color, is_terminal: err_shown };
        Self { out: Stream { out: Box::new(out), color: out_color, is_terminal: out_shown }, err, help_width: None }
    }
}

impl Stream<'_> {
    /// How diagnostics are written here.
    pub(super) fn options(&self) -> view::Options {
        view::Options { color: self.color, ..view::Options::default() }
    }

    /// Writes `text`. On a terminal, control characters are written as escapes, wherever the text comes from. A reader that
    /// has closed the stream (`| head`) is not a failure.
    pub(super) fn write(&mut self, text: &str) -> Result<(), CommandError> {
        let shown = self.is_terminal.then(|| on_terminal(text, self.color));
        let text = shown.as_deref().unwrap_or(text);
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::files(format!("cannot write to the standard output: {}", reason(&error))))
            }
            _ => Ok(()),
        }
    }
}
