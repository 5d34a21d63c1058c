//! A layer of an image: an archive of the files that it adds to the layers below it, and of those that it removes
//! (layer.md of the OCI Image Format Specification).

use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

/// The prefix of an entry's name that removes the file with the rest of that name.
const WHITEOUT: &[u8] = b".wh.";
/// The name of an entry that hides everything that the layers below have in its folder.
const OPAQUE: &[u8] = b".wh..wh..opq";

/// The format of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As an archive.
    Tar,
    /// As a compressed archive.
    Gzip,
}

impl Form {
    /// The format of layers with a media type, if it is known.
    pub(super) fn of(media_type: &str) -> Option<Self> {
        match media_type {
            "application/vnd.oci.image.layer.v1.tar" | "application/vnd.oci.image.layer.nondistributable.v1.tar" => {
                Some(Self::Tar)
            }
            "application/vnd.oci.image.layer.v1.tar+gzip"
            | "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip"
            | "application/vnd.docker.image.rootfs.diff.tar.gzip" => Some(Self::Gzip),
            _ => None,
        }
    }

    fn open(self, path: &Path) -> io::Result<Archive<Box<dyn Read>>> {
        let file = BufReader::new(File::open(path)?);
        Ok(Archive::new(match self {
            Self::Tar => Box::new(file),
            Self::Gzip => Box::new(MultiGzDecoder::new(file)),
        }))
    }
}

/// Applies the layer in the file `path` to the folder `root`.
pub(super) fn apply(form: Form, path: &Path, root: &Path) -> io::Result<()> {
    let root = root.canonicalize()?;
    // A layer never removes its own files, wherever in the archive the removal is.
    for entry in form.open(path)?.entries()? {
        let name = entry?.path()?.into_owned();
        let Some(mark) = name.file_name().map(OsStrExt::as_bytes).filter(|name| name.starts_with(WHITEOUT)) else {
            continue;
        };
        let Some(folder) = folder(&root, &name)? else { continue };
        if mark == OPAQUE {
            for below in fs::read_dir(folder)? {
                remove(&below?.path())?;
            }
        } else {
            let taken = Path::new(OsStr::from_bytes(&mark[WHITEOUT.len()..]));
            // The name is neither `..` nor empty.
            if taken.file_name().is_none() {
                return Err(io::Error::other(format!("`{}` removes nothing", name.display())));
            }
            remove(&folder.join(taken))?;
        }
    }
    let mut archive = form.open(path)?;
    archive.set_preserve_permissions(true);
    archive.set_preserve_ownerships(true);
    archive.set_unpack_xattrs(true);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        let is_mark = name.file_name().is_some_and(|name| name.as_bytes().starts_with(WHITEOUT));
        // A sandbox has devices of its own.
        let is_device = matches!(entry.header().entry_type(), EntryType::Block | EntryType::Char | EntryType::Fifo);
        if is_mark || is_device {
            continue;
        }
        if let (Some(folder), Some(last)) = (folder(&root, &name)?, name.file_name()) {
            let there = folder.join(last);
            let is_folder = entry.header().entry_type().is_dir();
            // A hard link cannot replace anything.
            if fs::symlink_metadata(&there).is_ok_and(|data| !(data.is_dir() && is_folder)) {
                remove(&there)?;
            }
        }
        if !entry.unpack_in(&root).map_err(with_reasons)? {
            return Err(io::Error::other(format!("`{}` leads out of the image", name.display())));
        }
    }
    Ok(())
}

/// The folder of the archive's path `name` in `root`, if it exists.
fn folder(root: &Path, name: &Path) -> io::Result<Option<PathBuf>> {
    let outside = || io::Error::other(format!("`{}` leads out of the image", name.display()));
    let parts = name.parent().into_iter().flat_map(Path::components);
    let mut path = root.to_owned();
    for part in parts {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    // Follow links in the layers below.
    match path.canonicalize() {
        Ok(path) if path.starts_with(root) => Ok(Some(path).filter(|path| path.is_dir())),
        Ok(_) => Err(outside()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An error of `tar` says what cannot be unpacked, and only its sources give the reason.
fn with_reasons(error: io::Error) -> io::Error {
    let sources = iter::successors(error.source(), |&source| source.source());
    io::Error::other(sources.fold(error.to_string(), |all, source| format!("{all}: {source}")))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
