//! Shell scripts, POSIX and Bash.
//!
//! **Writes.** `heat_outputs_path` followed by `.NAME`, as the target of `>`, `>>`, `>|`, `&>`, or as an argument of
//! any command that is not known only to read its arguments (so `tee`, `cp` and `mv` with their last argument,
//! `curl -o`, `dd of=`); and `wattle set NAME VALUE`, `wattle set NAME=VALUE`, after `sudo` and the like too. The
//! prefix may be held by another variable. `$name` in a name is followed through assignments, `for` loops, arrays and
//! the numbered arguments of functions, whatever their order, to constants:
//! `for n in url port; do echo x > "$heat_outputs_path.$n"; done` writes `url` and `port`.
//!
//! **Reads.** Every variable that expands, in arithmetic by its bare name too; `wattle get NAME`, `printenv NAME`,
//! `export NAME`; and the environment as other languages spell it, in quoted text and heredocs.
//!
//! **Scripts inside.** Text for `sh -c`, `su -c`, `ssh`, `eval`, `trap`, and heredocs for a shell are analysed as
//! scripts; other heredocs and quoted arguments as programs in another language, roughly. What such a script reads in
//! vain is reported where its whole text is there and it runs in the same environment: not after `sudo`, `su`, `env` or
//! `ssh`, and not in a login shell.
//!
//! **Other languages.** A file whose first line names a program that is not a shell (`#!/usr/bin/env python3`) is read
//! as the text of such a program; where no write is seen in it, it may write anything.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix given to another program; `eval` of computed
//! text; `${!name}`, namerefs, `env`, `set`, `envsubst`, `inputs.json`; scripts sourced or run that are not given,
//! unless they are the system's (`. /etc/os-release`) or an absolute path (a vendor's installer).
//!
//! **Not recognised.** Whether a command is ever reached; aliases; outputs of a heredoc's program that spells
//! `heat_outputs_path` in parts.
//!
//! **Errors.** Quotes, expansions and parentheses that are never closed, and commands that are not whole
//! (`structure`); never anything that a shell would run.

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

/// Variables of the shell and the convention: reading one says nothing about inputs.
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
/// continues. What the text reads and writes is not noted.
pub(crate) fn failure(text: &str, line: u32, into: &mut FileOutline) {
    let mut own = FileOutline::default();
    command(text, line, true, &mut own);
    into.failures.add_started(own.failures.started);
}

/// What a command at `line` of another tool's recipe does, with [`UNKNOWN`] and [`OUTPUTS`] in its text. If `is_shell`,
/// a separate shell runs it, which may continue after a failure.
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
    // What it sources sets nothing of that tool's.
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

/// Whether the first line itself makes failures count: `#!/bin/sh -e`.
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

/// What a program in another language does, roughly; if it does not mention outputs, it may write any.
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
