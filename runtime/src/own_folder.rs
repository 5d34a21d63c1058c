//! The user's own folders: `wattle` in `$XDG_STATE_HOME` for what lasts, and in `$XDG_CACHE_HOME` for what can be made
//! again (XDG Base Directory Specification).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What others may never do with a folder or a key.
pub(crate) const WRITTEN_BY_OTHERS: u32 = 0o022;

/// Where the one for what lasts is.
///
/// # Errors
/// When this user has no home of their own.
pub(crate) fn path() -> io::Result<PathBuf> {
    own("XDG_STATE_HOME", ".local/state")
}

/// Where the one for what can be made again is.
///
/// # Errors
/// When this user has no home of their own.
pub(crate) fn cache() -> io::Result<PathBuf> {
    own("XDG_CACHE_HOME", ".cache")
}

fn own(variable: &str, in_home: &str) -> io::Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = rustix::process::geteuid();
    let is_own = |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.uid() == user.as_raw());
    // Who becomes root may bring another user's home along.
    let home = || std::env::home_dir().filter(is_own).or_else(|| user.is_root().then(|| PathBuf::from("/root")));
    let folder = set(variable).or_else(|| home().map(|home| home.join(in_home)));
    let nowhere =
        || io::Error::other(format!("this user has no home of their own; set {variable} to a folder of their own"));
    folder.map(|folder| folder.join("wattle")).ok_or_else(nowhere)
}

/// Refuses what others than this user may have written.
///
/// # Errors
/// In words.
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
