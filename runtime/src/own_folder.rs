//! The user's own folders: `wattle` in `$XDG_STATE_HOME` for persistent data, and in `$XDG_CACHE_HOME` for data that
//! can be regenerated (XDG Base Directory Specification).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The mode bits that give others write access.
pub(crate) const WRITTEN_BY_OTHERS: u32 = 0o022;

/// Returns the folder for persistent data.
///
/// # Errors
/// This user has no home directory of their own.
pub(crate) fn path() -> io::Result<PathBuf> {
    own("XDG_STATE_HOME", ".local/state")
}

/// Returns the folder for data that can be regenerated.
///
/// # Errors
/// This user has no home directory of their own.
pub(crate) fn cache() -> io::Result<PathBuf> {
    own("XDG_CACHE_HOME", ".cache")
}

fn own(variable: &str, in_home: &str) -> io::Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = rustix::process::geteuid();
    let is_own = |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.uid() == user.as_raw());
    // After becoming root, `$HOME` may still be another user's.
    let home = || std::env::home_dir().filter(is_own).or_else(|| user.is_root().then(|| PathBuf::from("/root")));
    let folder = set(variable).or_else(|| home().map(|home| home.join(in_home)));
    let nowhere =
        || io::Error::other(format!("this user has no home of their own; set {variable} to a folder of their own"));
    folder.map(|folder| folder.join("wattle")).ok_or_else(nowhere)
}

/// Refuses a file or folder that others may have written.
///
/// # Errors
/// The reason, as a message.
pub(crate) fn judge(path: &Path) -> io::Result<()> {
    let data = fs::symlink_metadata(path)?;
    let is_own = data.uid() == rustix::process::geteuid().as_raw();
    if data.is_symlink() || !is_own || data.mode() & WRITTEN_BY_OTHERS != 0 {
        let why = format!(
            "`{}` does not belong to this user alone; set XDG_STATE_HOME (or XDG_CACHE_HOME, for what is cached) to a \
             folder that does",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(())
}
