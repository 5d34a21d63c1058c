//! Shell scripts, POSIX and Bash.
//!
//! **Writes.** `heat_outputs_path` followed by `.NAME`, as the target of `>`, `>>`, `>|`, `&>`, or as an argument of any
//! command that is not known only to read its arguments (so `tee`, `cp` and `mv` with their last argument, `curl -o`,
//! `dd of=`); and `wattle set NAME VALUE`, `wattle set NAME=VALUE`, behind `sudo` and the like too. The prefix may be
//! held by another variable. `$name` in a name is followed through assignments, `for` loops, arrays and the numbered
//! arguments of functions, whatever their order, to constants: `for n in url port; do echo x > "$heat_outputs_path.$n";
//! done` writes `url` and `port`.
//!
//! **Reads.** Every variable that expands, in arithmetic by its bare name too; `wattle get NAME`, `printenv NAME`,
//! `export NAME`; and the environment as other languages spell it, in quoted text and heredocs.
//!
//! **Scripts inside.** Text for `sh -c`, `su -c`, `ssh`, `eval`, `trap`, and heredocs for a shell are analysed as
//! scripts; other heredocs and quoted arguments as programs in another language, roughly.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix given to another program; `eval` of computed
//! text; `${!name}`, namerefs, `env`, `set`, `envsubst`, `inputs.json`; scripts sourced or run that are not given,
//! unless they are the system's (`. /etc/os-release`) or an absolute path (a vendor's installer).
//!
//! **Not recognised.** Whether a command is ever reached; aliases; outputs of a heredoc's program that spells
//! `heat_outputs_path` in parts. Broken structure (`if` without `fi`) is left to the shell; only quotes, expansions and
//! parentheses that are never closed are errors here.

mod commands;
mod expansion;
mod lexer;
mod programs;
mod values;
mod walk;
mod word;

use crate::analysis::{Findings, SyntaxError};

/// The variable that holds the path in front of every output's file.
const PREFIX: &str = "heat_outputs_path";

/// Variables of the shell and the convention, of which a read says nothing about inputs.
const OWN: [&str; 2] = [PREFIX, "WATTLE_RUN_DIR"];

pub(crate) fn findings(source: &str) -> Result<Findings, SyntaxError> {
    let mut script = walk::Script::default();
    script.add(source, 1, 0)?;
    let mut findings = commands::judge(script);
    for name in OWN {
        findings.analysis.reads.remove(name);
    }
    Ok(findings)
}

#[cfg(test)]
mod tests;
