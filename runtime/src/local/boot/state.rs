//! The location of the servers' folders: below a given folder, or below one that is removed with the cloud.
//!
//! ```text
//! lock               held while the cloud is there
//! servers/ID/        one server: agent.log, identity.json, metadata/, agent/ (its journal), WATTLE_STATE_DIR as state/
//! ```

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::local::error::UpError;
use crate::local::folder::{Folder, Lock};
use crate::local::processes;
use crate::own_folder::WRITTEN_BY_OTHERS;

/// The names in such a folder.
const KNOWN: [&str; 3] = ["lock", "servers", ".gitignore"];

/// A folder that no other process uses for as long as this value lives.
#[derive(Debug)]
pub(super) struct Place {
    folder: Folder,
    is_temporary: bool,
    _lock: Lock,
}

impl Place {
    /// Uses the given folder. Ends and deletes what an earlier cloud has left there.
    pub(super) async fn at(state: &Path) -> Result<Self, UpError> {
        let failed = |error| UpError::file(state)(error);
        judge(state).map_err(failed)?;
        let others = || -> io::Result<bool> {
            let mut found = match fs::read_dir(state) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                found => found?,
            };
            Ok(found.any(|entry| entry.is_ok_and(|entry| !KNOWN.iter().any(|name| entry.file_name() == *name))))
        };
        if others().map_err(failed)? {
            return Err(failed(io::Error::other("it contains something else; name an empty folder")));
        }
        let place = Self::take(state, false).map_err(failed)?;
        let place = place.ok_or_else(|| failed(io::Error::other("another `wattle cloud` uses it")))?;
        end_and_delete(&place.folder).await.map_err(failed)?;
        Ok(place)
    }

    /// Creates a folder that is removed by [`Place::leave`]. Removes folders of killed clouds, and ends what still runs
    /// there.
    pub(super) async fn temporary() -> Result<Self, UpError> {
        let user = rustix::process::geteuid().as_raw();
        let top = std::env::temp_dir().join(format!("wattle-cloud-{user}"));
        let failed = |error| UpError::file(&top)(error);
        DirBuilder::new().recursive(true).mode(0o755).create(&top).map_err(failed)?;
        judge(&top).map_err(failed)?;
        for entry in fs::read_dir(&top).map_err(failed)?.flatten() {
            // A folder that is being created has no lock yet, and one that is in use belongs to another cloud.
            let path = entry.path();
            if path.join("lock").exists()
                && let Ok(Some(place)) = Self::take(&path, true)
            {
                end_and_delete(&place.folder).await.map_err(failed)?;
                place.leave();
            }
        }
        // It belongs to no other process, because the number is this process's. A leftover with the same number has
        // been removed.
        let place = Self::take(&top.join(std::process::id().to_string()), true).map_err(failed)?;
        place.ok_or_else(|| failed(io::ErrorKind::AlreadyExists.into()))
    }

    fn take(state: &Path, is_temporary: bool) -> io::Result<Option<Self>> {
        let folder = Folder::at(state, state);
        folder.create()?;
        judge(state)?;
        Ok(folder.lock()?.map(|lock| Self { folder, is_temporary, _lock: lock }))
    }

    /// The parent of all servers' folders.
    pub(super) fn servers(&self) -> PathBuf {
        self.folder.servers()
    }

    /// Removes the folder, unless it was given.
    pub(super) fn leave(self) {
        if self.is_temporary {
            let _ = fs::remove_dir_all(self.folder.state());
        }
    }
}

/// Refuses a folder that others can change, because its contents are executed.
fn judge(path: &Path) -> io::Result<()> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        data => data?,
    };
    let is_own = data.uid() == rustix::process::geteuid().as_raw();
    if data.is_dir() && is_own && data.mode() & WRITTEN_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a folder that only this user can change"))
}

async fn end_and_delete(folder: &Folder) -> io::Result<()> {
    let servers = folder.servers();
    processes::end_left_behind(&servers).await;
    for entry in fs::read_dir(&servers)?.flatten() {
        fs::remove_dir_all(entry.path())?;
    }
    Ok(())
}
