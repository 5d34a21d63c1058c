//! The cache of images that take long to make: `wattle/images` in `$XDG_CACHE_HOME` (XDG Base Directory Specification).

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::local::error::UpError;
use crate::local::folder::remove;
use crate::own_folder;

/// How often to check whether another process has made an image.
const LOOK: Duration = Duration::from_millis(500);
/// How many times to try to remove an unfinished image.
const TRIES: u32 = 10;

/// The state of an image in the user's cache.
#[derive(Debug)]
pub(super) enum Place {
    /// It exists.
    Made(PathBuf),
    /// It has to be made.
    New(New),
}

impl Place {
    /// Looks up the image `name`. If it must be made, waits until no other process makes one; `say` is called if
    /// another does.
    pub(super) async fn of(name: &str, say: impl FnMut(&str)) -> Result<Self, UpError> {
        if let Some(image) = find(name)? {
            return Ok(Self::Made(image));
        }
        let cache = Cache::open(say).await?;
        // Another process may have made it in the meantime.
        match find(name)? {
            Some(image) => Ok(Self::Made(image)),
            None => cache.begin(name).map(Self::New),
        }
    }
}

/// Finds the image `name` if it exists.
fn find(name: &str) -> Result<Option<PathBuf>, UpError> {
    let path = folder()?.join(name);
    if !path.is_dir() {
        return Ok(None);
    }
    judge(&path)?;
    Ok(Some(path))
}

/// The cache, locked while an image is being made.
#[derive(Debug)]
struct Cache {
    folder: PathBuf,
    lock: File,
}

impl Cache {
    /// Waits until no other process makes an image. `say` is called if one does.
    async fn open(mut say: impl FnMut(&str)) -> Result<Self, UpError> {
        let folder = folder()?;
        let failed = || UpError::file(&folder);
        // The files of an image may be run by root, and may run with another user's rights: others have no access.
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed())?;
        judge(&folder)?;
        let lock = File::open(&folder).map_err(failed())?;
        let mut has_said = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { folder, lock }),
                Err(TryLockError::Error(error)) => return Err(failed()(error)),
                Err(TryLockError::WouldBlock) if has_said => {}
                Err(TryLockError::WouldBlock) => say("another `wattle up` makes an image; waiting for it"),
            }
            has_said = true;
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Creates an empty folder in which to make the image `name`.
    fn begin(self, name: &str) -> Result<New, UpError> {
        let new = self.folder.join(format!("{name}.new"));
        // Remains of a killed process.
        remove(&new).map_err(UpError::file(&new))?;
        DirBuilder::new().mode(0o755).create(&new).map_err(UpError::file(&new))?;
        Ok(New { image: self.folder.join(name), folder: new, _lock: self.lock })
    }
}

/// An image that is being made. If this is dropped before it is finished, everything is removed.
#[derive(Debug)]
pub(super) struct New {
    /// The final path.
    pub(super) image: PathBuf,
    /// The path while it is being made.
    pub(super) folder: PathBuf,
    /// Held while it is being made.
    _lock: File,
}

impl New {
    /// Moves the image to its final path, and returns that.
    pub(super) fn finish(self) -> Result<PathBuf, UpError> {
        fs::rename(&self.folder, &self.image).map_err(UpError::file(&self.image))?;
        Ok(self.image.clone())
    }
}

impl Drop for New {
    fn drop(&mut self) {
        // The process that made it was killed just now, and may write for another moment.
        for _ in 0..TRIES {
            if remove(&self.folder).is_ok() {
                return;
            }
            thread::sleep(LOOK / TRIES);
        }
    }
}

fn folder() -> Result<PathBuf, UpError> {
    let own = own_folder::cache().map_err(UpError::file("~/.cache"))?;
    Ok(own.join("images"))
}

fn judge(path: &Path) -> Result<(), UpError> {
    own_folder::judge(path).map_err(UpError::file(path))
}
