//! The two streams that a command writes to.

use std::io::{self, ErrorKind, IsTerminal, Write};

use wattle::manners::{reason, wants_color};
use wattle::shown::on_terminal;

use super::command_line::Program;
use super::error::CommandError;

/// A program, and the streams that it writes to.
#[derive(Debug)]
pub(super) struct Console {
    /// The program.
    pub(super) program: &'static Program,
    /// For the result of the command.
    pub(super) out: Stream,
    /// For everything else.
    pub(super) err: Stream,
}

/// One stream.
#[derive(Debug)]
pub(super) struct Stream {
    of: Of,
    pub(super) color: bool,
    pub(super) is_terminal: bool,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Out,
    Err,
}

impl Console {
    /// Creates the streams of this process, coloured if they go to a terminal.
    pub(super) fn of_process(program: &'static Program) -> Self {
        let var = |name: &str| std::env::var_os(name);
        let stream = |of, is_terminal| Stream { of, is_terminal, color: wants_color(is_terminal, var) };
        Self {
            program,
            out: stream(Of::Out, io::stdout().is_terminal()),
            err: stream(Of::Err, io::stderr().is_terminal()),
        }
    }
}

impl Stream {
    /// How diagnostics are rendered on this console.
    pub(super) fn options(&self) -> wattle::view::Options {
        wattle::view::Options { color: self.color, ..wattle::view::Options::default() }
    }

    /// Writes `text`. On a terminal, escapes control characters, wherever the text comes from. Returns whether the
    /// reader still exists; its absence (`| head`) is not an error.
    pub(super) fn try_write(&mut self, text: &str) -> Result<bool, CommandError> {
        if self.is_terminal { self.put(&on_terminal(text, self.color)) } else { self.put(text) }
    }

    /// Writes terminal control sequences. Text among them must have gone through [`on_terminal`] or
    /// [`wattle::shown::one_line`].
    pub(super) fn put(&mut self, text: &str) -> Result<bool, CommandError> {
        let written = match self.of {
            Of::Out => write_to(&mut io::stdout().lock(), text),
            Of::Err => write_to(&mut io::stderr().lock(), text),
        };
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(CommandError::new(format!("cannot write to the standard output: {}", reason(&error)))),
        }
    }

    /// Writes `text`. An absent reader (`| head`) is not an error.
    pub(super) fn write(&mut self, text: &str) -> Result<(), CommandError> {
        self.try_write(text).map(|_| ())
    }
}

fn write_to(stream: &mut impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The numbers of rows and columns of the terminal.
pub(super) fn size() -> (usize, usize) {
    rustix::termios::tcgetwinsize(std::io::stderr())
        .map_or((24, 80), |size| (usize::from(size.ws_row).max(8), usize::from(size.ws_col).max(40)))
}
