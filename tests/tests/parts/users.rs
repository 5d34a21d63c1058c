//! Recipes of parts without root rights.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use crate::stage::can_run;

const LIBRARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/recipes/lib.sh");

/// Runs commands with the recipes' shared functions, as another user.
fn as_nobody(commands: &str) -> Output {
    let folder = tempfile::tempdir().expect("a directory");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
    fs::copy(LIBRARY, folder.path().join("lib.sh")).expect("copies");
    let script = format!("set -eu; . ./lib.sh; {commands}");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh", "-c", &script]);
    command.current_dir(folder.path()).env("WATTLE_RUN_DIR", "/nonexistent/part").output().expect("starts")
}

#[test]
fn packages_that_are_there_need_no_root() {
    if !can_run("parts: without root", &["/usr/bin/setpriv", "/usr/bin/dpkg-query"]) {
        return;
    }
    // Root has used this machine before, and left its lock behind.
    fs::File::options().create(true).append(true).open("/run/wattle-parts.packages").expect("root may");
    let there = as_nobody("packages dpkg bash; system_user daemon");
    assert!(there.status.success() && there.stderr.is_empty(), "{there:?}");
    for (commands, message) in [
        (
            "packages dpkg no-such-package",
            "only root can install packages, and some of these are missing: dpkg no-such-package",
        ),
        ("system_user no-such-user", "only root can add the user `no-such-user`, which is missing"),
        ("make_home daemon 0750", "only root can run a service as the user `daemon`"),
    ] {
        let refused = as_nobody(commands);
        assert!(!refused.status.success(), "{commands}");
        assert_eq!(String::from_utf8_lossy(&refused.stderr).trim_end(), message);
    }
}
