//! Files of the crate that a script uses: by a path beside itself (`"$(dirname "$0")/x"`, `"${0%/*}/x"`), or by one
//! relative to the working directory of the recipe.
//!
//! A file that is missing in the crate is reported only if the script uses it and nothing could have created it. Beside the
//! script, that is the case if no part of the script may have done so: any other mention of the path or of a folder above
//! it, even a test, counts as that. In the working directory, other programs create files as well: so only uses before the
//! script runs such a program count.

use super::operands::{Besides, operands, row};
use super::programs::unwrapped;
use super::walk::{Command, Script};
use super::word::Word;
use crate::files::Use;
use crate::names::file_name;
use crate::texts::{FOLDER, HERE, SOME_FOLDER};

/// Commands that print a path or test for it, and create nothing.
const LOOKING: [&str; 9] = ["cd", "pushd", "echo", "printf", "dirname", "readlink", "realpath", "export", "local"];
/// Other commands of shells and systems that create no files in the working directory. Their arguments are recorded
/// nevertheless.
const HARMLESS: [&str; 42] = [
    "[",
    "[[",
    "((",
    ":",
    "alias",
    "basename",
    "break",
    "builtin",
    "chgrp",
    "chmod",
    "chown",
    "command",
    "continue",
    "date",
    "declare",
    "eval",
    "exit",
    "false",
    "getent",
    "groupadd",
    "hash",
    "hostname",
    "id",
    "let",
    "log",
    "logger",
    "read",
    "readonly",
    "return",
    "rm",
    "service",
    "set",
    "shift",
    "shopt",
    "sleep",
    "systemctl",
    "test",
    "trap",
    "true",
    "type",
    "umask",
    "useradd",
];

/// The path of a recipe's files relative to its run directory.
const FILES: &str = "../files/";

/// The files that a script uses, in the order in which they appear.
#[derive(Debug, Default)]
pub(super) struct Uses {
    found: Vec<Mention>,
    /// It has changed to another folder, or may have: relative paths are no longer the recipe's.
    strayed: bool,
    /// It has changed to its own folder.
    home: bool,
    /// Something may have created files beside it.
    makes: bool,
    /// Something may have created unnamed files in the working directory.
    besides: Option<Besides>,
}

/// The use of a path in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// The file is read or run: certainly, or probably.
    Takes { is_certain: bool },
    /// The file is read or run, and may be missing.
    Tries,
    /// The file is created.
    Makes,
    /// Anything else.
    Names,
}

impl Does {
    fn takes(self) -> bool {
        matches!(self, Self::Takes { .. } | Self::Tries)
    }
}

/// A path in a script.
#[derive(Debug)]
struct Mention {
    path: String,
    line: u32,
    does: Does,
    /// The base of the path.
    from: From,
    /// Nothing that could have created it has run yet.
    is_early: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The script's folder, certainly or probably.
    Beside { is_sure: bool },
    /// The working directory of the recipe: the script's folder, if it has changed to that.
    Here { is_home: bool },
}

impl Uses {
    /// Records the files that one command of the script itself uses.
    pub(super) fn command(script: &mut Script, command: &Command) {
        // A command in a string may run elsewhere.
        if command.depth == 0 {
            for word in &command.input {
                Self::mention(script, word, (0, false), taking(command, true));
            }
            let words = unwrapped(&command.words);
            let program = words.first().and_then(|word| script.values.placed(word).pop());
            if let Some(program) = program {
                Self::arguments(script, command, &words[0], &program, &words[1..]);
            }
        }
        for word in &command.output {
            Self::mention(script, word, (0, false), Does::Makes);
        }
    }

    fn arguments(script: &mut Script, command: &Command, word: &Word, program: &str, arguments: &[Word]) {
        let name = file_name(program);
        if matches!(name, "cd" | "pushd") {
            let to = arguments.iter().find(|word| word.literal().is_none_or(|text| !text.starts_with('-')));
            let to = to.map(|word| script.values.placed(word)).unwrap_or_default();
            let own = to.iter().all(|to| to.trim_end_matches('/') == FOLDER.to_string()) && !to.is_empty();
            script.uses.home |= own;
            script.uses.strayed |= !own || command.scoped;
        }
        if program.contains('/') {
            Self::mention(script, word, (0, false), taking(command, true));
        }
        let row = row(program, arguments);
        let (files, besides) = match row {
            Some((row, skip)) => {
                let (mut files, besides) = operands(row, &arguments[skip..]);
                files.iter_mut().for_each(|one| one.at += skip);
                (files, besides)
            }
            None if HARMLESS.contains(&name) || LOOKING.contains(&name) => (Vec::new(), Besides::Nothing),
            None if script.functions.contains_key(name) || name.is_empty() => (Vec::new(), Besides::Nothing),
            None => (Vec::new(), Besides::Anything),
        };
        for file in &files {
            let does = if file.makes { Does::Makes } else { taking(command, file.is_certain) };
            Self::mention(script, &arguments[file.at], (file.skip, file.is_marked), does);
        }
        for (at, word) in arguments.iter().enumerate() {
            let is_file = files.iter().find(|file| file.at == at);
            if is_file.is_none() {
                Self::mention(script, word, (0, false), Does::Names);
            }
            if is_file.is_none_or(|file| file.makes) && !LOOKING.contains(&name) {
                let is_folder = |text: &String| text.trim_end_matches(['/', '.']).chars().eq([FOLDER]);
                script.uses.makes |= script.values.placed(word).iter().any(is_folder);
            }
        }
        script.uses.besides = script.uses.besides.max(Some(besides));
    }

    /// Records a word as a path: without its first bytes, and after an `@` if it is marked by one.
    fn mention(script: &mut Script, word: &Word, (skip, is_marked): (usize, bool), does: Does) {
        for text in script.values.placed(word) {
            let text = text.get(skip..).unwrap_or_default();
            let text = match text.rsplit_once('@') {
                Some((_, path)) if is_marked => path,
                None if is_marked => continue,
                _ => text,
            };
            let is_sure = text.starts_with(FOLDER);
            let beside = text.strip_prefix([FOLDER, SOME_FOLDER]).and_then(|rest| rest.strip_prefix('/'));
            let here = text.strip_prefix(HERE).and_then(|rest| rest.strip_prefix('/'));
            let files = here.and_then(|path| path.strip_prefix(FILES));
            let uses = &script.uses;
            let path = match (beside, files, here) {
                (Some(path), ..) | (None, Some(path), _) => path,
                (.., Some(path)) if !uses.strayed => path,
                (.., None) if !uses.strayed && is_path(text) => text,
                _ => continue,
            };
            let Some((path, does)) = globbed(path, does) else { continue };
            let from = match beside {
                Some(_) => From::Beside { is_sure },
                None => From::Here { is_home: uses.home },
            };
            // A tree that was unpacked in the working directory may contain anything.
            if uses.besides == Some(Besides::Tree) && beside.is_none() && does.takes() {
                continue;
            }
            let is_early = uses.besides <= Some(Besides::Nothing) && !uses.strayed;
            let path = made_name(path, does).trim_start_matches("./").to_owned();
            script.uses.found.push(Mention { path, line: word.line, does, from, is_early });
        }
    }

    /// Returns all of them.
    pub(super) fn into_uses(self) -> Vec<Use> {
        let is_above = |folder: &str, path: &str| {
            let folder = folder.trim_end_matches(['/', '.']);
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let others = |mention: &Mention, is: &dyn Fn(Does) -> bool| {
            self.found.iter().any(|other| is(other.does) && is_above(&other.path, &mention.path))
        };
        let uses = self.found.iter().filter_map(|mention| {
            let is_relative = matches!(mention.from, From::Here { .. });
            let takes = mention.does.takes();
            // A relative path refers to the recipe's file only if it is read: other words may be anything.
            if !takes && (is_relative || mention.does == Does::Makes) || others(mention, &|does| does == Does::Makes) {
                return None;
            }
            let one = match mention.from {
                From::Beside { .. } | From::Here { is_home: true } => Use::beside(&mention.path, mention.line),
                From::Here { is_home: false } => Use::here(&mention.path, mention.line),
            };
            let is_named = others(mention, &|does| !matches!(does, Does::Takes { .. }));
            let is_lacking = mention.does != Does::Names
                && !is_named
                && !self.makes
                && mention.from == From::Beside { is_sure: true };
            let is_spelt_out = mention.path.contains(['.', '/']);
            let is_certain = mention.does == Does::Takes { is_certain: true } && mention.is_early && is_spelt_out;
            let is_first = is_relative && is_certain && !is_named;
            one.map(|one| if is_lacking { one.needed() } else { one })
                .map(|one| if is_first { one.needed_first() } else { one })
        });
        uses.collect()
    }
}

/// The use of a file by a command, certain or not: a command that is tested or whose errors are discarded may work without
/// it.
fn taking(command: &Command, is_certain: bool) -> Does {
    let is_silent = command.output.iter().any(|word| word.literal() == Some("/dev/null"));
    if command.asks || is_silent { Does::Tries } else { Does::Takes { is_certain: is_certain && !command.scoped } }
}

/// Whether a word may be a path: no option, setting (`a=b`), host (`host:path`) or list of hosts (`host,`).
fn is_path(text: &str) -> bool {
    !text.starts_with('-') && !text.ends_with(',') && !text.replace("://", "").contains(['=', ':'])
}

/// The path in a word: for a pattern that is read, the folder before it.
fn globbed(path: &str, does: Does) -> Option<(&str, Does)> {
    match path.find(['*', '?', '[']) {
        Some(at) if does.takes() => {
            let (folder, _) = path[..at].rsplit_once('/')?;
            Some((folder, Does::Takes { is_certain: false }))
        }
        _ => Some((path, does)),
    }
}

/// The file that a command creates from a URL: its last part.
fn made_name(path: &str, does: Does) -> &str {
    if does == Does::Makes && path.contains("://") {
        let name = path.rsplit('/').next().unwrap_or_default();
        return name.strip_suffix(".git").unwrap_or(name);
    }
    path
}
