//! Records which `up` has created networks here. So the networks of a killed one can be removed later, and what all of
//! them share is removed with the last one.
//!
//! ```text
//! /run/wattle/BOOT-NETWORK/     of this boot, and of the network namespace that `up` itself is in
//! lock                          held while any of this is read or changed
//! TAG                           of one `up`, which holds it while it lives
//! forwarding                    the interfaces that were made to forward, one a line
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::local::error::UpError;
use crate::lock;

use super::forwarding;

const FOLDER: &str = "/run/wattle";
const LOCK: &str = "lock";
const FORWARDING: &str = "forwarding";

/// The register, locked for as long as this value lives.
#[derive(Debug)]
pub(super) struct Register {
    folder: PathBuf,
    _lock: File,
}

impl Register {
    /// Waits for the lock of the register.
    pub(super) fn open() -> Result<Self, UpError> {
        let folder = folder().map_err(UpError::file(FOLDER))?;
        let path = folder.join(LOCK);
        loop {
            fs::create_dir_all(&folder).map_err(UpError::file(&folder))?;
            match Self::lock(&path) {
                Ok(Some(lock)) => return Ok(Self { folder, _lock: lock }),
                // The last user has removed it in the meantime.
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(UpError::file(path)(error)),
            }
        }
    }

    fn lock(path: &Path) -> io::Result<Option<File>> {
        let file = lock::open(path)?;
        file.lock()?;
        let is_still_there =
            fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|own| own.ino() == now.ino()));
        Ok(is_still_there.then_some(file))
    }

    /// Whether any `up` has registered since the machine booted, and has not left.
    pub(super) fn is_in_use() -> bool {
        folder().is_ok_and(|folder| folder.exists())
    }

    /// Registers an `up`, for as long as the result lives.
    pub(super) fn enter(&self, tag: &str) -> Result<File, UpError> {
        let path = self.folder.join(tag);
        let entry = lock::open(&path).map_err(UpError::file(&path))?;
        match entry.try_lock() {
            Ok(()) => Ok(entry),
            Err(TryLockError::WouldBlock) => Err(super::tools::refuse("another `up` of it still has its networks")),
            Err(TryLockError::Error(error)) => Err(UpError::file(path)(error)),
        }
    }

    /// Removes everything that belongs to a killed `up`.
    pub(super) fn sweep(&self, remove: impl Fn(&str)) {
        for tag in self.tags() {
            let is_left = File::open(self.folder.join(&tag)).is_ok_and(|entry| entry.try_lock().is_ok());
            if is_left {
                remove(&tag);
                self.leave(&tag);
            }
        }
    }

    /// Removes the entry of an `up` that no longer has anything here.
    pub(super) fn leave(&self, tag: &str) {
        let _ = fs::remove_file(self.folder.join(tag));
        if self.tags().is_empty() {
            forwarding::restore(&self.forwarding());
            let _ = fs::remove_file(self.folder.join(FORWARDING));
        }
    }

    /// The interfaces for which forwarding was enabled.
    pub(super) fn forwarding(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join(FORWARDING)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Records the interfaces for which forwarding is enabled.
    pub(super) fn set_forwarding(&self, interfaces: &[String]) -> Result<(), UpError> {
        let path = self.folder.join(FORWARDING);
        fs::write(&path, interfaces.join("\n")).map_err(UpError::file(path))
    }

    fn tags(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name != LOCK && name != FORWARDING).collect()
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        if self.tags().is_empty() {
            let _ = fs::remove_file(self.folder.join(LOCK));
            let _ = fs::remove_dir(&self.folder);
            let _ = fs::remove_dir(FOLDER);
        }
    }
}

fn folder() -> io::Result<PathBuf> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let network = fs::metadata("/proc/self/ns/net")?.ino();
    Ok(Path::new(FOLDER).join(format!("{}-{network}", boot.get(..8).unwrap_or_default())))
}
