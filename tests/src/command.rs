//! The commands `wattle` and `wattle-agent`, built as they stand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the `wattle` command, which is built first if need be.
///
/// # Panics
/// When it cannot be built.
pub fn wattle() -> &'static Path {
    static WATTLE: OnceLock<PathBuf> = OnceLock::new();
    WATTLE.get_or_init(|| built("wattle", &profile()))
}

/// The path of the command that servers fetch, which is built first if need be.
///
/// # Panics
/// When it cannot be built.
pub fn wattle_agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT.get_or_init(|| built("wattle-agent", &profile()))
}

/// The path of the command that servers fetch, as it is released.
///
/// # Panics
/// When it cannot be built.
pub fn released_agent() -> PathBuf {
    built("wattle-agent", &profile().with_file_name("release"))
}

/// `TARGET/PROFILE` of this test, which runs from `TARGET/PROFILE/deps/NAME`.
fn profile() -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.ancestors().nth(2).expect("a test lies in a target directory").to_owned()
}

fn built(binary: &str, profile: &Path) -> PathBuf {
    let target = profile.parent().expect("a profile lies in a target directory");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "wattle-runtime", "--bin", binary]);
    cargo.arg("--manifest-path").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
    cargo.arg("--target-dir").arg(target);
    if profile.file_name().is_some_and(|name| name == "release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo starts").success(), "`{binary}` does not build");
    profile.join(binary)
}
