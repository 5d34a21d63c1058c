//! What tells the state that `up` of this user made from one that was handed over.
//!
//! A state holds keys, values, addresses and folders that `up` goes on with, and whoever hands over a directory can put all of
//! that there. Owner and mode do not tell: who unpacks an archive owns what was in it. So each state carries a mark: a keyed
//! digest over the folder itself and its operator's key. What it is keyed with lies in the user's own folder,
//! `$XDG_STATE_HOME/wattle`. A copy is another folder, and so is one that is unpacked in the place of another.

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

/// The file of the mark, in a state.
const MARK: &str = "mark";

/// The file of what marks are made with, in the user's own folder.
const SECRET: &str = "up.key";

/// What may lie in a folder that is to become a state: a call that was broken off leaves it.
const FRESH: [&str; 5] = ["lock", ".gitignore", "servers", MARK, "mark.new"];

/// Why what lies in a folder is not taken for the state of an `up` of this user.
#[derive(Debug, thiserror::Error)]
pub enum NotOurs {
    /// Something leads elsewhere.
    #[error("`{}` is a link", .0.display())]
    Link(PathBuf),
    /// Something is a pipe, or a folder where a file should be.
    #[error("`{}` is not of the kind that `wattle up` makes", .0.display())]
    OtherKind(PathBuf),
    /// Something is not this user's.
    #[error("`{}` belongs to another user", .0.display())]
    OtherUser(PathBuf),
    /// Others can change it.
    #[error("`{}` can be changed by other users", .0.display())]
    Open(PathBuf),
    /// There is no mark of this user, or one of another folder or key.
    #[error("`{}` was not made here by `wattle up` of this user", .0.display())]
    NoMark(PathBuf),
    /// It cannot be found out.
    #[error("cannot tell whose `{}` is: {why}", path.display())]
    Unknown {
        /// What.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl NotOurs {
    fn unknown(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Unknown { path: path.to_owned(), why: reason(&error) }
    }
}

impl Folder {
    /// Refuses what `up` of this user did not make, before anything of it is believed. What is not there, or has nothing in it
    /// yet, is fine.
    ///
    /// # Errors
    /// What it is.
    pub fn judge(&self) -> Result<(), NotOurs> {
        self.judge_files()?;
        if self.is_fresh()? || self.has_mark()? { Ok(()) } else { Err(NotOurs::NoMark(self.state().to_owned())) }
    }

    /// Refuses files that cannot be of `up` of this user: who says that a state is theirs does not know of those.
    ///
    /// # Errors
    /// Which.
    pub fn judge_files(&self) -> Result<(), NotOurs> {
        judge(self.state(), Kind::Folder)?;
        for name in FILES.iter().chain(&[".gitignore"]) {
            judge(&self.state().join(name), Kind::of(name))?;
        }
        let servers = self.state().join("servers");
        judge(&servers, Kind::Folder)?;
        for server in entries(&servers)? {
            judge(&server, Kind::Folder)?;
            for path in entries(&server)? {
                // Services write there, as users of their own.
                let is_services = path.file_name().is_some_and(|name| name == "state");
                judge(&path, if is_services { Kind::OfServices } else { Kind::Any })?;
            }
            for path in entries(&server.join("agent"))? {
                judge(&path, Kind::Any)?;
            }
        }
        Ok(())
    }

    /// Says that the state is this user's. Whoever calls it holds the lock, and has judged it, or was told so. `key` is the operator's.
    ///
    /// # Errors
    /// When the file system refuses.
    pub(super) fn mark(&self, key: &[u8]) -> io::Result<()> {
        let mark = mark(self.state(), key, &secret()?)?;
        write_whole(&self.state().join(MARK), format!("{}\n", wattle_agent_core::hex(mark.as_ref())).as_bytes(), 0o600)
    }

    /// Whether there is nothing in it that anybody could believe.
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
        // One that cannot be read is no reason to believe it.
        let Ok(Some(key)) = read_operator_key(&self.operator_key()) else { return Ok(false) };
        let secret = secret().map_err(NotOurs::unknown(self.state()))?;
        let mark = mark(self.state(), key.expose().as_bytes(), &secret).map_err(NotOurs::unknown(self.state()))?;
        Ok(text.trim_ascii_end() == wattle_agent_core::hex(mark.as_ref()))
    }
}

/// What is expected of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Socket,
    OfServices,
    Any,
}

impl Kind {
    fn of(name: &str) -> Self {
        if name == "space.sock" { Self::Socket } else { Self::File }
    }
}

fn judge(path: &Path, kind: Kind) -> Result<(), NotOurs> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        data => data.map_err(NotOurs::unknown(path))?,
    };
    let path = || path.to_owned();
    let is_other = match kind {
        Kind::Socket => false,
        Kind::Folder | Kind::OfServices => !data.is_dir(),
        Kind::File => !data.is_file(),
        Kind::Any => !data.is_dir() && !data.is_file() && !is_socket(&data),
    };
    match () {
        () if data.is_symlink() => Err(NotOurs::Link(path())),
        () if kind == Kind::OfServices && !is_other => Ok(()),
        () if data.uid() != rustix::process::geteuid().as_raw() => Err(NotOurs::OtherUser(path())),
        () if data.is_dir() && data.mode() & WRITTEN_BY_OTHERS != 0 => Err(NotOurs::Open(path())),
        // A mask of the user's may let their own group write what holds no secret.
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

/// The mark of a folder with an operator's key in it.
fn mark(state: &Path, key: &[u8], secret: &[u8]) -> io::Result<hmac::Tag> {
    let data = fs::symlink_metadata(state)?;
    // The number of a folder that was removed may be that of the next one. Not all file systems know when one was made.
    let made = data.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret));
    context.update(b"wattle up\0");
    context.update(&data.ino().to_be_bytes());
    context.update(&made.as_nanos().to_be_bytes());
    context.update(key);
    Ok(context.sign())
}

/// What marks are made with, made if there is none yet.
fn secret() -> io::Result<Vec<u8>> {
    let place = own_folder::path()?;
    let secret = place.join(SECRET);
    if !secret.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        // Of two that make it at once, the first one's counts.
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
