//! The initial file system of servers: a folder with a root file system, an OCI image layout, or Debian as made by
//! debootstrap. New images are kept in the user's cache, complete or not at all.

mod apt;
mod cache;
mod debian;
mod layer;
mod oci;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use wattle::manners::reason;

use crate::local::error::UpError;

use super::refuse;
use super::tools::Tools;

/// A requested image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// Debian, as on this machine if it runs Debian.
    Debian,
    /// A folder with a root file system, or with an OCI image layout.
    At(PathBuf),
}

impl Image {
    /// Returns the folder with the image. If that takes long, `say` is called with the reason.
    ///
    /// # Errors
    /// There is no image, or this machine lacks something that sandboxes need.
    pub async fn ready(&self, say: impl FnMut(&str)) -> Result<PathBuf, UpError> {
        // An image is useless where no sandbox is possible.
        let tools = Tools::find()?;
        match self {
            Self::Debian => debian::ready(&tools, say).await,
            Self::At(path) => match kind(path)? {
                ImageKind::Root => std::path::absolute(path).map_err(UpError::file(path)),
                ImageKind::Layout => oci::ready(path, say).await,
            },
        }
    }
}

enum ImageKind {
    Root,
    Layout,
}

/// Determines the kind of image at `path`.
fn kind(path: &Path) -> Result<ImageKind, UpError> {
    let help = "`--sandbox=PATH` takes a folder with a root file system, or one with an OCI image layout, as \
                `skopeo copy docker://IMAGE oci:FOLDER` makes it; `--sandbox` alone makes an image of Debian";
    let shown = path.display();
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(refuse(format!("there is no image `{shown}`"), help)),
        Err(error) => Err(refuse(format!("cannot use the image `{shown}`: {}", reason(&error)), help)),
        Ok(data) if !data.is_dir() => Err(refuse(format!("the image `{shown}` is not a folder"), help)),
        Ok(_) if path.join("oci-layout").is_file() => Ok(ImageKind::Layout),
        // A link there, such as to /bin/busybox, must be followed in the image only.
        Ok(_) if path.join("bin/sh").symlink_metadata().is_ok() => Ok(ImageKind::Root),
        Ok(_) => Err(refuse(
            format!(
                "`{shown}` is not an image: it is neither a root file system, which would have `bin/sh`, nor an OCI image \
                 layout, which would have `oci-layout`"
            ),
            help,
        )),
    }
}
