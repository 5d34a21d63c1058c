//! Layers that lead out of their image, by names and by links, and layers that only replace lower content.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wattle_tests::running::Stage;
use wattle_tests::sandbox::image;

use crate::layout::{Layout, architecture, shell, stage};
use crate::refused::{assert_refused, harmless};

const TAR: &str = "application/vnd.oci.image.layer.v1.tar";

/// The start of each script that packs a layer. An image is created in `cache/wattle/images/NAME.new`, so the stage's
/// folder is four levels up.
const SCRIPT: &str = r#"
set -e
cd "$1"
archive=$2 outside=$3 up=../../../../outside
pack() { tar -cPf "$archive" "$@"; }
# A link, and something that a program would find behind it.
through() { pack link; rm link; mkdir link; touch "link/$1"; tar -rf "$archive" "link/$1"; }
hard() { touch a; ln a b; pack --transform "flags=h;s,^a\$,$1," a b; }
"#;

/// A folder outside the image, with a file in it.
struct Outside(PathBuf);

impl Outside {
    fn new(stage: &Stage) -> Self {
        let folder = stage.path().join("outside");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("kept"), "kept").expect("writes");
        Self(folder)
    }

    /// A layer packed by `script`, in an empty folder.
    fn layer(&self, stage: &Stage, layout: &Layout, script: &str) -> Value {
        let [folder, archive] = ["packed", "archive"].map(|name| stage.path().join(name));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        shell(&format!("{SCRIPT}{script}"), &[&folder, &archive, &self.0]);
        layout.blob(TAR, &fs::read(archive).expect("reads"))
    }

    fn assert_untouched(&self, what: &str) {
        let names: Vec<_> = fs::read_dir(&self.0).expect("it is there").flatten().map(|it| it.file_name()).collect();
        assert_eq!(names, ["kept"], "{what}");
        assert_eq!(fs::read_to_string(self.0.join("kept")).expect("reads"), "kept", "{what}");
    }
}

/// The image folders in the stage's cache.
fn images(stage: &Stage) -> Vec<PathBuf> {
    let found = fs::read_dir(stage.path().join("cache/wattle/images")).expect("reads").flatten();
    found.map(|entry| entry.path()).collect()
}

#[test]
fn no_layer_leads_out_of_its_image() {
    let Some(root) = image() else { return };
    let stage = stage(&harmless());
    let (layout, first) = Layout::new(&stage, root);
    let outside = Outside::new(&stage);
    let cases = [
        ("a name that goes up", r#"touch new; pack --transform "s,new,$up/new," new"#),
        ("a file through an absolute link", r#"ln -s "$outside" link; through new"#),
        ("a file through a link that goes up", "ln -s $up link; through kept"),
        (
            "a folder through a link",
            r#"ln -s "$outside" link; pack link; rm link; mkdir -p link/new; tar -rf "$archive" link/new"#,
        ),
        ("a hard link that goes up", "hard $up/kept"),
        ("an absolute hard link", r#"hard "$outside/kept""#),
        ("a whiteout that goes up", r#"touch .wh.kept; pack --transform "s,^,$up/," .wh.kept"#),
        ("a whiteout of the folder above", "touch .wh...; pack .wh..."),
        ("a whiteout of the folder itself", "mkdir etc; touch etc/.wh..; pack etc/.wh.."),
        ("a whiteout of nothing", "touch .wh.; pack .wh."),
    ];
    for (what, script) in cases {
        let layer = outside.layer(&stage, &layout, script);
        layout.index(architecture(), &[&first[..], &[layer]].concat());
        let ran = layout.up(&stage);
        assert_refused(&ran, &["the OCI image layout `", "cannot be used: the layer sha256:"]);
        let reasons = ["leads out of the image", "removes nothing", "outside of destination"];
        assert!(reasons.iter().any(|part| ran.err.contains(part)), "{what}: {ran}");
        outside.assert_untouched(what);
        assert_eq!(images(&stage), Vec::<PathBuf>::new(), "{what}");
    }
}

/// Paths of whiteouts that go through links in a lower layer.
#[test]
fn no_whiteout_leads_out_of_its_image() {
    let Some(root) = image() else { return };
    let stage = stage(&harmless());
    let (layout, first) = Layout::new(&stage, root);
    let outside = Outside::new(&stage);
    for link in [r#""$outside""#, "$up"] {
        let link = outside.layer(&stage, &layout, &format!("ln -s {link} link; pack link"));
        for mark in [".wh.kept", ".wh..wh..opq"] {
            let layer = outside.layer(&stage, &layout, &format!("mkdir link; touch link/{mark}; pack link/{mark}"));
            layout.index(architecture(), &[&first[..], &[link.clone(), layer]].concat());
            assert_refused(&layout.up(&stage), &["cannot be used: the layer sha256:", "leads out of the image"]);
            outside.assert_untouched(mark);
        }
    }
    assert_eq!(images(&stage), Vec::<PathBuf>::new());
}

/// A file with the same name as a link replaces the link, and is never written to the link's target.
#[test]
fn what_is_below_is_replaced() {
    let Some(root) = image() else { return };
    let stage = stage(&harmless());
    let (layout, first) = Layout::new(&stage, root);
    let outside = Outside::new(&stage);
    let below = r#"
        for name in file hard folder gone; do ln -s "$outside" $name; done
        ln -s "$outside/kept" kept; ln -s etc within
        echo old >replaced; mkdir was; touch was/a
        pack ."#;
    let above = r"
        mkdir folder within; touch folder/new .wh.gone
        for name in file kept was within/new; do echo new >$name; done
        ln file hard; ln file replaced
        pack folder .wh.gone file kept was hard replaced within/new";
    let [below, above] = [below, above].map(|script| outside.layer(&stage, &layout, script));
    layout.index(architecture(), &[&first[..], &[below, above]].concat());
    let up = layout.up(&stage);
    assert_eq!(up.code, Some(0), "{up}");
    outside.assert_untouched("links are replaced");
    let [image] = &images(&stage)[..] else { panic!("{:?}", images(&stage)) };
    for name in ["file", "kept", "was", "hard", "replaced", "etc/new"] {
        let path = image.join(name);
        assert!(path.symlink_metadata().expect("it is there").is_file(), "{name}");
        assert_eq!(fs::read_to_string(path).expect("reads"), "new\n", "{name}");
    }
    assert!(image.join("folder").symlink_metadata().expect("it is there").is_dir());
    assert!(image.join("folder/new").exists());
    assert!(image.join("gone").symlink_metadata().is_err());
    assert!(is_link(&image.join("within")), "a link within the image leads where it says");
    assert_eq!(stage.run(&["down"]).code, Some(0));
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_symlink())
}
