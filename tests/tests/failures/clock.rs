//! A clock for an agent, which jumps on demand, like a machine's clock when somebody sets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use wattle_tests::skip::skipped;

/// Where Debian has it; in a folder of the machine's architecture.
const LIBRARIES: &str = "/usr/lib";
const LIBRARY: &str = "faketime/libfaketime.so.1";

/// What programs that are started by it take for the time of day. How much time passes is as it is.
pub(crate) struct Clock {
    /// How many seconds it is ahead, or behind.
    file: PathBuf,
    library: PathBuf,
}

impl Clock {
    /// One that is right, and keeps what it says in `file`.
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

    /// Lets a command take this for the time.
    pub(crate) fn rule(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /// Goes ahead of the right time by so much.
    pub(crate) fn ahead(&self, by: Duration) {
        self.write(&format!("+{}", by.as_secs()));
    }

    /// Goes behind the right time by so much.
    pub(crate) fn behind(&self, by: Duration) {
        self.write(&format!("-{}", by.as_secs()));
    }

    /// At once for whoever reads it meanwhile.
    fn write(&self, text: &str) {
        let new: &Path = &self.file.with_extension("new");
        fs::write(new, text).unwrap();
        fs::rename(new, &self.file).unwrap();
    }
}
