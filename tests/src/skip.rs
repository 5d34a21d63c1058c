//! Tests that are left out where something is missing, or unless everything is asked for.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;

/// Tells that `what` is left out, and why. `tests/run` shows it at its end: what a test prints is not seen when it passes.
pub fn skipped(what: &str, why: &str) {
    let line = format!("SKIPPED: {what}: {why}\n");
    eprint!("{line}");
    if let Some(path) = env::var_os("WATTLE_TEST_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write, for tests run in parallel.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Whether what is slow is asked for as well: `tests/run --all`. If not, this tells that `what` is left out.
pub fn everything(what: &str) -> bool {
    let asked = env::var_os("WATTLE_TEST_ALL").is_some();
    if !asked {
        skipped(what, "it is slow; `tests/run --all` runs it");
    }
    asked
}
