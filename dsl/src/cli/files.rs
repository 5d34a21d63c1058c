//! Writes files so that a failure leaves those that were there before.
//!
//! What is promised of the files of one directory:
//!
//! - They are all written, and on disk, before the first one takes its place. Until then nothing that was there before is
//!   touched, whatever fails, and even if the process is killed.
//! - Each takes its place by a rename: at every moment a name leads to the old file or to the new one, whole.
//! - If a file cannot take its place, those that did are taken back, and the old ones are there again.
//! - A process that is killed between the first rename and the last, a matter of milliseconds, leaves some old files
//!   beside some new ones. The next run takes those back before anything else. Files take their places in the order in
//!   which they were given, so what is read first is best given last.
//! - Two runs do not mix: the second one waits.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::emit::EmitError;

use super::failure::{Exit, Failure};

/// A file to be written.
pub(super) struct File<'a> {
    pub(super) name: String,
    /// What is in it, in words.
    pub(super) content: String,
    pub(super) write: WriteTo<'a>,
}

/// What puts a file's content where it belongs.
pub(super) type WriteTo<'a> = Box<dyn FnOnce(&mut fs::File) -> Result<(), EmitError> + 'a>;

/// A file that was written.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) bytes: u64,
}

/// Writes `files` into `directory`, which is made if need be, and removes the other files there that are `ours`.
pub(super) fn replace(
    directory: &Path,
    files: Vec<File<'_>>,
    ours: impl Fn(&str) -> bool,
) -> Result<Vec<Written>, Failure> {
    let cannot = |error: &io::Error| {
        let failure = Failure::files(format!("cannot write to `{}`: {}", directory.display(), reason(error)));
        failure.note("nothing was changed").help("`--out DIR` chooses another place")
    };
    fs::create_dir_all(directory).map_err(|error| cannot(&error))?;
    let _lock = lock(directory).map_err(|error| cannot(&error))?;
    let swap = Swap::begin(directory).map_err(|error| cannot(&error))?;
    let mut written = Vec::with_capacity(files.len());
    for file in files {
        written.push(swap.write(file)?);
    }
    let mut steps: Vec<Step> = written.iter().map(|file| Step::Replace(&file.name)).collect();
    let stale = stale(directory, |name| ours(name) && !written.iter().any(|file| file.name == name))
        .map_err(|error| cannot(&error))?;
    steps.extend(stale.iter().map(|name| Step::Remove(name)));
    swap.take_places(&steps)?;
    Ok(written)
}

/// Why `error` happened, in the manner of our messages.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut rest = text.chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

/// Keeps other runs out of `directory` for as long as the handle lives.
fn lock(directory: &Path) -> io::Result<fs::File> {
    let handle = fs::File::open(directory)?;
    match handle.lock() {
        // Some network file systems have no locks.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(handle),
        done => done.map(|()| handle),
    }
}

/// The files of `directory` that are there no longer after this run.
fn stale(directory: &Path, is_stale: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut stale = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().filter(|name| is_stale(name))
            && !entry.file_type()?.is_dir()
        {
            stale.push(name.to_owned());
        }
    }
    stale.sort_unstable();
    Ok(stale)
}

enum Step<'a> {
    Replace(&'a str),
    Remove(&'a str),
}

/// An exchange of files under way. What it needs meanwhile is gone when it ends.
struct Swap<'d> {
    directory: &'d Path,
    /// The new files, until they take their places.
    new: PathBuf,
    /// The old files, once the first new one has taken its place.
    old: PathBuf,
}

impl<'d> Swap<'d> {
    fn begin(directory: &'d Path) -> io::Result<Self> {
        let swap = Self { directory, new: directory.join(".wattle-new"), old: directory.join(".wattle-old") };
        // While both are there, files were taking their places. The new one is the first to go when all have.
        if swap.new.is_dir() && swap.old.is_dir() {
            for entry in fs::read_dir(&swap.old)? {
                let entry = entry?;
                fs::rename(entry.path(), directory.join(entry.file_name()))?;
            }
        }
        remove(&swap.new)?;
        remove(&swap.old)?;
        fs::create_dir(&swap.new)?;
        Ok(swap)
    }

    fn write(&self, file: File<'_>) -> Result<Written, Failure> {
        let File { name, content, write } = file;
        let path = self.directory.join(&name);
        let cannot = |error: &io::Error| {
            Failure::files(format!("cannot write `{}`: {}", path.display(), reason(error))).note("nothing was changed")
        };
        if path.is_dir() {
            return Err(cannot(&io::Error::other("a directory is in its place")));
        }
        let mut out = fs::File::create_new(self.new.join(&name)).map_err(|error| cannot(&error))?;
        write(&mut out).map_err(|error| match error {
            EmitError::Write(error) => cannot(&error),
            EmitError::Value(why) => Failure {
                exit: Exit::Errors,
                ..Failure::usage(format!("`{}` cannot be emitted: {why}", path.display())).note("nothing was changed")
            },
        })?;
        out.sync_all().map_err(|error| cannot(&error))?;
        let bytes = out.metadata().map_err(|error| cannot(&error))?.len();
        Ok(Written { name, content, bytes })
    }

    fn take_places(&self, steps: &[Step<'_>]) -> Result<(), Failure> {
        let mut done: Vec<(&str, bool)> = Vec::with_capacity(steps.len());
        let moved = fs::create_dir(&self.old).map_err(|error| (".wattle-old", error)).and_then(|()| {
            steps.iter().try_for_each(|step| {
                let (Step::Replace(name) | Step::Remove(name)) = step;
                self.step(step).map(|had_old| done.push((name, had_old))).map_err(|error| (*name, error))
            })
        });
        let Err((name, error)) = moved else {
            // The names are safe on disk, as the files are already; without this a crash of the machine could undo them.
            let _ = fs::File::open(self.directory).and_then(|directory| directory.sync_all());
            let _ = remove(&self.new);
            return Ok(());
        };
        let taken_back = done.iter().rev().try_for_each(|(name, had_old)| {
            let path = self.directory.join(name);
            if *had_old { fs::rename(self.old.join(name), path) } else { fs::remove_file(path) }
        });
        let path = self.directory.join(name);
        let failure = Failure::files(format!("cannot put `{}` in its place: {}", path.display(), reason(&error)));
        Err(match taken_back {
            Ok(()) => failure.note("nothing was changed"),
            Err(error) => {
                failure.note(format!("some files were changed and could not be taken back: {}", reason(&error)))
            }
        })
    }

    /// Takes one step; returns whether there was an old file, which is then among the old ones.
    fn step(&self, step: &Step<'_>) -> io::Result<bool> {
        match step {
            Step::Replace(name) => {
                let (path, old) = (self.directory.join(name), self.old.join(name));
                let had_old = match fs::hard_link(&path, &old) {
                    Ok(()) => true,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                    // Not every file system has links.
                    Err(_) => fs::copy(&path, &old).map(|_| true)?,
                };
                fs::rename(self.new.join(name), path)?;
                Ok(had_old)
            }
            Step::Remove(name) => fs::rename(self.directory.join(name), self.old.join(name)).map(|()| true),
        }
    }
}

impl Drop for Swap<'_> {
    fn drop(&mut self) {
        // Leftovers do no harm, and the next run removes them.
        let _ = remove(&self.new);
        let _ = remove(&self.old);
    }
}

fn remove(directory: &Path) -> io::Result<()> {
    debug_assert!(directory.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(".wattle-")));
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
