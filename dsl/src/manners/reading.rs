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
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::other("it is a pipe, a socket or a device, and not a file"));
    }
    File::open(path)
}

/// The text of a file, as [`open`] opens it, unless it has more than 256 MiB.
///
/// # Errors
/// What the system says, what it is instead of a file, or that it is too large.
pub fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::other("it has more than 256 MiB"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::path::Path;

    #[test]
    fn what_never_ends_is_not_read() {
        for path in ["/dev/zero", "/dev/tty", "/dev/null"] {
            assert!(read(Path::new(path)).is_err(), "{path}");
        }
        assert!(read(Path::new(env!("CARGO_MANIFEST_PATH"))).unwrap().contains("[package]"));
    }
}
