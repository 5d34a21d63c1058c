//! An agent's own clock, which jumps on request like a machine's clock that is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use wattle_tests::skip::skipped;

/// Debian's folder; the file is in a subfolder for the machine's architecture.
const LIBRARIES: &str = "/usr/lib";
const LIBRARY: &str = "faketime/libfaketime.so.1";

/// The time of day for programs that are started with this clock. It does not affect how fast time passes.
pub(crate) struct Clock {
    /// The number of seconds by which it is ahead or behind.
    file: PathBuf,
    library: PathBuf,
}

impl Clock {
    /// A clock that is right at first. `file` holds its offset.
    pub(crate) fn new(file: PathBuf) -> Option<Self> {
        let folders = fs::read_dir(LIBRARIES).into_iter().flatten().flatten().map(|folder| folder.path());
        let Some(library) = folders.map(|folder| folder.join(LIBRARY)).find(|library| library.is_file()) else {
            skipped("agents whose clocks jump", "libfaketime is missing: `apt-get install libfaketime`");
            return None;
        };
        let clock = Self { file, library };
        clock.write("+0");
        Some(clock)
    }

    /// Makes a command use this clock.
    pub(crate) fn rule(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /// Sets the clock ahead of the right time by this duration.
    pub(crate) fn ahead(&self, by: Duration) {
        self.write(&format!("+{}", by.as_secs()));
    }

    /// Sets the clock behind the right time by this duration.
    pub(crate) fn behind(&self, by: Duration) {
        self.write(&format!("-{}", by.as_secs()));
    }

    /// Writes atomically, because programs read the file at the same time.
    fn write(&self, text: &str) {
        let new: &Path = &self.file.with_extension("new");
        fs::write(new, text).unwrap();
        fs::rename(new, &self.file).unwrap();
    }
}
