//! Support for tests of `wattle up --sandbox`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::skip::skipped;

/// Mounts an overlay in the current folder.
const OVERLAY: &str = "mkdir lower upper work root && \
                       mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work root";

/// Whether sandboxes can be created here. If not, reports that `what` is skipped.
///
/// # Panics
/// There is no room for a folder.
pub fn can(what: &str) -> bool {
    let missing = missing();
    if let Some(missing) = missing {
        skipped(what, &format!("sandboxes need {missing}"));
    }
    missing.is_none()
}

fn missing() -> Option<&'static str> {
    let is_root = || Command::new("sh").args(["-c", "[ $(id -u) = 0 ]"]).status().is_ok_and(|status| status.success());
    if !is_root() {
        return Some("root");
    }
    if !works(Command::new("debootstrap").arg("--version")) {
        return Some("Debian's package debootstrap, for an image");
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let mut overlay = Command::new("unshare");
    overlay.args(["--mount", "--pid", "--fork", "--uts", "--ipc", "sh", "-c", OVERLAY]).current_dir(folder.path());
    (!works(&mut overlay)).then_some("a kernel that gives out namespaces, and overlays in them")
}

fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Returns a root file system of Debian: the one that the lab's hosts share, which is made once for all tests. `None`
/// where sandboxes are impossible.
///
/// # Panics
/// It cannot be made.
pub fn image() -> Option<&'static Path> {
    static IMAGE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        can("servers in sandboxes").then(|| {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cloudinit/root");
            let made = Command::new(script).stderr(Stdio::inherit()).output().expect("a script runs");
            assert!(made.status.success(), "the image cannot be made");
            PathBuf::from(String::from_utf8(made.stdout).expect("a path").trim_end())
        })
    };
    IMAGE.get_or_init(make).as_deref()
}
