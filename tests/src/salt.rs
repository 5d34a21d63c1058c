//! Salt as it is released.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where it is installed, once.
///
/// # Panics
/// When it cannot be installed.
pub fn installed() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = Command::new(tests.join("salt/setup")).status().expect("it starts");
    assert!(status.success(), "tests/salt/setup: {status}");
    tests.join(".cache/salt-venv")
}
