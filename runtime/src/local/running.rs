//! The topologies that this user has running on this machine, wherever they were started.
//!
//! Each `up` writes a file with its folder, named after its process, to `$XDG_RUNTIME_DIR/wattle`, or otherwise to
//! `/tmp/wattle-UID`. The folder's lock shows whether it is still up, because the file of a killed `up` persists.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder::{Folder, write_whole};

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    directory: PathBuf,
    state: PathBuf,
}

/// Makes a topology discoverable by this user for as long as this value lives.
#[derive(Debug)]
pub struct Announced(PathBuf);

impl Drop for Announced {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Announces that this process runs `folder`.
///
/// # Errors
/// There is no folder that belongs to this user.
pub fn announce(folder: &Folder) -> io::Result<Announced> {
    let place = place();
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
    if !is_ours(&place) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let entry =
        Entry { directory: std::path::absolute(folder.directory())?, state: std::path::absolute(folder.state())? };
    let path = place.join(std::process::id().to_string());
    write_whole(&path, &serde_json::to_vec(&entry)?, 0o600)?;
    Ok(Announced(path))
}

/// Removes the announcement of an `up` of `folder` that was killed.
pub fn forget(folder: &Folder) {
    let place = place();
    if !is_ours(&place) {
        return;
    }
    let Ok(state) = std::path::absolute(folder.state()) else { return };
    for file in fs::read_dir(&place).into_iter().flatten().flatten() {
        let has_ended = !Path::new("/proc").join(file.file_name()).exists();
        if has_ended && entry(&file).is_some_and(|entry| entry.state == state) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// The folders of all running and killed topologies.
pub fn announced() -> Vec<Folder> {
    let place = place();
    if !is_ours(&place) {
        return Vec::new();
    }
    let entries = fs::read_dir(&place).into_iter().flatten().flatten().filter_map(|file| entry(&file));
    let folders = entries.map(|entry| Folder::at(&entry.directory, &entry.state));
    let mut found: Vec<Folder> = folders.filter(|folder| folder.state().is_dir()).collect();
    found.sort_by(|a, b| a.state().cmp(b.state()));
    found.dedup();
    found
}

fn entry(file: &fs::DirEntry) -> Option<Entry> {
    serde_json::from_slice(&fs::read(file.path()).ok()?).ok()
}

fn place() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|place| !place.is_empty()) {
        Some(place) => PathBuf::from(place).join("wattle"),
        None => std::env::temp_dir().join(format!("wattle-{}", rustix::process::getuid().as_raw())),
    }
}

/// Whether a folder belongs to this user and is not a link: anyone can create one in `/tmp`.
fn is_ours(place: &Path) -> bool {
    fs::symlink_metadata(place)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == rustix::process::getuid().as_raw())
}
