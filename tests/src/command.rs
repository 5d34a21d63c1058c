//! The commands `wattle` and `wattle-agent`, built from the present sources.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wattle_runtime::local::RUN;

/// The folder of the repository.
///
/// # Panics
/// Never: the tests are a folder of it.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("INVARIANT: the tests are a folder of it")
}

/// The path of the `wattle` command, which is built if necessary.
///
/// # Panics
/// It cannot be built.
pub fn wattle() -> &'static Path {
    static WATTLE: OnceLock<PathBuf> = OnceLock::new();
    WATTLE.get_or_init(|| built(["wattle-runtime", "--bin", "wattle"], &profile()))
}

/// A search path with the programs of `folder` before all others.
///
/// # Panics
/// The folder's name contains a colon.
pub fn searching_first(folder: &Path) -> OsString {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&others));
    std::env::join_paths(folders).expect("no colon in its name")
}

/// Hides the environment's variables that select a stack from a command, and all running topologies except those at
/// `place`.
pub fn apart<'c>(command: &'c mut Command, place: &Path) -> &'c mut Command {
    for variable in RUN.iter().chain(&["NO_COLOR"]) {
        command.env_remove(variable);
    }
    at_home(command, place)
}

/// Restricts a command to those of this user's topologies that were started with the same `place`.
pub fn at_home<'c>(command: &'c mut Command, place: &Path) -> &'c mut Command {
    command.env("XDG_RUNTIME_DIR", place.join(".user")).env("XDG_STATE_HOME", place.join(".user"))
}

/// The path of the command that servers download, which is built if necessary.
///
/// # Panics
/// It cannot be built.
pub fn wattle_agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT.get_or_init(|| built(["wattle-runtime", "--bin", "wattle-agent"], &profile()))
}

/// The path of an example's own program.
///
/// # Panics
/// It cannot be built.
pub fn example(name: &str) -> PathBuf {
    built([name, "--example", name], &profile().join("examples"))
}

/// Runs a command, and returns its output.
///
/// # Panics
/// It fails.
pub fn said(command: &mut Command) -> String {
    let ran = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&ran.stderr));
    said
}

/// `TARGET/PROFILE` of this test, which runs from `TARGET/PROFILE/deps/NAME`.
fn profile() -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.ancestors().nth(2).expect("a test lies in a target directory").to_owned()
}

fn built(what: [&str; 3], directory: &Path) -> PathBuf {
    let profile = profile();
    // Built alone, a package has other features than in its workspace, and most of it is compiled once more.
    if std::env::var_os("WATTLE_TEST_BUILT").is_some() {
        return directory.join(what[2]);
    }
    let target = profile.parent().expect("a profile lies in a target directory");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package"]).args(what);
    cargo.arg("--manifest-path").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
    cargo.arg("--target-dir").arg(target);
    assert!(cargo.status().expect("cargo starts").success(), "`{}` does not build", what[2]);
    directory.join(what[2])
}
