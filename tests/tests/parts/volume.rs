//! Volumes, and the file systems on them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::cinder::Volume;
use wattle_catalog::parts::volume::{AttachedVolume, FileSystem};
use wattle_tests::running::Stage;
use wattle_tests::skip::skipped;

use crate::stage::{Judges, can_run, heat_takes, network, server, up, value};

/// Keeps a word in a directory.
#[component(recipe = "recipes/keep.sh")]
pub(crate) struct Keep {
    #[input]
    directory: String,
    #[input]
    word: String,
    #[output]
    kept: String,
}

/// A server with two volumes.
#[blueprint]
pub(crate) fn storage(t: &mut Topology) -> Exports {
    let network = network(t);
    let (host, _) = server(t, "files", network);
    let mut exports = Exports::new();
    for (name, filesystem) in [("docs", "ext4"), ("media", "xfs")] {
        let disk = t.add(format!("{name}-disk"), AttachedVolume { server: host, volume: Volume::new(1) });
        let directory = format!("/srv/{name}");
        let files = FileSystem::new().volume(disk.id()).directory(directory).filesystem(filesystem);
        let files = t.on(host).run(name, files);
        let keep = t.on(host).run(format!("keep-{name}"), Keep::new().directory(files.path).word("wattle"));
        exports = exports.entry(name, keep.kept);
    }
    exports
}

pub(crate) fn heat(judges: &mut Judges) {
    let (_, answer) = heat_takes(judges, &storage.model(Default::default()));
    let requires = |name: &str| answer["graph"][name].as_array().expect("a list").clone();
    // The server gets the list of its volumes when it is created, and the volumes are attached later.
    for disk in ["docs-disk", "media-disk"] {
        assert!(requires("files").contains(&json!(format!("{disk}.volume"))), "{answer:#}");
        assert!(requires(&format!("{disk}.attachment")).contains(&json!("files")), "{answer:#}");
    }
}

/// Whether files can serve as disks here. If not, this reports the test as skipped.
fn can_mount(test: &str) -> bool {
    let can = Command::new("losetup").arg("--find").output().is_ok_and(|output| output.status.success());
    if !can {
        skipped(test, "it needs loop devices");
    }
    can && can_run(test, &["/usr/sbin/mkfs.ext4", "/usr/sbin/mkfs.xfs"])
}

fn mounts(stage: &Path) -> Vec<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").expect("proc");
    let below = stage.to_str().expect("text");
    mounts.lines().filter(|mount| mount.contains(below)).map(str::to_owned).collect()
}

#[test]
fn what_is_written_stays_on_the_volume() {
    if !can_mount("parts: a volume by `wattle up`") {
        return;
    }
    let stage = up(&storage.model(Default::default()), "");
    assert_eq!(value(&stage, "files/keep-docs/kept"), "ext4 wattle");
    assert_eq!(value(&stage, "files/keep-media/kept"), "xfs wattle");
    let path = value(&stage, "files/docs/path");
    assert!(path.starts_with(stage.path().to_str().expect("text")) && path.ends_with("/docs"), "{path}");
    away(&stage, &path);
    let again = stage.run(&["up", "--detach", "--until-done"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(value(&stage, "files/keep-docs/kept"), "ext4 wattle wattle");
    away(&stage, &path);
}

fn away(stage: &Stage, path: &str) {
    let down = stage.run(&["down"]);
    assert_eq!((down.code, down.err.as_str()), (Some(0), ""), "{down}");
    assert_eq!(mounts(stage.path()), Vec::<String>::new());
    assert!(!Path::new(path).join("words").exists(), "the words are not on the volume");
}

/// A real server has a disk with the volume's serial number, and /etc/fstab. Here, a mount namespace contains both.
#[test]
fn the_disk_is_found_by_its_serial_number() {
    if !can_mount("parts: a volume on a server of its own") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let recipes = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/recipes");
    let script = r#"
        not() { if "$@"; then exit 1; fi; }
        mkdir -p /dev/disk
        mount -t tmpfs dev /dev/disk
        mkdir /dev/disk/by-id run
        printf 'proc /proc proc defaults 0 0\n# ours\n' >fstab
        mount --bind fstab /etc/fstab
        truncate -s 64M disk other
        disk=$(losetup --find --show disk)
        other=$(losetup --find --show other)
        trap 'mountpoint -q files && umount files; losetup -d "$disk" "$other"' EXIT
        ln -s "$other" /dev/disk/by-id/virtio-11111111-2222-3333-5
        { sleep 3; ln -s "$disk" /dev/disk/by-id/virtio-11111111-2222-3333-4; } &
        export volume=11111111-2222-3333-4444-555555555555 directory="$PWD/files" filesystem=ext4
        export WATTLE_RUN_DIR="$PWD/run/files" heat_outputs_path="$PWD/output"
        unset WATTLE_STATE_DIR
        for word in one two; do
            timeout 60 sh "$recipes/volume.sh"
            echo "$word" >>files/words
        done
        [ "$(cat output.path)" = "$directory" ]
        [ "$(findmnt -n -o SOURCE --mountpoint files)" = "$disk" ]
        [ "$(cat files/words | tr '\n' ' ')" = 'one two ' ]
        [ "$(grep -c " $directory ext4 defaults,nofail 0 2$" /etc/fstab)" = 1 ]
        # Another boot.
        umount files
        mount "$directory"
        [ -e files/words ]
        sh "$recipes/unmount.sh"
        not mountpoint -q files
        [ "$(wc -l </etc/fstab)" = 2 ]
        # What is no ext4 is not touched.
        rm /dev/disk/by-id/*
        mkswap "$other" >/dev/null
        ln -s "$other" "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_$volume"
        not sh "$recipes/volume.sh" 2>said
        grep -q 'holds something other than an ext4 file system' said
        not grep -q "$directory" /etc/fstab
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "bash", "-euxc", script]).current_dir(folder.path());
    let output = command.env("recipes", recipes).output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
