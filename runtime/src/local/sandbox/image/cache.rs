//! Where images that took time to make are kept: `wattle/images` in `$XDG_CACHE_HOME` (XDG Base Directory
//! Specification).

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::local::error::UpError;
use crate::own_folder;

/// How often to look whether another process has made an image.
const LOOK: Duration = Duration::from_millis(500);
/// How often to try to remove what is not finished.
const TRIES: u32 = 10;

/// The images of this user.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    /// Held while an image is made.
    _lock: File,
}

impl Cache {
    /// The image `name`, if it was made before.
    pub(super) fn find(name: &str) -> Result<Option<PathBuf>, UpError> {
        let path = folder()?.join(name);
        if !path.is_dir() {
            return Ok(None);
        }
        judge(&path)?;
        Ok(Some(path))
    }

    /// Waits until no other process makes an image. `say` is told if there is one.
    pub(super) async fn open(mut say: impl FnMut(&str)) -> Result<Self, UpError> {
        let folder = folder()?;
        let failed = || UpError::file(&folder);
        // What is in an image may be run by root, and may run with another user's rights: others do not get there.
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed())?;
        judge(&folder)?;
        let lock = File::open(&folder).map_err(failed())?;
        let mut has_said = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { folder, _lock: lock }),
                Err(TryLockError::Error(error)) => return Err(failed()(error)),
                Err(TryLockError::WouldBlock) if has_said => {}
                Err(TryLockError::WouldBlock) => say("another `wattle up` makes an image; waiting for it"),
            }
            has_said = true;
            tokio::time::sleep(LOOK).await;
        }
    }

    /// An empty folder in which to make the image `name`.
    pub(super) fn begin(&self, name: &str) -> Result<New, UpError> {
        let new = self.folder.join(format!("{name}.new"));
        // One whose maker was killed.
        forget(&new).map_err(UpError::file(&new))?;
        DirBuilder::new().mode(0o755).create(&new).map_err(UpError::file(&new))?;
        Ok(New { image: self.folder.join(name), folder: new })
    }
}

/// An image that is being made. Nothing of it stays if this is dropped before it is finished.
#[derive(Debug)]
pub(super) struct New {
    /// Where it will be.
    pub(super) image: PathBuf,
    /// Where it is made.
    pub(super) folder: PathBuf,
}

impl New {
    /// Puts it in its place, which is returned.
    pub(super) fn finish(self) -> Result<PathBuf, UpError> {
        fs::rename(&self.folder, &self.image).map_err(UpError::file(&self.image))?;
        Ok(self.image.clone())
    }
}

impl Drop for New {
    fn drop(&mut self) {
        // Whoever makes it was killed just now, and may write for another moment.
        for _ in 0..TRIES {
            if forget(&self.folder).is_ok() {
                return;
            }
            thread::sleep(LOOK / TRIES);
        }
    }
}

/// Removes an image, or a part of one.
fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn folder() -> Result<PathBuf, UpError> {
    let own = own_folder::cache().map_err(UpError::file("~/.cache"))?;
    Ok(own.join("images"))
}

fn judge(path: &Path) -> Result<(), UpError> {
    own_folder::judge(path).map_err(UpError::file(path))
}
