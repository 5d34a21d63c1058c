//! Files of the crate that a script uses: by a path beside itself (`"$(dirname "$0")/x"`, `"${0%/*}/x"`), or by one that is
//! relative to where the recipe runs.
//!
//! A file that is nowhere in the crate is one that the script lacks only if it takes it and nothing that it says could have made it:
//! every other mention of the path or of a folder above it, a test included, is taken for that.

use super::commands::COPIERS;
use super::programs::{INTERPRETERS, SHELLS, unwrapped};
use super::walk::{Command, Script};
use super::word::Word;
use crate::files::Use;
use crate::names::file_name;
use crate::texts::{FOLDER, SOME_FOLDER};

/// Commands that read the files that they are given.
const TAKING: [&str; 3] = ["cat", ".", "source"];
/// Commands that say where something is, and make nothing there.
const LOOKING: [&str; 9] = ["cd", "pushd", "echo", "printf", "dirname", "readlink", "realpath", "export", "local"];

/// The files that a script uses, as they come up.
#[derive(Debug, Default)]
pub(super) struct Uses {
    found: Vec<Mention>,
    /// It has gone to another folder, or may have: relative paths are no longer the recipe's.
    strayed: bool,
    /// It has gone to its own folder.
    home: bool,
    /// Something may have made files beside it.
    makes: bool,
}

/// A path that stands in a script.
#[derive(Debug)]
struct Mention {
    path: String,
    line: u32,
    /// It is relative to the script's folder.
    is_beside: bool,
    /// That folder is certain.
    is_sure: bool,
    /// The file is read or run.
    takes: bool,
}

impl Uses {
    /// What one command of the script itself uses.
    pub(super) fn command(script: &mut Script, command: &Command) {
        let words = unwrapped(&command.words);
        let Some(program) = words.first().and_then(|word| script.values.placed(word).pop()) else { return };
        let name = file_name(&program);
        if matches!(name, "cd" | "pushd") {
            let to = words[1..].iter().find(|word| word.literal().is_none_or(|text| !text.starts_with('-')));
            let to = to.map(|word| script.values.placed(word)).unwrap_or_default();
            let own = to.iter().all(|to| to.trim_end_matches('/') == FOLDER.to_string()) && !to.is_empty();
            script.uses.home |= own;
            script.uses.strayed |= !own || command.scoped;
        }
        let arguments = words.get(1..).unwrap_or_default();
        if program.contains('/') {
            Self::mention(script, &words[0], true);
        }
        for (at, word) in arguments.iter().enumerate() {
            let takes = takes(name, arguments, at);
            Self::mention(script, word, takes);
            if !takes && !LOOKING.contains(&name) {
                let is_folder = |text: &String| text.trim_end_matches(['/', '.']).chars().eq([FOLDER]);
                script.uses.makes |= script.values.placed(word).iter().any(is_folder);
            }
        }
    }

    /// A word that is read, where it `takes`, or that stands for something else.
    pub(super) fn mention(script: &mut Script, word: &Word, takes: bool) {
        for text in script.values.placed(word) {
            let is_sure = text.starts_with(FOLDER);
            let beside = text.strip_prefix([FOLDER, SOME_FOLDER]).and_then(|rest| rest.strip_prefix('/'));
            // What is relative is the recipe's only where something reads it: other words may be anything.
            let path = match beside {
                Some(path) => path,
                None if takes && !script.uses.strayed && !text.starts_with('-') => text.as_str(),
                None => continue,
            };
            let is_beside = beside.is_some() || script.uses.home;
            let mention = Mention { path: path.to_owned(), line: word.line, is_beside, is_sure, takes };
            script.uses.found.push(mention);
        }
    }

    /// All of them.
    pub(super) fn into_uses(self) -> Vec<Use> {
        let is_above = |folder: &str, path: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let made = |path: &str| self.found.iter().any(|other| !other.takes && is_above(&other.path, path));
        let uses = self.found.iter().filter_map(|mention| {
            let one = if mention.is_beside {
                Use::beside(&mention.path, mention.line)
            } else {
                Use::here(&mention.path, mention.line)
            };
            let is_needed = mention.takes && mention.is_sure && !self.makes && !made(&mention.path);
            one.map(|one| if is_needed { one.needed() } else { one })
        });
        uses.collect()
    }
}

/// Whether the command `name` reads or runs the file that the argument at `at` names.
fn takes(name: &str, arguments: &[Word], at: usize) -> bool {
    let is_option = |word: &Word| word.literal().is_some_and(|text| text.starts_with('-') && text.len() > 1);
    if is_option(&arguments[at]) {
        return false;
    }
    match name {
        _ if TAKING.contains(&name) => name == "cat" || at == 0,
        // It makes folders.
        "install" if arguments.iter().any(makes_folders) => false,
        _ if COPIERS.contains(&name) => {
            let is_target = |word: &Word| matches!(word.literal(), Some("-t" | "--target-directory"));
            match arguments.iter().position(is_target) {
                Some(target) => at != target + 1,
                None => at + 1 < arguments.len() && !is_value(arguments, at),
            }
        }
        _ if SHELLS.contains(&name) || INTERPRETERS.contains(&name) => {
            let inline = |word: &Word| matches!(word.literal(), Some("-c" | "-m" | "-e" | "-s" | "-"));
            arguments[..at].iter().all(is_option) && !arguments[..at].iter().any(inline)
        }
        _ => false,
    }
}

/// Whether an option of `install` is the one for folders: `-d`, `-dm`, `--directory`.
fn makes_folders(word: &Word) -> bool {
    let is_short = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('d');
    word.literal().is_some_and(|text| text == "--directory" || is_short(text))
}

/// Whether an argument is the value of the option in front of it: `install -m 0644 -o root`.
fn is_value(arguments: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| arguments[before].literal());
    matches!(before, Some("-m" | "-o" | "-g" | "-S" | "--mode" | "--owner" | "--group"))
}
