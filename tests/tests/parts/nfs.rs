//! NFS: a folder of one server, mounted by others.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::nfs::{Export, Mount};
use wattle_tests::running::Stage;
use wattle_tests::skip::{everything, skipped};

use crate::stage::{Judges, authority, can_run, client, down, heat_takes, network, server, up, value};
use crate::volume::Keep;

/// A server that exports, and two that mount it.
#[blueprint]
pub(crate) fn shared(t: &mut Topology) -> Exports {
    let network = network(t);
    let (keeper, address) = server(t, "keeper", network);
    let uploads = t.on(keeper).run("uploads", Export::new().address(address).user("www-data"));
    let mut exports = Exports::new().entry("url", uploads.url);
    for name in ["a", "b"] {
        let (host, _) = server(t, name, network);
        let mount = t.on(host).run("uploads", Mount::new().url(uploads.url).directory("/srv/files"));
        let keep = t.on(host).run("keep", Keep::new().directory(mount.path).word(name));
        exports = exports.entry(name, keep.kept);
    }
    exports
}

/// Exports that nobody mounts: read-write, read-only, and for another client.
#[blueprint]
pub(crate) fn exported(t: &mut Topology) -> Exports {
    let network = network(t);
    let mut exports = Exports::new();
    let (host, address) = server(t, "keeper", network);
    let export = || Export::new().address(address).user("nobody");
    let theirs = export().clients(["203.0.113.0/24"]).port(2051_u16);
    let parts = [
        ("ours", export()),
        ("read", export().directory("/opt/read").read_only(true).port(2050_u16)),
        ("theirs", theirs),
    ];
    for (name, export) in parts {
        exports = exports.entry(name, t.on(host).run(name, export).url);
    }
    exports
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &shared.model(Default::default()));
    heat_takes(judges, &exported.model(Default::default()));
}

const PROGRAMS: [&str; 3] = ["/usr/bin/ganesha.nfsd", "/usr/bin/nfs-cat", "/usr/bin/jq"];

/// The URL of a file of an export, in libnfs's form.
fn file(url: &str, name: &str) -> String {
    let authority = authority(url);
    let (host, port) = authority.rsplit_once(':').expect("a port");
    let path = url.rsplit_once('/').expect("a path").1;
    format!("nfs://{host}/{path}{name}?version=4&nfsport={port}")
}

fn refused(program: &str, args: &[&str]) -> bool {
    !Command::new(program).args(args).output().expect("starts").status.success()
}

#[test]
fn clients_read_and_write_it_as_one_user() {
    if !can_run("parts: an NFS export", &PROGRAMS) {
        return;
    }
    let stage = up(&exported.model(Default::default()), "");
    let [ours, read, theirs] = ["ours", "read", "theirs"].map(|name| value(&stage, &format!("keeper/{name}/url")));
    let folder = stage.path().join(".wattle/servers/keeper/state");
    let word = stage.path().join("word");
    fs::write(&word, "wattle").expect("writes");
    let word = word.to_str().expect("text");

    client("nfs-cp", &[], &[word, &file(&ours, "/word")]);
    assert_eq!(client("nfs-cat", &[], &[&file(&ours, "/word")]), "wattle");
    let kept = fs::metadata(folder.join("ours/data/word")).expect("it is there");
    let nobody: u32 = client("id", &[], &["-u", "nobody"]).parse().expect("a number");
    assert_eq!(kept.uid(), nobody);

    fs::write(folder.join("opt/read/word"), "read").expect("writes");
    assert_eq!(client("nfs-cat", &[], &[&file(&read, "/word")]), "read");
    assert!(refused("nfs-cp", &[word, &file(&read, "/other")]) && !folder.join("opt/read/other").exists());

    // Besides the listed clients, only the server itself may mount it. This machine's other addresses do not count.
    let only = fs::read_to_string(folder.join("theirs/ganesha.conf")).expect("reads");
    let host = authority(&theirs).rsplit_once(':').expect("a port").0.to_owned();
    assert!(
        only.contains(&format!("Clients = 203.0.113.0/24, {host};"))
            || only.contains(&format!("Clients = {host}, 203.0.113.0/24;")),
        "{only}"
    );
    assert!(refused("nfs-ls", &[&file(&theirs, "")]));
    down(&stage, &[&ours, &read, &theirs]);
}

#[test]
fn what_one_server_writes_another_reads() {
    let test = "parts: an NFS export and its mounts";
    if !can_run(test, &[&PROGRAMS[..], &["/usr/sbin/mount.nfs4"]].concat()) {
        return;
    }
    let knows = || fs::read_to_string("/proc/filesystems").expect("proc").split_whitespace().any(|name| name == "nfs4");
    let _ = Command::new("modprobe").arg("nfs").status();
    if !knows() {
        let stage = Stage::new(&shared.model(Default::default()));
        let up = stage.run(&["up", "--until-done"]);
        assert_eq!(up.code, Some(1), "{up}");
        assert!(format!("{up}").contains("this machine's kernel cannot mount NFS"), "{up}");
        skipped(test, "this machine's kernel has no NFS; that the mounts say so was tested instead");
        return;
    }
    let stage = up(&shared.model(Default::default()), "");
    let mut kept = ["a", "b"].map(|name| value(&stage, &format!("{name}/keep/kept")));
    kept.sort_by_key(String::len);
    assert!(kept[0] == "nfs4 a" && kept[1] == "nfs4 a b" || kept[0] == "nfs4 b" && kept[1] == "nfs4 b a", "{kept:?}");
    let url = value(&stage, "keeper/uploads/url");
    down(&stage, &[&url]);
}

/// If this machine's kernel does not support NFS, another one may: a virtual machine mounts the recipe's export, with
/// the options of the recipe of a mount.
#[test]
fn a_kernel_mounts_what_is_exported() {
    let test = "parts: an NFS export, mounted by a virtual machine";
    let programs = ["/usr/bin/qemu-system-x86_64", "/bin/busybox", "/usr/bin/cpio"];
    if !everything(test) || !can_run(test, &[&PROGRAMS[..], &programs].concat()) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let script = r#"
        export WATTLE_STATE_DIR="$PWD/state" WATTLE_RUN_DIR="$PWD/run/files" heat_outputs_path="$PWD/output"
        export address=127.0.0.1 user=www-data read_only=false
        mkdir -p "$WATTLE_STATE_DIR" "$WATTLE_RUN_DIR"
        trap 'sh "$tests/../catalog/recipes/remove.sh"' EXIT
        sh "$tests/../catalog/recipes/nfs-export.sh"
        [ "$(cat output.url)" = "nfs://127.0.0.1:$port/files" ]
        echo outside >state/files/data/word
        "$tests/nfs/vm" "$port" /files nfsvers=4 '
            cat word
            mkdir folder
            echo inside >folder/word
            ln -s word folder/link
            chmod 0640 folder/word
            mv folder/word folder/moved'
    "#;
    let mut command = Command::new("bash");
    command.args(["-euc", script]).current_dir(folder.path());
    command.env("tests", env!("CARGO_MANIFEST_DIR")).env("port", port.to_string());
    let output = command.output().expect("starts");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("outside") && said.contains("the script ended with 0"), "{said}");
    let data = folder.path().join("state/files/data");
    assert_eq!(fs::read_to_string(data.join("folder/moved")).expect("it is there"), "inside\n");
    let kept = fs::metadata(data.join("folder/moved")).expect("it is there");
    assert_eq!(kept.uid(), fs::metadata(&data).expect("it is there").uid());
    assert_eq!(kept.mode() & 0o777, 0o640);
}

/// On a real server, a mount is a line of /etc/fstab: here it is that of a mount namespace, in which a stand-in for the
/// NFS mount program mounts a tmpfs.
#[test]
fn on_a_server_it_is_a_line_of_fstab() {
    if !can_run("parts: an NFS mount on a server of its own", &["/usr/bin/jq", "/usr/sbin/mount.nfs4"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let recipes = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/recipes");
    let script = r#"
        not() { if "$@"; then exit 1; fi; }
        mkdir run
        printf '# ours\n' >fstab
        mount --bind fstab /etc/fstab
        { cat /proc/filesystems; printf 'nodev\tnfs4\n'; } >filesystems
        mount --bind filesystems /proc/filesystems
        printf '#!/bin/sh\nset -x\necho "$@" >>%s/asked\nexec mount -i -t tmpfs "$1" "$2"\n' "$PWD" >mount.nfs4
        chmod +x mount.nfs4
        mount --bind mount.nfs4 /usr/sbin/mount.nfs4
        export url='nfs://[2001:db8::7]:2050/uploads' directory="$PWD/files" read_only=true
        export WATTLE_RUN_DIR="$PWD/run/files" heat_outputs_path="$PWD/output"
        unset WATTLE_STATE_DIR
        sh "$recipes/nfs-mount.sh"
        sh "$recipes/nfs-mount.sh"
        [ "$(cat output.path)" = "$directory" ]
        [ "$(wc -l <asked)" = 1 ]
        options=nfsvers=4,port=2050,ro,_netdev,nofail
        [ "$(grep -c "^\[2001:db8::7\]:/uploads $directory nfs4 $options 0 0$" /etc/fstab)" = 1 ]
        sh "$recipes/unmount.sh"
        not mountpoint -q files
        [ "$(cat /etc/fstab)" = '# ours' ]
        url=http://10.0.0.7/uploads
        not sh "$recipes/nfs-mount.sh" 2>said
        grep -q 'one of an export is' said
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "bash", "-euxc", script]).current_dir(folder.path());
    let output = command.env("recipes", recipes).output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!Path::new("/etc/fstab.wattle-parts").exists());
}
