//! Determines which folders and files belong to `wattle space`.
//!
//! The folder's content is trusted: its authority, its keys, and whom they are for. So the folder must be one that this
//! user created with `wattle space new`, which its mark proves in the same way as for the state of an `up`. Of its
//! files, only those count that were recorded when they were created.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use serde::{Deserialize, Serialize};
use wattle::manners::{self, reason};
use wattle::model::json;
use wattle::shown;

use crate::cli::args;
use crate::cli::error::CommandError;
use crate::ensemble::MEMBERS;
use crate::local::{self, Folder, Lock, NotOurs};
use crate::own_folder;
use crate::seed::write_secret;

use super::folder::{Home, KEY, LOG, member};

/// The file that records what was created.
const MADE: &str = "made.json";

/// The other files that identify the owner and lock others out. They are not recorded.
const MARKS: [&str; 3] = ["mark", "mark.new", "lock"];

/// All files that may be recorded, besides the members'.
const NAMES: [&str; 7] = ["address", "ca.key", "ca.pem", "ground.json", KEY, LOG, "space.log.new"];

/// The record of what was created.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Made {
    /// Files of the folder that exist or were about to be written.
    files: BTreeSet<String>,
    /// The prefix of the names of all its resources in the cloud, as long as any may exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cloud: Option<String>,
}

/// The option that declares the folder to be the user's own.
pub(super) fn argument() -> Arg {
    args::flag("mine", "Accept a folder that was copied or restored: it is mine")
}

/// The names of all files that may be created.
fn names() -> impl Iterator<Item = String> {
    NAMES.into_iter().map(str::to_owned).chain((1..=MEMBERS).map(member))
}

impl Home {
    /// Refuses a folder that this user's `wattle space new` did not create, before trusting its content. A folder that
    /// does not exist or is empty is fine.
    pub(super) fn judge(&self, matches: &ArgMatches) -> Result<(), CommandError> {
        let is_said = matches.try_get_one::<bool>("mine").ok().flatten() == Some(&true);
        self.judge_as(is_said)?;
        if is_said {
            local::mark(&self.as_folder())?;
        }
        Ok(())
    }

    /// Like [`Self::judge`], for a folder that no option declares to be the user's own.
    pub(super) fn judge_unsaid(&self) -> Result<(), CommandError> {
        self.judge_as(false)
    }

    fn judge_as(&self, is_said: bool) -> Result<(), CommandError> {
        let (folder, refused) = (self.as_folder(), |why| self.refused(&why));
        if is_said { folder.judge_files() } else { folder.judge() }.map_err(refused)?;
        judge_file(&self.file(MADE)).map_err(refused)?;
        let made = self.made()?;
        if is_said && made.is_none() {
            return Err(self.is_none());
        }
        for name in names() {
            let is_there = judge_file(&self.file(&name)).map_err(refused)?;
            let is_made = made.as_ref().is_none_or(|made| made.files.contains(&name));
            if is_there && !is_made {
                return Err(self.not_made(&self.file(&name)));
            }
        }
        match made {
            Some(_) => Ok(()),
            None => self.judge_empty(),
        }
    }

    /// Refuses a folder that contains anything other than the initial files.
    fn judge_empty(&self) -> Result<(), CommandError> {
        let entries = match fs::read_dir(self.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| self.unreadable(&error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| self.unreadable(&error))?;
            if !MARKS.iter().chain(&[KEY]).any(|name| entry.file_name() == *name) {
                return Err(self.refused(&NotOurs::NoMark(self.path().to_owned())));
            }
        }
        Ok(())
    }

    /// Locks others out for as long as the result lives, and marks the folder as this user's. Creates the folder if it
    /// does not exist.
    pub(super) fn claim(&self) -> Result<Lock, CommandError> {
        let folder = self.as_folder();
        let lock = folder.lock().map_err(|error| self.unreadable(&error))?;
        let lock = lock.ok_or_else(|| {
            CommandError::new(format!("another `wattle space` is running in `{}`", self.path().display()))
                .help("wait until it has ended")
        })?;
        // Another process may have been faster.
        self.judge_as(false)?;
        local::mark(&folder)?;
        self.note(KEY)?;
        Ok(lock)
    }

    /// The record; `None` if there is none.
    pub(super) fn made(&self) -> Result<Option<Made>, CommandError> {
        let file = self.file(MADE);
        let text = match manners::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| {
                CommandError::files(format!("cannot read `{}`: {}", file.display(), reason(&error)))
            })?,
        };
        let unreadable = |error| CommandError::files(format!("`{}`: {error}", file.display()));
        json::read(text.as_bytes()).map(Some).map_err(unreadable)
    }

    /// Records that a file is about to be created.
    pub(super) fn note(&self, name: &str) -> Result<(), CommandError> {
        let mut made = self.made()?.unwrap_or_default();
        if made.files.insert(name.to_owned()) { self.write_made(&made) } else { Ok(()) }
    }

    /// Records the prefix of resources in the cloud, or that none exist any longer.
    pub(super) fn note_cloud(&self, cloud: Option<String>) -> Result<(), CommandError> {
        let mut made = self.made()?.unwrap_or_default();
        made.cloud = cloud;
        self.write_made(&made)
    }

    fn write_made(&self, made: &Made) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(made).expect("INVARIANT: it is plain data");
        write_secret(&self.file(MADE), &format!("{text}\n")).map_err(|error| CommandError::files(error.to_string()))
    }

    /// Removes everything that was created. Returns whether anything else remains.
    pub(super) fn remove(&self) -> Result<bool, CommandError> {
        // If this process is killed here, the next one has nothing to look for in the cloud.
        self.note_cloud(None)?;
        let made = self.made()?.unwrap_or_default();
        // As long as the key exists, its mark is valid.
        let files = names().filter(|name| name != KEY && made.files.contains(name));
        let marks = [MADE, KEY].into_iter().chain(MARKS).map(str::to_owned);
        for name in files.chain(marks) {
            let file = self.file(&name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(CommandError::files(format!("cannot remove `{}`: {}", file.display(), reason(&error))));
                }
                _ => {}
            }
        }
        // The current directory cannot be removed, and is empty now.
        let _ = fs::remove_dir(self.path());
        Ok(fs::read_dir(self.path()).is_ok_and(|mut rest| rest.next().is_some()))
    }

    fn as_folder(&self) -> Folder {
        Folder::at(self.path(), self.path())
    }

    fn unreadable(&self, error: &io::Error) -> CommandError {
        CommandError::files(format!("cannot use `{}`: {}", self.path().display(), reason(error)))
    }

    /// The error that it is not the folder of a data space.
    pub(super) fn is_none(&self) -> CommandError {
        CommandError::usage(format!("`{}` is not the folder of a data space", self.path().display()))
            .help("name the one that `wattle space new` made: `wattle space destroy FOLDER`")
    }

    fn not_made(&self, file: &Path) -> CommandError {
        CommandError::usage(format!("`{}` was not made by `wattle space new`", file.display()))
            .note("it would be mistaken for a file of the data space, and deleted with it")
            .help(format!("move it out of `{}`", self.path().display()))
    }

    /// The error about an untrusted folder, with advice.
    fn refused(&self, why: &NotOurs) -> CommandError {
        let another = "name a new folder, or an empty one: `wattle space new FOLDER`";
        let shown = |path: &PathBuf| path.display().to_string();
        match why {
            NotOurs::Link(path) if path == self.path() => CommandError::usage(format!("`{}` is a link", shown(path)))
                .note("anyone who can change where it leads could choose which authority is trusted")
                .help("name the folder itself: `wattle space new FOLDER`"),
            NotOurs::Link(path) => CommandError::usage(format!("`{}` is a link", shown(path)))
                .note("`wattle space new` makes no links")
                .help("put the file itself in its place, or make a new data space in another folder"),
            NotOurs::OtherUser(path) => CommandError::usage(format!("`{}` belongs to another user", shown(path)))
                .note("its keys and its authority would be mistaken for your own")
                .help(format!("run the command as that user, or {another}")),
            NotOurs::Open(path) => CommandError::usage(format!("`{}` can be changed by other users", shown(path)))
                .note("they could choose which authority is trusted")
                .help(format!(
                    "check that it is still what you made, and remove their access: `chmod go-w {}`",
                    shown::path(shown(path))
                )),
            NotOurs::OtherKind(path) => CommandError::usage(format!(
                "`{}` is of a different kind than what `wattle space new` makes",
                shown(path)
            ))
            .help(another),
            NotOurs::NoMark(path) => {
                let failure = CommandError::usage(format!(
                    "`{}` was not made here by `wattle space new` of this user",
                    shown(path)
                ))
                .note("its keys and its authority would be mistaken for your own, and deleted with it")
                .help(another);
                let is_copy = self.file(MADE).exists();
                failure.help_if(is_copy.then(|| {
                    format!(
                        "if it is yours (copied or restored), say so: `wattle space new {} --mine`",
                        shown::path(self.path().display())
                    )
                }))
            }
            NotOurs::Unknown { .. } => CommandError::usage(why.to_string()),
        }
    }
}

/// Refuses a file that anyone other than this user may have written. Returns whether it exists.
fn judge_file(file: &Path) -> Result<bool, NotOurs> {
    let data = match fs::symlink_metadata(file) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        data => data.map_err(|error| NotOurs::Unknown { path: file.to_owned(), why: reason(&error) })?,
    };
    let path = file.to_owned();
    match own_folder::judge(file) {
        Ok(()) if data.is_file() => Ok(true),
        Ok(()) => Err(NotOurs::OtherKind(path)),
        Err(_) if data.is_symlink() => Err(NotOurs::Link(path)),
        Err(_) if data.uid() != rustix::process::geteuid().as_raw() => Err(NotOurs::OtherUser(path)),
        Err(_) => Err(NotOurs::Open(path)),
    }
}
