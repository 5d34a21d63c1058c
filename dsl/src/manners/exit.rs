//! Exit codes of commands, and their descriptions in help texts.

use std::process::ExitCode;

/// The exit codes of all of our commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine = 0,
    /// It failed: a model has errors, or something that it ran failed.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Files could not be written.
    Files = 3,
    /// Done, and something would change, or may.
    Changes = 4,
}

impl Exit {
    /// Every code, in order.
    pub const ALL: [Self; 5] = [Self::Fine, Self::Failed, Self::Usage, Self::Files, Self::Changes];

    /// Its meaning in commands that do not define another one.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Fine => "done; there may be warnings",
            Self::Failed => "failure: there are errors, or what runs has failed",
            Self::Usage => "wrong usage: a command, an option or a name that does not exist or fit; nothing was done",
            Self::Files => "files could not be written; existing files are intact",
            Self::Changes => "`plan`: something would change, or may change",
        }
    }
}

/// The exit code of a blueprint's program that panics.
const PANIC: u8 = 101;

/// The table of exit codes in the help of one command, with what each code means there.
pub fn exit_codes(rows: &[(Exit, &str)]) -> String {
    let rows: Vec<_> = rows.iter().map(|(exit, meaning)| row(*exit as u8, meaning)).collect();
    rows.join("\n")
}

/// The table of all exit codes. The codes in `here` have the meaning given there.
pub fn all_exit_codes(here: &[(Exit, &str)]) -> String {
    let meaning = |exit: Exit| here.iter().find(|(own, _)| *own == exit).map_or(exit.meaning(), |(_, meaning)| meaning);
    exit_codes(&Exit::ALL.map(|exit| (exit, meaning(exit))))
}

/// The row for the exit code of a blueprint that panics.
pub fn panic_exit_code() -> String {
    row(PANIC, "the blueprint panicked; nothing was written")
}

fn row(code: u8, meaning: &str) -> String {
    format!("{code:5}  {meaning}")
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
