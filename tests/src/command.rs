//! The `wattle` command, built as it stands.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the `wattle` command, which is built first if need be.
///
/// # Panics
/// When it cannot be built.
pub fn wattle() -> &'static Path {
    static WATTLE: OnceLock<PathBuf> = OnceLock::new();
    WATTLE.get_or_init(|| {
        // A test runs from TARGET/PROFILE/deps/NAME.
        let own = std::env::current_exe().expect("a program has a path");
        let profile = own.ancestors().nth(2).expect("a test lies in a target directory");
        let target = profile.parent().expect("a profile lies in a target directory");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--package", "wattle-runtime", "--bin", "wattle"]);
        cargo.arg("--manifest-path").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
        cargo.arg("--target-dir").arg(target);
        if profile.file_name().is_some_and(|name| name == "release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().expect("cargo starts").success(), "`wattle` does not build");
        profile.join("wattle")
    })
}
