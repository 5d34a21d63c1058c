//! Python programs installed by `tests/NAME/setup`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the programs that `tests/NAME/setup` installs, once.
///
/// # Panics
/// If they cannot be installed.
pub fn installed(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = Command::new(tests.join(name).join("setup")).status().expect("it starts");
    assert!(status.success(), "tests/{name}/setup: {status}");
    tests.join(format!(".cache/{name}-venv/bin"))
}
