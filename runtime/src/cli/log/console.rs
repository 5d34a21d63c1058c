//! The console of a server: the only place where an operator sees anything of an agent that never reports.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use rustix::fs::OFlags;

/// Set by the agent's unit to the device of the server's console.
const VARIABLE: &str = "WATTLE_CONSOLE";

/// The console of this server.
pub(in crate::cli) struct ServerConsole(PathBuf);

impl ServerConsole {
    /// The console that the environment names.
    pub(in crate::cli) fn named() -> Option<Self> {
        std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(Self::at)
    }

    /// The console at this path.
    pub(super) fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Writes a line. Does not wait for a console that takes none, and ignores one that is not there: the log has the
    /// line as well.
    pub(in crate::cli) fn say(&self, line: &str) {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = OpenOptions::new().append(true).custom_flags(flags.bits().cast_signed()).open(&self.0);
        let _ = opened.and_then(|mut console| console.write_all(format!("wattle-agent: {line}\n").as_bytes()));
    }
}
