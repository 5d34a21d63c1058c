//! Files that outlive a crash: whoever is told what is in one after it was written, finds it there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Puts `content` in the place of what is at `path`, as a whole or not at all, and returns when it is on the disk. `mode` is what
/// others may do with it from the first.
///
/// # Errors
/// When the file system refuses.
pub(super) fn write(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let new = path.with_extension("new");
    // One that was broken off may have left it with other rights.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
