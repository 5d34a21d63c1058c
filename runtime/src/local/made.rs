//! Identifies the process and the files in a folder that belong to `up` itself.
//!
//! A directory from someone else may contain something that looks like the state of an `up`. So no process is signalled
//! and nothing is deleted merely because a file says so.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::process::Pid;
use wattle::manners::reason;

use super::folder::{Folder, IGNORE};
use super::{processes, sandbox};

/// The files of a state.
pub(super) const FILES: [&str; 15] = [
    "lock",
    "mark",
    "mark.new",
    "up.json",
    "up.json.new",
    "operator.key",
    "operator.key.new",
    "credentials.yaml",
    "credentials.yaml.new",
    "secrets.json",
    "secrets.json.new",
    "up.log",
    "space",
    "space.new",
    "space.sock",
];

impl Folder {
    /// Returns the process that runs it.
    ///
    /// # Errors
    /// It is not recorded, or the recorded ID belongs to another user or another process.
    pub fn keeper(&self) -> Result<Pid, String> {
        let file = self.state().join("up.json");
        self.judge().map_err(|why| why.to_string())?;
        let record = self.record().map_err(|error| format!("`{}`: {}", file.display(), reason(&error)))?;
        let record = record.ok_or_else(|| format!("there is no `{}`", file.display()))?;
        let (number, began) = (i32::try_from(record.pid).unwrap_or(0), record.began);
        let user = rustix::process::geteuid().as_raw();
        let is_it = processes::of(number).is_some_and(|process| Some(process.began) == began)
            && fs::metadata(format!("/proc/{number}")).is_ok_and(|process| process.uid() == user);
        match Pid::from_raw(number) {
            Some(pid) if is_it && number > 1 => Ok(pid),
            _ => Err(format!("process {number}, which `{}` names, is not the one that wrote it", file.display())),
        }
    }

    /// Deletes the files that `up` created. Returns whether anything else remains.
    ///
    /// # Errors
    /// It is not the state of an `up`, or cannot be deleted.
    pub fn delete(&self) -> Result<bool, String> {
        self.judge().map_err(|why| why.to_string())?;
        let file = self.state().join("up.json");
        self.record().map_err(|error| format!("`{}` was not written by `up`: {}", file.display(), reason(&error)))?;
        let failed = |error: io::Error| format!("cannot delete `{}`: {}", self.state().display(), reason(&error));
        sandbox::clear(self);
        let servers = self.state().join("servers");
        // Links are not followed.
        if fs::symlink_metadata(&servers).is_ok_and(|data| data.is_dir()) {
            for entry in fs::read_dir(&servers).map_err(failed)?.flatten() {
                if is_server(&entry.path()) {
                    fs::remove_dir_all(entry.path()).map_err(failed)?;
                }
            }
            let _ = fs::remove_dir(servers);
        }
        for name in FILES {
            match fs::remove_file(self.state().join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
        }
        let ignore = self.state().join(".gitignore");
        if fs::read_to_string(&ignore).is_ok_and(|text| text == IGNORE) {
            fs::remove_file(ignore).map_err(failed)?;
        }
        // A folder given to `up` as its state may have other purposes as well.
        match fs::remove_dir(self.state()) {
            Ok(()) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(true),
            Err(error) => Err(failed(error)),
        }
    }
}

/// Whether it is the folder of a server, which contains the server's identity.
fn is_server(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
        && fs::symlink_metadata(path.join("identity.json")).is_ok_and(|data| data.is_file())
}
