//! Reads files named by a user.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The largest size of a file that is read, in bytes: 256 MiB, more than any of our own files.
const MOST: u64 = 256 << 20;

/// Opens a file. Refuses anything that could block forever: a pipe, a socket or a device.
///
/// # Errors
/// The system's error, or the kind of what is there if it is not a file.
pub fn open(path: &Path) -> io::Result<File> {
    must_end(path)?;
    File::open(path)
}

/// Refuses anything at `path` that is not a file or a directory. Opening a pipe, to read or to write, waits until another
/// process opens it as well.
///
/// # Errors
/// The system's error, or the kind of what is there if it is not a file.
pub fn must_end(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() || found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other("it is a pipe, a socket or a device, not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the text of a file of at most 256 MiB. It is opened as [`open`] does.
///
/// # Errors
/// The system's error, the kind of what is there if it is not a file, or that it is too large.
pub fn read(path: &Path) -> io::Result<String> {
    text(read_bytes(path)?)
}

/// Returns bytes as text.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if they are not text.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Returns the content of a file of at most 256 MiB. It is opened as [`open`] does.
///
/// # Errors
/// The same as [`read`].
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    whole(open(path)?)
}

/// Returns the whole content, at most 256 MiB, of an open file or of a stream that the shell has opened in its place.
///
/// # Errors
/// The same as [`read`].
pub fn whole(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other("it is larger than 256 MiB"));
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
