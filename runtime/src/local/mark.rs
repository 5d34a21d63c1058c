//! Distinguishes a state that this user's `up` created from one that someone else provided.
//!
//! A state holds keys, values, addresses and folders that `up` trusts, all of which the author of a directory could
//! have planted. Owner and mode do not help, because a user who unpacks an archive owns its contents. So each state
//! carries a mark: a keyed digest over the folder itself and its operator's key. The digest's key is in the user's own
//! folder, `$XDG_STATE_HOME/wattle`. A copy is another folder, and so is one that is unpacked in place of another.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use aws_lc_rs::hmac;
use wattle::manners::{read, read_bytes, reason};

use crate::own_folder::{self, WRITTEN_BY_OTHERS};
use crate::seed::read_operator_key;

use super::folder::{Folder, write_whole};
use super::made::FILES;

/// The file of the mark in a state.
const MARK: &str = "mark";

/// The file of the digest's key, in the user's own folder.
const SECRET: &str = "up.key";

/// The possible contents of a folder that is to become a state, left by an interrupted call.
const FRESH: [&str; 5] = ["lock", ".gitignore", "servers", MARK, "mark.new"];

/// Why a folder's contents are not accepted as the state of this user's `up`.
#[derive(Debug, thiserror::Error)]
pub enum NotOurs {
    /// A path is a link.
    #[error("`{}` is a link", .0.display())]
    Link(PathBuf),
    /// A path is a pipe, or a folder where a file should be.
    #[error("`{}` is not a file or folder that `wattle up` creates", .0.display())]
    OtherKind(PathBuf),
    /// A path does not belong to this user.
    #[error("`{}` belongs to another user", .0.display())]
    OtherUser(PathBuf),
    /// Others can change a path.
    #[error("`{}` can be changed by other users", .0.display())]
    Open(PathBuf),
    /// There is no mark of this user, or it is for another folder or key.
    #[error("`{}` was not made here by `wattle up` of this user", .0.display())]
    NoMark(PathBuf),
    /// The check failed.
    #[error("cannot determine who owns `{}`: {why}", path.display())]
    Unknown {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

impl NotOurs {
    fn unknown(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Unknown { path: path.to_owned(), why: reason(&error) }
    }
}

impl Folder {
    /// Refuses anything that this user's `up` did not create, before trusting it. A missing or empty folder is fine.
    ///
    /// # Errors
    /// The first violation.
    pub fn judge(&self) -> Result<(), NotOurs> {
        self.judge_files()?;
        if self.is_fresh()? || self.has_mark()? { Ok(()) } else { Err(NotOurs::NoMark(self.state().to_owned())) }
    }

    /// Refuses files that this user's `up` cannot have created. A user who declares a state as theirs may be unaware of
    /// these.
    ///
    /// # Errors
    /// The first such file.
    pub fn judge_files(&self) -> Result<(), NotOurs> {
        judge(self.state(), PathKind::Folder)?;
        for name in FILES.iter().chain(&[".gitignore"]) {
            judge(&self.state().join(name), PathKind::of(name))?;
        }
        let servers = self.state().join("servers");
        judge(&servers, PathKind::Folder)?;
        // The contents belong to the servers, which have many users.
        judge(&self.state().join("disks"), PathKind::Folder)?;
        for server in entries(&servers)? {
            judge(&server, PathKind::Folder)?;
            for path in entries(&server)? {
                // Services write there, as users of their own.
                let is_services = path.file_name().is_some_and(|name| name == "state");
                judge(&path, if is_services { PathKind::OfServices } else { PathKind::Any })?;
            }
            for path in entries(&server.join("agent"))? {
                judge(&path, PathKind::Any)?;
            }
        }
        Ok(())
    }

    /// Marks the state as this user's. The caller must hold the lock, and must have checked the state, or the user must
    /// have declared it as theirs. `key` is the operator's.
    ///
    /// # Errors
    /// The file system refuses access.
    pub(super) fn mark(&self, key: &[u8]) -> io::Result<()> {
        let mark = mark(self.state(), key, &secret()?)?;
        write_whole(&self.state().join(MARK), format!("{}\n", wattle_agent_core::hex(mark.as_ref())).as_bytes(), 0o600)
    }

    /// Whether it contains nothing that could be trusted.
    fn is_fresh(&self) -> Result<bool, NotOurs> {
        let found = entries(self.state())?;
        let is_known = |path: &PathBuf| FRESH.iter().any(|name| path.file_name().is_some_and(|found| found == *name));
        Ok(found.iter().all(is_known) && entries(&self.state().join("servers"))?.is_empty())
    }

    fn has_mark(&self) -> Result<bool, NotOurs> {
        let file = self.state().join(MARK);
        let text = match read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            text => text.map_err(NotOurs::unknown(&file))?,
        };
        // An unreadable key is no reason for trust.
        let Ok(Some(key)) = read_operator_key(&self.operator_key()) else { return Ok(false) };
        let secret = secret().map_err(NotOurs::unknown(self.state()))?;
        let mark = mark(self.state(), key.expose().as_bytes(), &secret).map_err(NotOurs::unknown(self.state()))?;
        Ok(text.trim_ascii_end() == wattle_agent_core::hex(mark.as_ref()))
    }
}

/// The expected kind of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Folder,
    File,
    Socket,
    OfServices,
    Any,
}

impl PathKind {
    fn of(name: &str) -> Self {
        if name == "space.sock" { Self::Socket } else { Self::File }
    }
}

fn judge(path: &Path, kind: PathKind) -> Result<(), NotOurs> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        data => data.map_err(NotOurs::unknown(path))?,
    };
    let path = || path.to_owned();
    let is_other = match kind {
        PathKind::Socket => false,
        PathKind::Folder | PathKind::OfServices => !data.is_dir(),
        PathKind::File => !data.is_file(),
        PathKind::Any => !data.is_dir() && !data.is_file() && !is_socket(&data),
    };
    match () {
        () if data.is_symlink() => Err(NotOurs::Link(path())),
        () if kind == PathKind::OfServices && !is_other => Ok(()),
        () if data.uid() != rustix::process::geteuid().as_raw() => Err(NotOurs::OtherUser(path())),
        () if data.is_dir() && data.mode() & WRITTEN_BY_OTHERS != 0 => Err(NotOurs::Open(path())),
        // The user's umask may allow their own group to write files without secrets.
        () if data.is_file() && data.mode() & 0o002 != 0 => Err(NotOurs::Open(path())),
        () if is_other => Err(NotOurs::OtherKind(path())),
        () => Ok(()),
    }
}

fn is_socket(data: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&data.file_type())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, NotOurs> {
    let failed = NotOurs::unknown(folder);
    let found = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        found => found.map_err(&failed)?,
    };
    found.map(|entry| entry.map(|entry| entry.path()).map_err(&failed)).collect()
}

/// The mark of a folder that contains this operator's key.
fn mark(state: &Path, key: &[u8], secret: &[u8]) -> io::Result<hmac::Tag> {
    let data = fs::symlink_metadata(state)?;
    // The inode number of a removed folder may be reused for the next one. Not all file systems record the creation
    // time.
    let made = data.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret));
    context.update(b"wattle up\0");
    context.update(&data.ino().to_be_bytes());
    context.update(&made.as_nanos().to_be_bytes());
    context.update(key);
    Ok(context.sign())
}

/// Returns the key for marks, creating it if it does not exist.
fn secret() -> io::Result<Vec<u8>> {
    let place = own_folder::path()?;
    let secret = place.join(SECRET);
    if !secret.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        // If two processes create it at the same time, the first one wins.
        let own = place.join(format!("{SECRET}.{}", std::process::id()));
        write_whole(&own, wattle_agent_core::hex(&bytes).as_bytes(), 0o600)?;
        let linked = fs::hard_link(&own, &secret);
        fs::remove_file(&own)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    for path in [&place, &secret] {
        own_folder::judge(path)?;
    }
    read_bytes(&secret)
}
