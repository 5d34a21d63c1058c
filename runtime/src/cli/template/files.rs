//! The files that a template names, from the disk.

use std::io::{self, Read as _};
use std::path::Path;

use wattle::manners::{open, reason};
use wattle_heat::files::{Files, Missing};
use wattle_heat::yaml::BYTES;

/// Files by their paths, relative ones from the current directory on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        if path.contains("://") {
            return Err(Missing("what stands elsewhere is not fetched: save it beside the template".into()));
        }
        open(Path::new(path)).and_then(whole).map_err(|error| Missing(reason(&error)))
    }

    fn leads_out(&self, path: &str, folder: &str) -> bool {
        let folder = if folder.is_empty() { "." } else { folder };
        let really = |path: &str| std::fs::canonicalize(path).ok();
        really(path).zip(really(folder)).is_some_and(|(path, folder)| !path.starts_with(folder))
    }
}

/// All of a file, unless it is larger than any template.
pub(super) fn whole(file: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > BYTES {
        return Err(io::Error::other(format!("it has more than the {} MiB that can be read", BYTES >> 20)));
    }
    Ok(bytes)
}
