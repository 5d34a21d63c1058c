//! Unix sockets at paths of any length.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use tokio::net::{UnixListener, UnixStream};

use crate::peer;

/// The length that fits into `sockaddr_un.sun_path` with its terminating zero.
const LONGEST: usize = 107;

/// A path to the same socket that is short enough, and a file that must stay open while the path is used.
fn shorten(path: &Path) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    if path.as_os_str().len() <= LONGEST {
        return Ok((path.to_owned(), None));
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let folder = rustix::fs::open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    if short.as_os_str().len() > LONGEST {
        let error = format!("a socket's file name cannot have {} bytes; use a shorter one", name.len());
        return Err(io::Error::new(io::ErrorKind::InvalidFilename, error));
    }
    Ok((short, Some(folder)))
}

/// Connects to a socket that belongs to this user or root.
pub(super) async fn connect(path: &Path) -> io::Result<UnixStream> {
    let (short, _folder) = shorten(path)?;
    let stream = UnixStream::connect(short).await?;
    peer::check(&stream, path)?;
    Ok(stream)
}

pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
    let (short, _folder) = shorten(path)?;
    UnixListener::bind(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_paths() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d".repeat(200)).join("e".repeat(200));
        std::fs::create_dir_all(&deep).unwrap();
        let path = deep.join("socket");
        let listener = bind(&path).unwrap();
        let (connected, accepted) = tokio::join!(connect(&path), listener.accept());
        connected.unwrap();
        accepted.unwrap();
        let error = connect(&deep.join("s".repeat(100))).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
        assert!(error.to_string().contains("shorter"), "{error}");
    }
}
