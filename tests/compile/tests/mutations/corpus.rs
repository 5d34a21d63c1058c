//! Mutations as data: diffs without line numbers.
//!
//! ```text
//! == NAME: rustc            who refuses it: rustc, or the code of a check
//! @@ FILE                   relative to the example
//!  a line that stays
//! -a line that goes
//! +a line that comes
//! ```
//!
//! Removed and context lines must occur in the file exactly once.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A wrong wiring.
#[derive(Debug)]
pub(crate) struct Mutation {
    pub(crate) name: String,
    pub(crate) refused_by: RefusedBy,
    pub(crate) edits: Vec<Edit>,
}

/// The expected detector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefusedBy {
    Rustc,
    /// A check, by its code.
    Check(String),
}

impl fmt::Display for RefusedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rustc => f.write_str("rustc"),
            Self::Check(code) => f.write_str(code),
        }
    }
}

/// Whole lines of a file, and their replacement.
#[derive(Debug, Default)]
pub(crate) struct Edit {
    pub(crate) file: String,
    find: String,
    replace: String,
}

/// Reads all mutations from the files of a folder, in the order of the files' names.
pub(crate) fn read_all(folder: &Path) -> Vec<Mutation> {
    let entries = fs::read_dir(folder).expect("the corpus can be listed");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the corpus can be listed").path()).collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

/// Reads the mutations of a file.
pub(crate) fn read(file: &Path) -> Vec<Mutation> {
    let text = fs::read_to_string(file).expect("the corpus is text");
    parse(&text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}

/// Parses the mutations of a text.
pub(crate) fn parse(text: &str) -> Result<Vec<Mutation>, String> {
    let mut mutations: Vec<Mutation> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let fault = |what: &str| Err(format!("line {}: {what}: {line}", number + 1));
        if let Some(head) = line.strip_prefix("== ") {
            let Some((name, by)) = head.split_once(": ") else {
                return fault("does not say who refuses it");
            };
            let refused_by = if by == "rustc" { RefusedBy::Rustc } else { RefusedBy::Check(by.to_owned()) };
            mutations.push(Mutation { name: name.to_owned(), refused_by, edits: Vec::new() });
            continue;
        }
        let Some(mutation) = mutations.last_mut() else {
            return fault("stands before the first mutation");
        };
        if let Some(file) = line.strip_prefix("@@ ") {
            mutation.edits.push(Edit { file: file.to_owned(), ..Edit::default() });
            continue;
        }
        let Some(edit) = mutation.edits.last_mut() else {
            return fault("stands before a file is named");
        };
        let (sign, rest) = line.split_at(1);
        let (stays_or_goes, stays_or_comes) = match sign {
            " " => (true, true),
            "-" => (true, false),
            "+" => (false, true),
            _ => return fault("is neither what stays, goes nor comes"),
        };
        if stays_or_goes {
            edit.find += rest;
            edit.find.push('\n');
        }
        if stays_or_comes {
            edit.replace += rest;
            edit.replace.push('\n');
        }
    }
    for mutation in &mutations {
        if mutation.edits.is_empty() || mutation.edits.iter().any(|edit| edit.find == edit.replace) {
            return Err(format!("`{}` changes nothing", mutation.name));
        }
        if mutation.edits.iter().any(|edit| edit.find.is_empty()) {
            return Err(format!("`{}` has nothing to find", mutation.name));
        }
    }
    Ok(mutations)
}

/// Applies an edit to a file's text.
pub(crate) fn apply(text: &str, edit: &Edit) -> Result<String, String> {
    let starts = text.lines().scan(0, |next, line| Some(std::mem::replace(next, *next + line.len() + 1)));
    let places: Vec<usize> = starts.filter(|start| text[*start..].starts_with(&edit.find)).collect();
    let [place] = places[..] else {
        return Err(format!("{} places, not 1, in {}: `{}`", places.len(), edit.file, edit.find.trim_end()));
    };
    Ok(format!("{}{}{}", &text[..place], edit.replace, &text[place + edit.find.len()..]))
}
