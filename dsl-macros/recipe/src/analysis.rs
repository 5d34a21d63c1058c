//! The result of an analysis.

use std::collections::BTreeMap;

use crate::failures::Failures;
use crate::files::Use;
use crate::idle::NeverRun;
use crate::lookup::Names;
use crate::names::file_name;

/// What a recipe reads and writes.
///
/// Names of a Chef recipe are node attribute paths joined by `/`, as in `db2/instance/port`; those of every other tool
/// are plain names. Lines count from one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Each written output, with the first line that writes it.
    pub writes: BTreeMap<String, u32>,
    /// Each variable that is read, with the first line that reads it. It may contain names that are not inputs.
    pub reads: BTreeMap<String, u32>,
    /// The recipe writes computed names, or runs code that is not available: it may write anything.
    pub dynamic_writes: bool,
    /// The recipe reads computed names, or runs code that is not available: it may read anything.
    pub dynamic_reads: bool,
}

impl Analysis {
    pub(crate) fn write(&mut self, name: impl Into<String>, line: u32) {
        first(&mut self.writes, name.into(), line);
    }

    pub(crate) fn read(&mut self, name: impl Into<String>, line: u32) {
        first(&mut self.reads, name.into(), line);
    }

    /// Adds the reads and writes of another analysis.
    pub fn merge(&mut self, other: Self) {
        for (name, line) in other.writes {
            self.write(name, line);
        }
        for (name, line) in other.reads {
            self.read(name, line);
        }
        self.dynamic_writes |= other.dynamic_writes;
        self.dynamic_reads |= other.dynamic_reads;
    }

    pub(crate) fn anything(&mut self) {
        self.dynamic_writes = true;
        self.dynamic_reads = true;
    }
}

fn first(names: &mut BTreeMap<String, u32>, name: String, line: u32) {
    names.entry(name).and_modify(|known| *known = line.min(*known)).or_insert(line);
}

/// Why a text is not a recipe of its tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SyntaxError {
    /// The line of the syntax error, counted from one.
    pub line: u32,
    /// The error, in lower case, without the line.
    pub message: String,
}

impl SyntaxError {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// The content of one file, and the other files of the recipe that it depends on.
#[derive(Debug, Default)]
pub(crate) struct FileOutline {
    pub(crate) analysis: Analysis,
    pub(crate) includes: Vec<Include>,
    /// Puppet classes and defined types that the file defines, or functions of a shell.
    pub(crate) defines: Vec<String>,
    /// Names that it looks up and names that it sets.
    pub(crate) names: Names,
    /// Files that it uses by constant paths.
    pub(crate) uses: Vec<Use>,
    /// How a script handles failures.
    pub(crate) failures: Failures,
    /// Scripts of the recipe that separate shells run, without `set -e`, by their names without folders.
    pub(crate) runs: Vec<String>,
    /// Definitions that it does not use itself.
    pub(crate) idle: Vec<NeverRun>,
}

/// Code that a file includes or runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Include {
    /// A file, by its name without folders: its assignments apply to the file that includes it.
    File(String),
    /// A file that is run, by its name without folders: its assignments apply only to itself.
    Program(String),
    /// A template, by the name of its file: it can only read.
    Template(String),
    /// A folder of the recipe, such as an Ansible role: any file below it counts.
    Folder(String),
    /// A file of a Chef cookbook; an empty cookbook is the recipe's own.
    Cookbook { cookbook: String, folder: &'static str, file: String },
    /// A Puppet class or defined type, by its name.
    Class(String),
    /// A Salt state, by its path without `.sls`.
    State(String),
}

impl FileOutline {
    /// Adds another file of the same recipe.
    pub(crate) fn merge(&mut self, other: Self) {
        self.analysis.merge(other.analysis);
        self.includes.extend(other.includes);
        self.defines.extend(other.defines);
        self.names.merge(other.names);
    }

    /// The result, given that only the files at `paths` are known.
    pub(crate) fn among(mut self, paths: &[&str]) -> Analysis {
        let missing = |include: &&Include| !include.is_given(paths, &self.defines);
        for include in self.includes.iter().filter(missing) {
            self.analysis.dynamic_reads = true;
            self.analysis.dynamic_writes |= !matches!(include, Include::Template(_));
        }
        self.analysis
    }
}

impl Include {
    /// Whether the file is code that may set names where it is included, and is not one of those at `paths`.
    pub(crate) fn is_unknown(&self, paths: &[&str], defined: &[String]) -> bool {
        !matches!(self, Self::Template(_) | Self::Program(_) | Self::State(_)) && !self.is_given(paths, defined)
    }

    /// Whether this is the file at `path`.
    pub(crate) fn takes_in(&self, path: &str) -> bool {
        self.is_given(&[path], &[])
    }

    /// Whether this runs the recipe at `path`.
    pub(crate) fn names_recipe(&self, path: &str) -> bool {
        matches!(self, Self::Cookbook { folder: "recipes", .. }) && self.is_given(&[path], &[])
    }

    fn is_given(&self, paths: &[&str], defined: &[String]) -> bool {
        match self {
            Self::File(name) | Self::Program(name) | Self::Template(name) => {
                paths.iter().any(|path| file_name(path) == name)
            }
            Self::Folder(name) => paths.iter().any(|path| path.split('/').rev().skip(1).any(|part| part == name)),
            Self::Cookbook { cookbook, folder, file } => paths.iter().any(|path| {
                let mut parts = path.rsplit('/');
                parts.next() == Some(file)
                    && parts.next() == Some(folder)
                    && parts.next().is_none_or(|parent| cookbook.is_empty() || parent == cookbook)
            }),
            Self::Class(name) => defined.contains(name),
            Self::State(path) => {
                let ends = |file: &str, end: &str| {
                    file.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                };
                let files = [format!("{path}.sls"), format!("{path}/init.sls")];
                paths.iter().any(|path| files.iter().any(|file| ends(path, file)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_kept() {
        let mut analysis = Analysis::default();
        for line in [7, 3, 5] {
            analysis.write("url", line);
        }
        let mut other = Analysis::default();
        other.write("url", 9);
        other.read("port", 1);
        analysis.merge(other);
        assert_eq!((analysis.writes["url"], analysis.reads["port"]), (3, 1));
    }
}
