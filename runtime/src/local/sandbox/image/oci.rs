//! Images in the format of the Open Container Initiative: an image layout, whose layers become one folder
//! (image-layout.md, manifest.md and descriptor.md of the OCI Image Format Specification, 1.1).

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use wattle::manners::reason;

use crate::local::error::UpError;
use crate::local::sandbox::refuse;

use super::cache::Place;
use super::layer;

/// The maximum size of an index, a manifest or a configuration, in bytes.
const DOCUMENT: u64 = 4 << 20;
/// How deeply indices may be nested.
const DEPTH: usize = 4;

/// A reference to a blob, by its content.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: String,
    digest: String,
    size: u64,
    #[serde(default)]
    platform: Option<Platform>,
}

#[derive(Clone, Debug, Deserialize)]
struct Platform {
    architecture: String,
    os: String,
}

#[derive(Debug, Deserialize)]
struct Index {
    manifests: Vec<Descriptor>,
}

#[derive(Debug, Deserialize)]
struct Manifest {
    config: Descriptor,
    layers: Vec<Descriptor>,
}

/// Returns the image in the layout at `path`, unpacking it if necessary.
pub(super) async fn ready(path: &Path, mut say: impl FnMut(&str)) -> Result<PathBuf, UpError> {
    let failed = |why: String| {
        refuse(
            format!("the OCI image layout `{}` cannot be used: {why}", path.display()),
            "`skopeo copy docker://IMAGE oci:FOLDER` makes a layout of an image for this machine",
        )
    };
    let layout = Layout { path };
    let manifest = layout.manifest().map_err(failed)?;
    let name = format!("oci-{}", hex(&manifest.digest).map_err(failed)?);
    let new = match Place::of(&name, &mut say).await? {
        Place::Made(image) => return Ok(image),
        Place::New(new) => new,
    };
    say(&format!("unpacking the image of `{}` into {}, once", path.display(), new.image.display()));
    layout.unpack(&manifest, &new.folder).map_err(failed)?;
    new.finish()
}

struct Layout<'a> {
    path: &'a Path,
}

impl Layout<'_> {
    /// The manifest for this machine.
    fn manifest(&self) -> Result<Descriptor, String> {
        let path = self.path.join("index.json");
        let text = File::open(&path).and_then(|file| io::read_to_string(file.take(DOCUMENT)));
        let text = text.map_err(|error| format!("`index.json`: {}", reason(&error)))?;
        let index: Index = serde_json::from_str(&text).map_err(|error| format!("`index.json`: {error}"))?;
        let mut found = Vec::new();
        let mut others = Vec::new();
        self.collect(index, DEPTH, &mut found, &mut others)?;
        match (found.len(), others.is_empty()) {
            (1, _) => Ok(found.remove(0)),
            (0, true) => Err("its index names no image".into()),
            (0, false) => Err(for_others(&others.join(", "))),
            (many, _) => Err(format!("it has {many} images for this machine; keep one")),
        }
    }

    fn collect(
        &self,
        index: Index,
        depth: usize,
        found: &mut Vec<Descriptor>,
        others: &mut Vec<String>,
    ) -> Result<(), String> {
        for descriptor in index.manifests {
            let is_index = ["image.index", "manifest.list"].iter().any(|kind| descriptor.media_type.contains(kind));
            if is_index && depth > 0 {
                let inner: Index = self.document(&descriptor)?;
                self.collect(inner, depth - 1, found, others)?;
            } else if let Some(platform) = descriptor.platform.as_ref().filter(|platform| !platform.fits()) {
                others.push(platform.to_string());
            } else {
                found.push(descriptor);
            }
        }
        Ok(())
    }

    /// Unpacks all layers, one over the other.
    fn unpack(&self, manifest: &Descriptor, root: &Path) -> Result<(), String> {
        let manifest: Manifest = self.document(manifest)?;
        let platform: Platform = self.document(&manifest.config)?;
        if !platform.fits() {
            return Err(for_others(&platform.to_string()));
        }
        for layer in &manifest.layers {
            let path = self.blob(layer)?;
            let failed = |error: io::Error| format!("the layer {}: {}", layer.digest, reason(&error));
            let form = layer::Form::of(&layer.media_type).ok_or_else(|| {
                format!("the layer {} is of the type `{}`, which wattle cannot unpack", layer.digest, layer.media_type)
            })?;
            layer::apply(form, &path, root).map_err(failed)?;
        }
        if root.join("bin/sh").symlink_metadata().is_err() {
            return Err("it has no `bin/sh`, which recipes need".into());
        }
        Ok(())
    }

    /// Reads a small blob.
    fn document<T: DeserializeOwned>(&self, descriptor: &Descriptor) -> Result<T, String> {
        if descriptor.size > DOCUMENT {
            return Err(format!("{} has {} bytes, which is too much", descriptor.digest, descriptor.size));
        }
        let text =
            fs::read(self.blob(descriptor)?).map_err(|error| format!("{}: {}", descriptor.digest, reason(&error)))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", descriptor.digest))
    }

    /// The file of a blob, with verified digest and size.
    fn blob(&self, descriptor: &Descriptor) -> Result<PathBuf, String> {
        let digest = &descriptor.digest;
        let hex = hex(digest)?;
        let path = self.path.join("blobs/sha256").join(hex);
        let failed = |error: io::Error| format!("the blob {digest}: {}", reason(&error));
        let mut file = File::open(&path).map_err(failed)?;
        let (mut hasher, mut buffer, mut size) = (Sha256::new(), vec![0; 1 << 16], 0_u64);
        loop {
            let read = file.read(&mut buffer).map_err(failed)?;
            if read == 0 {
                break;
            }
            size += read as u64;
            hasher.update(&buffer[..read]);
        }
        let found = wattle_agent_core::hex(&hasher.finalize());
        if found != hex || size != descriptor.size {
            return Err(format!(
                "the blob {digest} is damaged: its content has the digest sha256:{found} and {size} bytes"
            ));
        }
        Ok(path)
    }
}

/// The hexadecimal part of a digest, which is also the file name.
fn hex(digest: &str) -> Result<&str, String> {
    let number = digest.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
    let is_hex = |hex: &&str| hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    number.filter(is_hex).ok_or_else(|| format!("`{digest}` is not a SHA-256 digest"))
}

fn for_others(platforms: &str) -> String {
    format!("it is for {platforms}, and this machine is linux/{}", architecture())
}

impl Platform {
    fn fits(&self) -> bool {
        self.os == "linux" && self.architecture == architecture()
    }
}

impl std::fmt::Display for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)
    }
}

/// This machine's architecture, as Go names it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        "loongarch64" => "loong64",
        "powerpc64" if cfg!(target_endian = "little") => "ppc64le",
        "powerpc64" => "ppc64",
        other => other,
    }
}
