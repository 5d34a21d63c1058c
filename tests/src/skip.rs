//! Tests that are skipped if something is missing, or outside of the full run.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;

/// Reports that `what` is skipped, and why. `tests/run` shows it at its end: the output of a passing test is not visible.
pub fn skipped(what: &str, why: &str) {
    let line = format!("SKIPPED: {what}: {why}\n");
    eprint!("{line}");
    if let Some(path) = env::var_os("WATTLE_TEST_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        // A single write, for tests that run in parallel.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Whether the user is root, who alone can create namespaces and switch users.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Whether slow tests are requested as well: `tests/run --all`.
pub fn is_everything() -> bool {
    env::var_os("WATTLE_TEST_ALL").is_some()
}

/// Like [`is_everything`]. If not, this reports that `what` is skipped.
pub fn everything(what: &str) -> bool {
    let asked = is_everything();
    if !asked {
        skipped(what, "it is slow; `tests/run --all` runs it");
    }
    asked
}
