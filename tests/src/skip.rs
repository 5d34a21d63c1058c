//! Tests that are skipped where something is missing, or without `--all`.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;

/// Reports that `what` is skipped, and why. `tests/run` shows it at its end: the output of a passing test is hidden.
pub fn skipped(what: &str, why: &str) {
    let line = format!("SKIPPED: {what}: {why}\n");
    eprint!("{line}");
    if let Some(path) = env::var_os("WATTLE_TEST_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write, for tests run in parallel.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Whether this is root, who alone can create namespaces, and act as another user.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Whether slow tests are requested as well: `tests/run --all`. If not, reports that `what` is skipped.
pub fn everything(what: &str) -> bool {
    let asked = env::var_os("WATTLE_TEST_ALL").is_some();
    if !asked {
        skipped(what, "it is slow; `tests/run --all` runs it");
    }
    asked
}
