//! The effect of commands and redirections on outputs.

use super::uses::Uses;
use super::walk::{Command, Script};
use super::word::{Part, Word};
use crate::analysis::FileOutline;
use crate::embedded;
use crate::environment;
use crate::names::is_output;
use crate::texts::{OUTPUTS, UNKNOWN};

/// Commands that do not write the files named by their arguments, or whose arguments are not files.
const READERS: [&str; 40] = [
    "cat",
    "echo",
    "printf",
    "test",
    "[",
    "[[",
    "rm",
    "unlink",
    "ls",
    "grep",
    "egrep",
    "fgrep",
    "wc",
    "head",
    "tail",
    "chmod",
    "chown",
    "chgrp",
    "stat",
    "dirname",
    "basename",
    "mkdir",
    "rmdir",
    "export",
    "local",
    "declare",
    "typeset",
    "readonly",
    "return",
    "exit",
    "log",
    "logger",
    "less",
    "diff",
    "cmp",
    "sha256sum",
    "md5sum",
    ":",
    "((",
    "true",
];

/// Commands that write only their last argument, or the one after `-t`.
const COPIERS: [&str; 4] = ["cp", "mv", "install", "ln"];

pub(super) fn judge(mut script: Script) -> FileOutline {
    let (analysis, names) = (std::mem::take(&mut script.found), std::mem::take(&mut script.names));
    let mut outline = FileOutline { analysis, names, ..FileOutline::default() };
    // Text inside commands may contain further commands, which are appended during the loop.
    let mut at = 0;
    while at < script.commands.len() {
        super::programs::look_inside(&mut script, at, &mut outline);
        at += 1;
    }
    outline.analysis.merge(std::mem::take(&mut script.found));
    outline.failures = std::mem::take(&mut script.failures);
    outline.idle = std::mem::take(&mut script.idle);
    outline.defines.extend(script.functions.keys().cloned());
    let commands = std::mem::take(&mut script.commands);
    for word in std::mem::take(&mut script.redirected) {
        file(&mut script, &word, false, &mut outline);
    }
    for command in &commands {
        Uses::command(&mut script, command);
        judge_command(&mut script, command, &mut outline);
        // `exec {descriptor}<file` sets the variable.
        let bare = command.words.iter().filter_map(|word| word.bare()?.strip_prefix('{')?.strip_suffix('}'));
        bare.for_each(|name| outline.names.set(name));
        super::spare::spares(command, &mut outline.names);
        if command.here && command.words.first().and_then(Word::literal) == Some("let") {
            for word in &command.words[1..] {
                let text = word.literal().unwrap_or_default();
                super::arithmetic::variables(text, word.line, &mut outline.analysis, &mut outline.names);
            }
        }
    }
    outline.uses.extend(std::mem::take(&mut script.uses).into_uses());
    outline.names.merge(std::mem::take(&mut script.names));
    script.values.names().for_each(|name| outline.names.set(name));
    environment::SHELL.iter().for_each(|name| outline.names.set(name));
    let elsewhere: Vec<String> =
        outline.names.needed().filter(|name| environment::is_elsewhere(name)).map(str::to_owned).collect();
    elsewhere.iter().for_each(|name| outline.names.spare(name));
    outline
}

fn judge_command(script: &mut Script, command: &Command, outline: &mut FileOutline) {
    let program = command.words.first().and_then(Word::literal).map(crate::names::file_name).unwrap_or_default();
    if READERS.contains(&program) {
        return;
    }
    let arguments = command.words.get(1..).unwrap_or_default();
    let wattles = command.words.iter().map(|word| word.literal().map(crate::names::file_name));
    if let Some((at, _)) = wattles.enumerate().find(|(_, name)| *name == Some("wattle")) {
        wattle(script, &command.words[at + 1..], outline);
    }
    if COPIERS.contains(&program) {
        let target = arguments.iter().position(|word| matches!(word.literal(), Some("-t" | "--target-directory")));
        if target.is_none()
            && let Some(last) = arguments.last()
        {
            file(script, last, false, outline);
        }
        return;
    }
    // The numbered arguments of a function are followed into its body, so the bare prefix is known there.
    let passes = script.functions.get(program).is_none_or(|function| function.opaque);
    for word in arguments {
        file(script, word, passes, outline);
    }
}

/// Handles a word that may name an output's file. If `passes`, the bare prefix is passed to code that may do anything.
fn file(script: &mut Script, word: &Word, passes: bool, outline: &mut FileOutline) {
    if word.is_constant() {
        return;
    }
    for text in script.values.of(word) {
        let Some((_, rest)) = text.rsplit_once(OUTPUTS) else { continue };
        match rest.strip_prefix('.') {
            Some(name) if is_output(name) => outline.analysis.write(name, word.line),
            _ if rest.is_empty() => outline.analysis.dynamic_writes |= passes,
            _ if rest.contains(UNKNOWN) || rest.contains(['{', '*', '?', '[']) => {
                expand_braces(rest, word.line, outline);
            }
            _ => {}
        }
    }
}

/// `.{url,port}`; any other computed name may be any output.
fn expand_braces(rest: &str, line: u32, outline: &mut FileOutline) {
    let names = rest.strip_prefix(".{").and_then(|rest| rest.strip_suffix('}')).map(|names| names.split(','));
    match names {
        Some(mut names) if names.clone().all(is_output) => {
            names.by_ref().for_each(|name| outline.analysis.write(name, line));
        }
        _ => outline.analysis.dynamic_writes = true,
    }
}

/// Handles the arguments of `wattle`.
fn wattle(script: &mut Script, arguments: &[Word], outline: &mut FileOutline) {
    let mut options = false;
    let mut words = arguments.iter().filter(|word| {
        let option = word.literal().filter(|text| text.starts_with('-') && text.len() > 1);
        options |= option.is_some_and(|text| !text.contains('='));
        option.is_none()
    });
    let verb = words.next().and_then(Word::literal);
    let words: Vec<&Word> = words.collect();
    match verb {
        Some("set") => set(script, &words, options, outline),
        Some("get") => get(script, &words, outline),
        // `wattle -v set`: the option may or may not take the next word as its value.
        Some(_) if options => outline.analysis.anything(),
        _ => {}
    }
}

fn set(script: &mut Script, words: &[&Word], options: bool, outline: &mut FileOutline) {
    let Some(first) = words.first() else {
        outline.analysis.dynamic_writes = true;
        return;
    };
    let pairs = script.values.of(first).iter().any(|text| text.contains('='));
    let names = if pairs { words.len() } else { 1 + usize::from(options) };
    for word in words.iter().take(names) {
        for text in script.values.of(word) {
            let name = text.split_once('=').map_or(text.as_str(), |(name, _)| name);
            if is_output(name) {
                outline.analysis.write(name, word.line);
            } else {
                outline.analysis.dynamic_writes |= name.contains([UNKNOWN, OUTPUTS, '{']);
            }
        }
    }
}

fn get(script: &mut Script, words: &[&Word], outline: &mut FileOutline) {
    outline.analysis.dynamic_reads |= words.is_empty();
    for word in words {
        for text in script.values.of(word) {
            if text.contains([UNKNOWN, OUTPUTS]) {
                outline.analysis.dynamic_reads = true;
            } else {
                outline.names.need(&text, word.line);
                outline.analysis.read(text, word.line);
            }
        }
    }
}

/// Programs in other languages among the arguments and heredocs of a command; only their reads, if its text was understood
/// as scripts (that is, unless `foreign`).
pub(super) fn embedded_programs(command: &Command, foreign: bool, outline: &mut FileOutline) {
    let program = command.words.first().and_then(Word::literal).unwrap_or_default();
    let runs = !READERS.contains(&program);
    for (at, word) in command.words.iter().chain(&command.fed).enumerate() {
        let fed = at >= command.words.len();
        let text: String = word
            .parts
            .iter()
            .map(|part| if let Part::Text { text, .. } = part { text.as_str() } else { "${?}" })
            .collect();
        embedded::reads(&text, word.line, &mut outline.analysis);
        let is_program = if fed { runs || command.sends } else { runs && text.contains(['(', '\'', '"', ' ']) };
        if foreign && is_program {
            embedded::writes(&word.to_source(), word.line, &mut outline.analysis);
        }
    }
}
