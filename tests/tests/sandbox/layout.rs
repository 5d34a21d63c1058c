//! Images in OCI image layouts, created here from a small part of the lab's root file system.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wattle_tests::running::{Ran, Stage};
use wattle_tests::sandbox::image;

use crate::refused::{assert_refused, harmless};
use crate::{assert_gone, model};

/// Copies the files that these tests' recipes and the program `wattle` need.
const FILES: &str = "cd \"$1\" && cp -aL --parents usr/bin/dash usr/bin/cat usr/bin/rm usr/bin/mkdir usr/bin/sleep \
    usr/bin/setsid usr/bin/touch usr/lib/*-linux-gnu/libc.so.6 usr/lib/*-linux-gnu/libm.so.6 \
    usr/lib/*-linux-gnu/libgcc_s.so.1 usr/lib*/ld-linux* usr/lib/*-linux-gnu/ld-linux* \"$2\" 2>/dev/null; \
    test -e \"$2/usr/bin/dash\"";

pub(crate) fn shell(script: &str, args: &[&Path]) {
    let ran = Command::new("sh").args(["-c", script, "sh"]).args(args).output().expect("starts");
    assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// An image layout under construction.
pub(crate) struct Layout {
    folder: PathBuf,
}

impl Layout {
    /// Creates two layers: the second one removes some files of the first.
    pub(crate) fn new(stage: &Stage, root: &Path) -> (Self, Vec<Value>) {
        let place = stage.path();
        let [first, second] = ["first", "second"].map(|name| place.join(name));
        fs::create_dir_all(first.join("usr/local/bin")).expect("a folder");
        shell(FILES, &[root, &first]);
        for name in ["bin", "lib", "lib64"] {
            fs::create_dir_all(first.join("usr").join(name)).expect("a folder");
            symlink(format!("usr/{name}"), first.join(name)).expect("a link");
        }
        symlink("dash", first.join("usr/bin/sh")).expect("a link");
        for (path, text) in
            [("etc/debian_version", "12"), ("etc/wattle-trespassed", "below"), ("opt/old/a", ""), ("opt/old/b", "")]
        {
            fs::create_dir_all(first.join(path).parent().expect("a folder")).expect("a folder");
            fs::write(first.join(path), text).expect("writes");
        }
        // Without the first whiteout, the recipe would find its own traces.
        for path in ["etc/.wh.wattle-trespassed", "opt/old/.wh..wh..opq", "opt/old/new"] {
            fs::create_dir_all(second.join(path).parent().expect("a folder")).expect("a folder");
            fs::write(second.join(path), "").expect("writes");
        }
        let layout = Self { folder: place.join("layout") };
        fs::create_dir_all(layout.folder.join("blobs/sha256")).expect("a folder");
        fs::write(layout.folder.join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#).expect("writes");
        let layers = [(&first, "-cf", "tar"), (&second, "-czf", "tar+gzip")].map(|(from, option, form)| {
            let archive = place.join("layer");
            shell(&format!("tar {option} \"$2\" -C \"$1\" ."), &[from, &archive]);
            let media_type = format!("application/vnd.oci.image.layer.v1.{form}");
            layout.blob(&media_type, &fs::read(archive).expect("reads"))
        });
        (layout, layers.to_vec())
    }

    /// Adds a blob, and returns its descriptor.
    pub(crate) fn blob(&self, media_type: &str, content: &[u8]) -> Value {
        let digest: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(self.folder.join("blobs/sha256").join(&digest), content).expect("writes");
        json!({ "mediaType": media_type, "digest": format!("sha256:{digest}"), "size": content.len() })
    }

    /// Writes an index with one image.
    pub(crate) fn index(&self, architecture: &str, layers: &[Value]) {
        let config = json!({ "architecture": architecture, "os": "linux", "rootfs": { "type": "layers" } });
        let config = self.blob("application/vnd.oci.image.config.v1+json", config.to_string().as_bytes());
        let manifest = json!({ "schemaVersion": 2, "config": config, "layers": layers });
        let manifest = self.blob("application/vnd.oci.image.manifest.v1+json", manifest.to_string().as_bytes());
        let index = json!({ "schemaVersion": 2, "manifests": [manifest] });
        fs::write(self.folder.join("index.json"), index.to_string()).expect("writes");
    }

    pub(crate) fn up(&self, stage: &Stage) -> Ran {
        stage.run(&["up", &format!("--sandbox={}", self.folder.display()), "--detach", "--until-done"])
    }
}

pub(crate) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// A stage with its own cache.
pub(crate) fn stage(model: &wattle::model::Model) -> Stage {
    let stage = Stage::new(model);
    let cache = stage.path().join("cache").display().to_string();
    stage.with("XDG_CACHE_HOME", cache)
}

#[test]
fn an_image_of_layers_is_unpacked_once() {
    let Some(root) = image() else { return };
    let stage = stage(&model());
    let (layout, layers) = Layout::new(&stage, root);
    layout.index(architecture(), &layers);
    let up = layout.up(&stage);
    assert_eq!(up.code, Some(0), "{up}");
    assert!(up.err.contains("unpacking the image of `"), "{up}");
    assert_eq!(stage.ask(&["get", "b/trespass/said"]).out, "two on b after one on a\n");
    let images = stage.path().join("cache/wattle/images");
    let images: Vec<PathBuf> = fs::read_dir(images).expect("reads").flatten().map(|entry| entry.path()).collect();
    let [image] = &images[..] else { panic!("{images:?}") };
    let old: Vec<_> =
        fs::read_dir(image.join("opt/old")).expect("reads").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(old, ["new"], "what is opaque hides what is below");
    assert_eq!(stage.run(&["down"]).code, Some(0));
    assert_gone(&stage);

    // Once the image is cached, its layers are no longer needed.
    fs::remove_dir_all(layout.folder.join("blobs")).expect("removes");
    let up = layout.up(&stage);
    assert_eq!(up.code, Some(0), "{up}");
    assert!(!up.err.contains("unpacking"), "{up}");
    assert_eq!(stage.run(&["down"]).code, Some(0));
    assert_gone(&stage);
}

#[test]
fn what_is_wrong_with_an_image_is_said() {
    let Some(root) = image() else { return };
    let stage = stage(&harmless());
    let (layout, layers) = Layout::new(&stage, root);
    let refused = |layers: &[Value], parts: &[&str]| {
        layout.index(architecture(), layers);
        assert_refused(&layout.up(&stage), &[&["the OCI image layout `", "layout` cannot be used"], parts].concat());
    };
    layout.index("pdp11", &layers);
    assert_refused(&layout.up(&stage), &["it is for linux/pdp11, and this machine is linux/"]);
    fs::write(layout.folder.join("index.json"), "{").expect("writes");
    assert_refused(&layout.up(&stage), &["`index.json`: EOF"]);
    fs::write(layout.folder.join("index.json"), r#"{"manifests": []}"#).expect("writes");
    assert_refused(&layout.up(&stage), &["its index names no image"]);

    let zstd = layout.blob("application/vnd.oci.image.layer.v1.tar+zstd", b"x");
    refused(&[zstd], &["tar+zstd`, which wattle cannot unpack"]);
    refused(&[json!({ "mediaType": "x", "digest": "sha256:../../x", "size": 1 })], &["is not a SHA-256 digest"]);
    refused(&layers[1..], &["it has no `bin/sh`"]);

    // A damaged layer.
    layout.index(architecture(), &layers);
    let digest = layers[1]["digest"].as_str().expect("text").trim_start_matches("sha256:");
    let blob = layout.folder.join("blobs/sha256").join(digest);
    let mut content = fs::read(&blob).expect("reads");
    content[20] ^= 1;
    fs::write(&blob, content).expect("writes");
    assert_refused(&layout.up(&stage), &["is damaged: its content has the digest sha256:"]);
    let left: Vec<_> = fs::read_dir(stage.path().join("cache/wattle/images")).expect("reads").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
