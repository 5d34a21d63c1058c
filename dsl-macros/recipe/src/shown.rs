//! Secrets that a recipe shows: in its log, or in an output that everyone may read.

use crate::tool::Tool;

/// A secret that a recipe shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The input.
    pub name: String,
    /// The line, counted from one.
    pub line: u32,
    /// The way in which it is shown.
    pub how: How,
}

/// How a recipe shows a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A program, module or function prints it.
    Printed {
        /// Its name.
        by: String,
    },
    /// The shell writes each command to the log, with its expansions.
    Traced,
    /// A program prints all variables.
    Environment {
        /// Its name.
        by: String,
    },
    /// It is written to an output that is not a secret.
    Written {
        /// The output.
        output: String,
    },
}

/// The first place at which the file `source` of `tool` certainly shows one of the inputs `secrets`; `plain` are the
/// outputs that everyone may read. Nothing is reported for a name that the file itself sets, for output to a file or
/// another program, or for code that the file includes or runs.
pub fn shows(tool: Tool, source: &str, secrets: &[&str], plain: &[&str]) -> Option<Shown> {
    if secrets.is_empty() {
        return None;
    }
    match tool {
        Tool::Shell => crate::shell::shown(source, secrets, plain),
        Tool::Ansible => crate::ansible::shown(source, secrets, plain),
        Tool::Puppet => crate::puppet::shown(source, secrets),
        Tool::Chef | Tool::Salt => None,
    }
}
