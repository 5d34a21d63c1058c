//! The files that a template names, read from the disk.

use std::io::{self, Read as _};
use std::path::Path;

use wattle::cli::{is_reserved, is_reserved_file};
use wattle::manners::{open, reason};
use wattle_heat::files::{Files, Missing};
use wattle_heat::yaml::BYTES;

/// Reads files by their paths. Relative paths start at the current directory.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        if path.contains("://") {
            return Err(Missing("files from elsewhere are not fetched: save it beside the template".into()));
        }
        // A file that itself has a reserved name is refused by the code that copies it, with a message of its own.
        if !is_reserved(path) && is_reserved_file(Path::new(path)) {
            return Err(Missing(
                "it leads to a key, or to the state of `wattle up`, which a template must not contain".into(),
            ));
        }
        open(Path::new(path)).and_then(whole).map_err(|error| Missing(reason(&error)))
    }

    fn exists(&self, path: &str) -> bool {
        !path.contains("://") && Path::new(path).exists()
    }

    fn leads_out(&self, path: &str, folder: &str) -> bool {
        wattle::cli::leads_out(Path::new(path), Path::new(folder))
    }
}

/// Reads a file completely, unless it is larger than any template.
pub(super) fn whole(file: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > BYTES {
        return Err(io::Error::other(format!("it has more than the {} MiB that can be read", BYTES >> 20)));
    }
    Ok(bytes)
}
