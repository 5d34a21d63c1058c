//! Shell scripts, POSIX and Bash.
//!
//! **Writes.** `heat_outputs_path` followed by `.NAME`, as the target of `>`, `>>`, `>|`, `&>`, or as an argument of any
//! command that is not known only to read its arguments (so `tee`, `cp` and `mv` with their last argument, `curl -o`, `dd
//! of=`); and `wattle set NAME VALUE`, `wattle set NAME=VALUE`, also after `sudo` and similar commands. Another variable
//! may hold the prefix. `$name` in a name is followed through assignments, `for` loops, arrays and the numbered arguments
//! of functions, in any order, to constants: `for n in url port; do echo x > "$heat_outputs_path.$n"; done` writes `url`
//! and `port`.
//!
//! **Reads.** Every variable that expands, in arithmetic also by its bare name; `wattle get NAME`, `printenv NAME`, `export
//! NAME`; and the environment in the syntax of other languages, in quoted text and heredocs.
//!
//! **Scripts inside.** Text for `sh -c`, `su -c`, `ssh`, `eval`, `trap`, and heredocs for a shell are analysed as scripts;
//! other heredocs and quoted arguments approximately, as programs in another language. Unset variables in such a script are
//! reported if its whole text is available and it runs in the same environment: not after `sudo`, `su`, `env` or `ssh`, and
//! not in a login shell.
//!
//! **Other languages.** A file whose first line names a program that is not a shell (`#!/usr/bin/env python3`) is read as
//! the text of such a program; if no write is found in it, it may write anything.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix as an argument of another program; `eval` of
//! computed text; `${!name}`, namerefs, `env`, `set`, `envsubst`, `inputs.json`; scripts that are sourced or run and are
//! not available, unless they belong to the system (`. /etc/os-release`) or have an absolute path (a vendor's installer).
//!
//! **Not recognised.** Unreachable commands; aliases; outputs of a heredoc's program that composes `heat_outputs_path` from
//! parts.
//!
//! **Errors.** Quotes, expansions and parentheses that are never closed, and incomplete commands (`structure`); never
//! anything that a shell would run.

mod alternative;
mod arithmetic;
mod asked;
mod background;
mod cleared;
mod commands;
mod content;
mod expansion;
mod folder;
mod guards;
mod idle;
mod joined;
mod lexer;
mod operands;
mod pattern;
mod pipe;
mod programs;
mod shown;
mod spare;
mod structure;
mod substituted;
mod unguarded;
mod uses;
mod values;
mod walk;
mod word;

use crate::analysis::{FileOutline, Include, SyntaxError};
use crate::embedded;
use crate::failures::Unnoticed;
use crate::names::{OUTPUTS_PATH, file_name};
use crate::shown::Shown;
use crate::texts::{OUTPUTS, UNKNOWN};

/// Variables of the shell and the convention: reading one tells nothing about inputs.
const OWN: [&str; 2] = [OUTPUTS_PATH, "WATTLE_RUN_DIR"];

pub(crate) fn outline(source: &str) -> Result<FileOutline, SyntaxError> {
    if is_other_program(source) {
        return Ok(other_program(source));
    }
    let mut script = walk::Script::default();
    script.add_file(source, structure::is_known(program(source)))?;
    let mut outline = commands::judge(script);
    outline.names.anything |= !structure::is_known(program(source));
    if is_strict(source) {
        outline.failures.traps = true;
        outline.failures.early = None;
    }
    if !clears(source) {
        outline.failures.cleared = None;
    }
    outline.failures.pipefail |= source.lines().next().is_some_and(|first| first.contains("pipefail"));
    for name in OWN {
        outline.analysis.reads.remove(name);
    }
    Ok(outline)
}

#[cfg(feature = "chef")]
pub(crate) use word::has_short;

/// The first place at which a script shows one of these secrets, in its log or in one of the `plain` outputs.
pub(crate) fn shown(source: &str, secrets: &[&str], plain: &[&str]) -> Option<Shown> {
    let is_script = !is_other_program(source) && structure::is_known(program(source));
    is_script.then(|| shown::first(source, secrets, plain)).flatten()
}

/// Records the first command in a text at `line` of another tool's recipe after whose failure the shell that runs it
/// continues. Does not record the reads and writes of the text.
pub(crate) fn failure(text: &str, line: u32, into: &mut FileOutline) {
    let mut own = FileOutline::default();
    command(text, line, true, &mut own);
    into.failures.add_started(own.failures.started);
}

/// Records the effects of a command at `line` of another tool's recipe, with [`UNKNOWN`] and [`OUTPUTS`] in its text. If
/// `is_shell`, a separate shell runs it, which may continue after a failure.
pub(crate) fn command(text: &str, line: u32, is_shell: bool, into: &mut FileOutline) {
    let source = text.replace(OUTPUTS, "${heat_outputs_path}").replace(UNKNOWN, "${!unknown}");
    let Ok(FileOutline { analysis, includes, failures, runs, .. }) = outline(&source) else {
        into.analysis.dynamic_writes |= text.contains(OUTPUTS) || text.contains("wattle");
        return;
    };
    for (name, at) in analysis.reads {
        into.analysis.read(name, line.saturating_add(at - 1));
    }
    for (name, at) in analysis.writes {
        into.analysis.write(name, line.saturating_add(at - 1));
    }
    into.analysis.dynamic_writes |= analysis.dynamic_writes;
    if is_shell {
        let found = failures.of_command().map(|one| Unnoticed { line: line.saturating_add(one.line - 1), ..one });
        into.failures.add_started(found);
    }
    into.runs.extend(runs);
    // A script that it sources sets no names of that tool.
    into.includes.extend(includes.into_iter().map(|include| match include {
        Include::File(name) => Include::Program(name),
        include => include,
    }));
}

/// Whether the first line names a program that is not a shell, such as Python.
pub fn is_other_program(source: &str) -> bool {
    program(source).is_some_and(|program| !program.ends_with("sh") && program != "busybox")
}

/// Whether the shell that runs the script clears `set -e` in substitutions, which only bash does.
fn clears(source: &str) -> bool {
    let first = source.lines().next().unwrap_or_default();
    matches!(program(source), Some("bash" | "rbash"))
        && !["posix", "inherit_errexit"].iter().any(|own| first.contains(own))
}

/// Whether the first line itself sets `-e`: `#!/bin/sh -e`.
fn is_strict(source: &str) -> bool {
    let first = source.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    first.split_ascii_whitespace().skip(1).any(|word| word == "errexit" || word::has_short(word, 'e'))
}

/// The program that the first line names, without its folders.
fn program(source: &str) -> Option<&str> {
    let mut words = source.lines().next()?.strip_prefix("#!")?.split_ascii_whitespace().map(file_name);
    match words.next() {
        Some("env") => words.find(|word| !word.starts_with('-') && !word.contains('=')),
        program => program,
    }
}

/// The approximate reads and writes of a program in another language; if it does not mention outputs, it may write any.
fn other_program(source: &str) -> FileOutline {
    let mut outline = FileOutline::default();
    embedded::reads(source, 1, &mut outline.analysis);
    embedded::writes(source, 1, &mut outline.analysis);
    outline.analysis.dynamic_reads = true;
    outline.names.anything = true;
    outline.analysis.dynamic_writes |= outline.analysis.writes.is_empty();
    for name in OWN {
        outline.analysis.reads.remove(name);
    }
    outline
}
