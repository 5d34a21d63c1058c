//! The user's own folder for what lasts: `wattle` in `$XDG_STATE_HOME` (XDG Base Directory Specification).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What others may never do with a folder or a key.
pub(crate) const WRITTEN_BY_OTHERS: u32 = 0o022;

/// Where it is.
///
/// # Errors
/// When this user has no home of their own.
pub(crate) fn path() -> io::Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = rustix::process::geteuid();
    let is_own = |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.uid() == user.as_raw());
    // Who becomes root may bring another user's home along.
    let home = || std::env::home_dir().filter(is_own).or_else(|| user.is_root().then(|| PathBuf::from("/root")));
    let state = set("XDG_STATE_HOME").or_else(|| home().map(|home| home.join(".local/state")));
    let nowhere =
        || io::Error::other("this user has no home of their own; set XDG_STATE_HOME to a folder of their own");
    state.map(|state| state.join("wattle")).ok_or_else(nowhere)
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
            "`{}` does not belong to this user alone; set XDG_STATE_HOME to a folder that does",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(())
}
