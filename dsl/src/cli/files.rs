//! Writes files in such a way that a failure keeps the earlier ones.
//!
//! For the files of one directory, this module guarantees:
//!
//! - All of them are written before the first one takes its place. Until then, nothing that was there before is
//!   touched, whatever fails, even if the process is killed. (If the machine loses power, they may be lost: nothing
//!   waits for the disk, because everything can be emitted again.)
//! - Each file takes its place by a rename. At every moment a name leads either to the whole old file or to the whole
//!   new one.
//! - If a file cannot take its place, those that did are taken back, and the old files are there again.
//! - If the process is killed between the first rename and the last (a matter of milliseconds), some old files stand
//!   beside some new ones. The next run takes the new ones back before it does anything else. The file that was written
//!   last takes its place first, so write first what is read first.
//! - Two runs never mix: the second one waits.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::manners::reason;
use wattle_heat::emit::EmitError;

use crate::manners::{CommandError, Exit};

/// A file to be written.
pub(super) struct File<'a> {
    pub(super) name: String,
    /// A description of its content.
    pub(super) content: String,
    pub(super) write: WriteTo<'a>,
}

/// Writes a file's content to where it belongs.
pub(super) type WriteTo<'a> = Box<dyn FnOnce(&mut fs::File) -> Result<(), EmitError> + 'a>;

/// A file that was written.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) bytes: u64,
}

/// Lets `write` write files into `directory`, which is created if necessary, and removes the other files there that are
/// `ours`. Returns the written files in the order in which they took their places, and the names of the removed files.
pub(super) fn replace<'d>(
    directory: &'d Path,
    ours: impl Fn(&str) -> bool,
    write: impl FnOnce(&mut Swap<'d>) -> Result<(), CommandError>,
) -> Result<(Vec<Written>, Vec<String>), CommandError> {
    let cannot = |error: &io::Error| {
        let failure = CommandError::files(format!("cannot write to `{}`: {}", directory.display(), reason(error)));
        failure.note("nothing was changed").help("`--out DIR` chooses another folder")
    };
    fs::create_dir_all(directory).map_err(|error| cannot(&error))?;
    no_link(directory).map_err(|error| cannot(&error))?;
    let _lock = lock(directory).map_err(|error| cannot(&error))?;
    let mut swap = Swap::begin(directory, &ours).map_err(|error| cannot(&error))?;
    write(&mut swap)?;
    let mut written = std::mem::take(&mut swap.written);
    written.reverse();
    let is_stale = |name: &str| ours(name) && !written.iter().any(|file| file.name == name);
    let stale = files_of(directory, is_stale).map_err(|error| cannot(&error))?;
    swap.take_places(&written, &stale)?;
    Ok((written, stale))
}

/// Refuses a link where a folder is to be, because what is written below it would go elsewhere.
fn no_link(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_symlink() => Err(io::Error::other(format!("`{}` is a link", folder.display()))),
        _ => Ok(()),
    }
}

/// Keeps other runs out of `directory` for as long as the handle exists.
fn lock(directory: &Path) -> io::Result<fs::File> {
    let handle = fs::File::open(directory)?;
    match handle.lock() {
        // Some network file systems do not support locks.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(handle),
        done => done.map(|()| handle),
    }
}

/// The names of the files in `directory` that are `wanted`.
fn files_of(directory: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().filter(|name| wanted(name))
            && !entry.file_type()?.is_dir()
        {
            files.push(name.to_owned());
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// An exchange of files in progress. Its temporary files are gone when it ends.
pub(super) struct Swap<'d> {
    directory: &'d Path,
    written: Vec<Written>,
    /// The new files, until they take their places.
    new: PathBuf,
    /// All old files, while new ones take their places.
    old: PathBuf,
}

impl<'d> Swap<'d> {
    fn begin(directory: &'d Path, ours: impl Fn(&str) -> bool) -> io::Result<Self> {
        let written = Vec::new();
        let swap = Self { directory, written, new: directory.join(".wattle-new"), old: directory.join(".wattle-old") };
        // Both exist only while files take their places: the old files from the moment all of them are safe, the new ones
        // until each has its place.
        if swap.new.is_dir() && swap.old.is_dir() {
            for name in files_of(directory, |name| ours(name) && !swap.old.join(name).exists())? {
                fs::remove_file(directory.join(name))?;
            }
            for name in files_of(&swap.old, |_| true)? {
                fs::rename(swap.old.join(&name), directory.join(name))?;
            }
        }
        remove(&swap.new)?;
        remove(&swap.old)?;
        fs::create_dir(&swap.new)?;
        Ok(swap)
    }

    /// Writes a file, which takes its place later.
    pub(super) fn write(&mut self, file: File<'_>) -> Result<(), CommandError> {
        let File { name, content, write } = file;
        let path = self.directory.join(&name);
        let cannot = |error: &io::Error| {
            CommandError::files(format!("cannot write `{}`: {}", path.display(), reason(error)))
                .note("nothing was changed")
        };
        // The owner of the directory may have redirected its folders elsewhere.
        let folders = Path::new(&name).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        for folder in folders {
            no_link(&self.directory.join(folder)).map_err(|error| cannot(&error))?;
        }
        if path.is_dir() {
            return Err(cannot(&io::Error::other("there is a folder of that name")));
        }
        for folder in [&*self.new, self.directory].into_iter().filter(|_| name.contains('/')) {
            let folder = folder.join(&name);
            fs::create_dir_all(folder.parent().unwrap_or(&folder)).map_err(|error| cannot(&error))?;
        }
        let mut out = fs::File::create_new(self.new.join(&name)).map_err(|error| cannot(&error))?;
        // A file with restricted permissions keeps them.
        if let Ok(before) = fs::metadata(&path) {
            out.set_permissions(before.permissions()).map_err(|error| cannot(&error))?;
        }
        write(&mut out).map_err(|error| match error {
            EmitError::Write(error) => cannot(&error),
            EmitError::Value(why) => CommandError {
                exit: Exit::Failed,
                ..CommandError::usage(format!("`{}` cannot be emitted: {why}", path.display()))
                    .note("nothing was changed")
            },
        })?;
        let bytes = out.metadata().map_err(|error| cannot(&error))?.len();
        self.written.push(Written { name, content, bytes });
        Ok(())
    }

    /// Moves the new files to their places, and removes the stale ones.
    fn take_places(&self, new: &[Written], stale: &[String]) -> Result<(), CommandError> {
        let cannot = |name: &str, error: &io::Error| {
            let path = self.directory.join(name);
            CommandError::files(format!("cannot move `{}` into place: {}", path.display(), reason(error)))
        };
        let names = new.iter().map(|file| &file.name);
        for name in names.clone().chain(stale) {
            self.keep(name).map_err(|error| cannot(name, &error).note("nothing was changed"))?;
        }
        self.kept().map_err(|error| cannot("", &error).note("nothing was changed"))?;
        let replaced = names.clone().try_for_each(|name| {
            fs::rename(self.new.join(name), self.directory.join(name)).map_err(|error| (name, error))
        });
        let removed = replaced.and_then(|()| {
            stale.iter().try_for_each(|name| fs::remove_file(self.directory.join(name)).map_err(|error| (name, error)))
        });
        let Err((name, error)) = removed else {
            let _ = remove(&self.new);
            return Ok(());
        };
        Err(match self.take_back(names.chain(stale)) {
            Ok(()) => cannot(name, &error).note("nothing was changed"),
            Err(worse) => cannot(name, &error)
                .note(format!("some files were changed and could not be restored: {}", reason(&worse))),
        })
    }

    /// Keeps a copy of the old file of this name, if there is one, and leaves the file in place.
    fn keep(&self, name: &str) -> io::Result<()> {
        let (path, kept) = (self.directory.join(name), self.new.join(KEPT));
        let copy = kept.join(name);
        fs::create_dir_all(copy.parent().unwrap_or(&kept))?;
        match fs::hard_link(&path, &copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Not every file system supports links.
                fs::copy(&path, copy).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Records that all old files are kept. From here on, they can be restored.
    fn kept(&self) -> io::Result<()> {
        fs::create_dir_all(self.new.join(KEPT))?;
        fs::rename(self.new.join(KEPT), &self.old)
    }

    fn take_back<'n>(&self, names: impl Iterator<Item = &'n String>) -> io::Result<()> {
        for name in names {
            let path = self.directory.join(name);
            if self.old.join(name).exists() {
                fs::rename(self.old.join(name), path)?;
            } else if !self.new.join(name).exists() && path.exists() {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// The folder in which old files are kept until all of them are there.
const KEPT: &str = ".kept";

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
