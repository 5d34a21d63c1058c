//! Failures that go unnoticed.

/// A command after whose failure a shell script continues, or ends, as if nothing had happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnoticed {
    /// The file in which it appears, if that is not the recipe itself.
    pub file: Option<String>,
    /// Its program, without folders.
    pub program: String,
    /// Its line, counted from one.
    pub line: u32,
    /// Why.
    pub why: Why,
}

/// Why a failure goes unnoticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The script has no `set -e`.
    NeverCounts,
    /// It comes before `set -e`.
    NotYetCounts,
    /// It comes after `set +e`.
    NoLongerCounts,
    /// It comes before `&&`.
    Joined,
    /// It is not the last command of its pipeline.
    Piped,
    /// It is in a substitution whose failure is not that of the command around it.
    Substituted {
        /// The variable that gets its output.
        name: String,
        /// The command: `local`, `export` and the like, or one that is given the variable.
        by: String,
    },
    /// `set -e` does not apply to it, because the exit status of something around it is tested.
    Asked {
        /// The function whose exit status is tested, and the line that does so.
        function: Option<(String, u32)>,
    },
    /// It is in a substitution of bash, which has no `set -e` there.
    Cleared {
        /// The function that is called there, and the line that does so.
        function: Option<(String, u32)>,
    },
    /// It runs in the background, and a `wait` without a number does not say how it ended.
    Background,
    /// Its task continues in the background, and nothing asks how it ended.
    Unpolled,
    /// A trap ends the script with success, whatever happened.
    Forgiven {
        /// The line of the trap.
        line: u32,
    },
    /// It is in the text of a shell that is started, which has no `set -e`.
    OwnShell,
    /// Its program succeeds even if its task has failed, unless an option changes that.
    Content {
        /// What fails, in words.
        what: &'static str,
        /// What makes the program fail as well, as an instruction.
        fix: &'static str,
    },
}

/// How a script handles failures. The commands are the first of their kind.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// It makes sure that they are noticed.
    pub(crate) traps: bool,
    /// Its pipelines fail if any of their commands does.
    pub(crate) pipefail: bool,
    /// What is unnoticed if it does not.
    pub(crate) unguarded: Option<Unnoticed>,
    /// What is unnoticed although it does.
    pub(crate) lenient: Option<Unnoticed>,
    /// What is unnoticed because it comes before that.
    pub(crate) early: Option<Unnoticed>,
    /// What is unnoticed before `&&`.
    pub(crate) joined: Option<Unnoticed>,
    /// Whose program is content.
    pub(crate) content: Option<Unnoticed>,
    /// What is unnoticed if its pipelines do not.
    pub(crate) piped: Option<Unnoticed>,
    /// What is unnoticed because it is tested as a whole.
    pub(crate) asked: Option<Unnoticed>,
    /// What is unnoticed because it is substituted.
    pub(crate) substituted: Option<Unnoticed>,
    /// What is unnoticed in substitutions of bash.
    pub(crate) cleared: Option<Unnoticed>,
    /// Substitutions have the `set -e` of what is around them.
    pub(crate) inherits: bool,
    /// What a trap turns into success.
    pub(crate) forgiven: Option<Unnoticed>,
    /// What a task starts in the background.
    pub(crate) unpolled: Option<Unnoticed>,
    /// What is unnoticed in the background.
    pub(crate) background: Option<Unnoticed>,
    /// What is unnoticed within a shell that it starts.
    pub(crate) started: Option<Unnoticed>,
}

impl Failures {
    /// Adds what goes unnoticed within a shell that the recipe starts. The first one is kept.
    pub(crate) fn add_started(&mut self, found: Option<Unnoticed>) {
        self.started = self.started.take().into_iter().chain(found).min_by_key(|one| one.line);
    }

    /// The first command that goes unnoticed in a text that a separate shell runs.
    pub(crate) fn of_command(self) -> Option<Unnoticed> {
        let general = if self.traps { self.lenient } else { self.unguarded };
        let general = general.map(|one| Unnoticed { why: Why::OwnShell, ..one });
        let others = [self.content, self.started, self.substituted, self.background];
        general.into_iter().chain(others.into_iter().flatten()).min_by_key(|one| one.line)
    }
}
