//! Failures that go unnoticed.

/// A command after whose failure a shell script continues or ends as if nothing had happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnoticed {
    /// The file that contains it, if that is not the recipe itself.
    pub file: Option<String>,
    /// Its program, without folders.
    pub program: String,
    /// Its line, counted from one.
    pub line: u32,
    /// The reason.
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
    /// It is in a substitution whose failure does not affect the command around it.
    Substituted {
        /// The variable that receives its output.
        name: String,
        /// The command: `local`, `export` and similar ones, or one with the variable in its environment.
        by: String,
    },
    /// `set -e` does not apply to it, because the exit status of an enclosing construct is tested.
    Asked {
        /// The function whose exit status is tested, and the line of the test.
        function: Option<(String, u32)>,
    },
    /// It is in a command substitution of bash, which clears `set -e` there.
    Cleared {
        /// The function that is called there, and the line of the call.
        function: Option<(String, u32)>,
    },
    /// It runs in the background, and a `wait` without an argument does not return its status.
    Background,
    /// Its task continues in the background, and nothing checks its result.
    Unpolled,
    /// A trap ends the script with success, whatever happened.
    Forgiven {
        /// The line of the trap.
        line: u32,
    },
    /// It is in the text of a separate shell, which has no `set -e`.
    OwnShell,
    /// Its program succeeds even if its task has failed, unless an option changes that.
    Content {
        /// The failure, in words.
        what: &'static str,
        /// How to make the program fail as well, as an instruction.
        fix: &'static str,
    },
}

/// How a script handles failures. Each command is the first of its kind.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Failures are noticed by a trap or `set -e`.
    pub(crate) traps: bool,
    /// Pipelines fail if any of their commands fails (`pipefail`).
    pub(crate) pipefail: bool,
    /// Unnoticed without that.
    pub(crate) unguarded: Option<Unnoticed>,
    /// Unnoticed in spite of that.
    pub(crate) lenient: Option<Unnoticed>,
    /// Unnoticed because it comes before that.
    pub(crate) early: Option<Unnoticed>,
    /// Unnoticed before `&&`.
    pub(crate) joined: Option<Unnoticed>,
    /// Unnoticed because its program succeeds anyway.
    pub(crate) content: Option<Unnoticed>,
    /// Unnoticed without `pipefail`.
    pub(crate) piped: Option<Unnoticed>,
    /// Unnoticed because an enclosing construct is tested.
    pub(crate) asked: Option<Unnoticed>,
    /// Unnoticed because it is in a substitution.
    pub(crate) substituted: Option<Unnoticed>,
    /// Unnoticed in a substitution of bash.
    pub(crate) cleared: Option<Unnoticed>,
    /// Substitutions inherit `set -e`.
    pub(crate) inherits: bool,
    /// Turned into success by a trap.
    pub(crate) forgiven: Option<Unnoticed>,
    /// Started in the background by a task.
    pub(crate) unpolled: Option<Unnoticed>,
    /// Unnoticed in the background.
    pub(crate) background: Option<Unnoticed>,
    /// Unnoticed in a shell that the recipe starts.
    pub(crate) started: Option<Unnoticed>,
}

impl Failures {
    /// Adds a command that goes unnoticed in a shell that the recipe starts. The first one is kept.
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
