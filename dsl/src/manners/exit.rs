//! With which exit code a command ends, and what help says of the codes.

use std::process::ExitCode;

/// The exit codes of all of our commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine = 0,
    /// It could not be done: a model has errors, what runs has failed.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Files could not be written.
    Files = 3,
    /// Done: something would change, or may.
    Changes = 4,
}

impl Exit {
    /// Every code, in order.
    pub const ALL: [Self; 5] = [Self::Fine, Self::Failed, Self::Usage, Self::Files, Self::Changes];

    /// What it means where a command says nothing else.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Fine => "done; there may be warnings",
            Self::Failed => "it could not be done: there are errors, or what runs has failed",
            Self::Usage => "wrong usage: a command, an option or a name that does not exist or fit; nothing was done",
            Self::Files => "files could not be written; those that were there before are whole",
            Self::Changes => "`plan`: something would change, or may",
        }
    }

    /// A row of the table that help shows.
    pub fn row(self, meaning: &str) -> String {
        row(self as u8, meaning)
    }
}

/// The table of exit codes that help shows: what the codes of one command mean.
pub fn exit_codes(rows: &[(Exit, &str)]) -> String {
    rows.iter().map(|(exit, meaning)| exit.row(meaning)).collect::<Vec<_>>().join("\n")
}

/// The table of all codes, as a whole program has them; a blueprint's program may panic besides.
pub fn all_exit_codes(may_panic: bool) -> String {
    let mut rows: Vec<_> = Exit::ALL.map(|exit| exit.row(exit.meaning())).into();
    rows.extend(may_panic.then(|| row(101, "the blueprint panicked; nothing was written")));
    rows.join("\n")
}

fn row(code: u8, meaning: &str) -> String {
    format!("{code:5}  {meaning}")
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
