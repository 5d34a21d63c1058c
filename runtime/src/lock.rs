//! Files that only one process has locked.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for a lock that another process has.
///
/// A process that is killed while it starts another one leaves its locks to that one until it executes its program:
/// only then are its files closed. On a busy machine that takes some tenths of a second, in which a killed process may
/// have been started again.
const PATIENCE: Duration = Duration::from_secs(3);

/// What others may do with a file that is locked: nothing.
pub(crate) const ALONE: u32 = 0o600;

/// How often is looked whether it has become free.
const LOOK: Duration = Duration::from_millis(10);

/// Opens the file at `path` to lock it, and makes it if it is not there: for this user alone, because anyone who can
/// open a file, even only to read, can lock it, and so keep everyone else from it forever.
///
/// # Errors
/// If the file system refuses.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).append(true).mode(ALONE).open(path)?;
    // Former versions let all others open it.
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(ALONE))?;
    }
    Ok(file)
}

/// Locks `file` for as long as it is open, and says whether it could: not if another process keeps it. Blocks while it
/// finds out.
///
/// # Errors
/// If the file system does not lock.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => sleep(LOOK),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_can_lock_it() {
        let folder = tempfile::tempdir().unwrap();
        let [fresh, former] = ["fresh", "former"].map(|name| folder.path().join(name));
        File::create(&former).unwrap().set_permissions(Permissions::from_mode(0o644)).unwrap();
        for path in [fresh, former] {
            let mode = open(&path).unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, ALONE, "{path:?}");
        }
    }

    fn two() -> [File; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        [(); 2].map(|()| File::create(&path).unwrap())
    }

    #[test]
    fn what_is_kept_for_a_moment_only_is_waited_for() {
        let [before, after] = two();
        assert!(lock(&before).unwrap());
        let killed = std::thread::spawn(move || {
            sleep(Duration::from_millis(300));
            drop(before);
        });
        assert!(lock(&after).unwrap());
        killed.join().unwrap();
    }

    #[test]
    fn what_is_kept_is_not_had() {
        let [one, other] = two();
        assert!(lock(&one).unwrap());
        assert!(!lock(&other).unwrap());
    }
}
