//! Lock files, each held by one process at a time.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for a lock held by another process.
///
/// A process that is killed while it starts a child leaves its locks to that child until the child executes its
/// program, which closes the files. On a busy machine that takes some tenths of a second, and the killed process may
/// have been restarted by then.
const PATIENCE: Duration = Duration::from_secs(3);

/// The mode of lock files: others have no access.
pub(crate) const ALONE: u32 = 0o600;

/// How often to check whether the lock has become free.
const LOOK: Duration = Duration::from_millis(10);

/// Opens the lock file at `path`, creating it if necessary. Only this user has access: anyone who can open a file, even
/// for reading, can lock it, and so keep everyone else out forever.
///
/// # Errors
/// The file system refuses access.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).append(true).mode(ALONE).open(path)?;
    // Former versions let everyone open it.
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(ALONE))?;
    }
    Ok(file)
}

/// Locks `file` for as long as it is open. Returns whether that succeeded: it does not if another process keeps the
/// lock. Blocks while it waits.
///
/// # Errors
/// The file system does not support locks.
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
