//! Reading files that a user names.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Most bytes of a file that is read: 256 MiB, more than any of ours has.
const MOST: u64 = 256 << 20;

/// Opens a file, and nothing that would keep us waiting for ever: a pipe, a socket or a device.
///
/// # Errors
/// What the system says, or what it is instead of a file.
pub fn open(path: &Path) -> io::Result<File> {
    must_end(path)?;
    File::open(path)
}

/// Refuses what is at `path`, if something is, unless it is a file or a directory: whoever opens a pipe, to read or to write, waits
/// for another one to do so.
///
/// # Errors
/// What the system says, or what it is instead of a file.
pub fn must_end(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() || found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other("it is a pipe, a socket or a device, and not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The text of a file, as [`open`] opens it, unless it has more than 256 MiB.
///
/// # Errors
/// What the system says, what it is instead of a file, or that it is too large.
pub fn read(path: &Path) -> io::Result<String> {
    text(read_bytes(path)?)
}

/// The text that bytes are.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`].
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// What a file holds, as [`open`] opens it, unless it has more than 256 MiB.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    whole(open(path)?)
}

/// All that an open file, or what the shell has opened in the place of one, holds, unless it has more than 256 MiB.
///
/// # Errors
/// As [`read`].
pub fn whole(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other("it has more than 256 MiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{must_end, read};
    use std::path::Path;

    #[test]
    fn what_never_ends_is_not_read() {
        for path in ["/dev/zero", "/dev/tty", "/dev/null"] {
            assert!(read(Path::new(path)).is_err(), "{path}");
            assert!(must_end(Path::new(path)).is_err(), "{path}");
        }
        assert!(must_end(Path::new("nothing")).is_ok());
        assert!(read(Path::new(env!("CARGO_MANIFEST_PATH"))).unwrap().contains("[package]"));
    }
}
