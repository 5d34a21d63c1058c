//! The first process of a sandbox: mounts what the server sees, and then performs the duties of a first process.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use rustix::process::{WaitOptions, wait};
use serde::{Deserialize, Serialize};

use super::house::READY;
use super::root;

/// How often to check for children while there are none.
const PAUSE: Duration = Duration::from_millis(100);

/// The contents of a sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The server's name.
    pub(super) name: String,
    /// The image: a folder with a root file system.
    pub(super) image: PathBuf,
    /// The folder for the server's writes.
    pub(super) disk: PathBuf,
    /// The server's own folder, which it sees at the same path.
    pub(super) home: PathBuf,
    /// The socket of the data space, likewise.
    pub(super) socket: PathBuf,
    /// The program `wattle`.
    pub(super) program: PathBuf,
    /// Whether it has a network of its own.
    pub(super) has_network: bool,
}

/// Reads an order from the standard input, carries it out, and stays until the standard input is closed.
///
/// # Errors
/// The order cannot be carried out.
pub fn first_process() -> Result<(), String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(|error| format!("no order arrived: {error}"))?;
    let order: Order = serde_json::from_str(&line).map_err(|error| format!("the order cannot be read: {error}"))?;
    // Read while /proc is still the outer one.
    let own = fs::read_to_string("/proc/self/stat").map_err(|error| format!("cannot read /proc: {error}"))?;
    let own = own.split(' ').next().unwrap_or_default();
    root::make(&order)?;
    let said = writeln!(io::stdout(), "{READY}{own}").and_then(|()| io::stdout().flush());
    said.map_err(|error| format!("the reader is gone: {error}"))?;
    thread::spawn(bury);
    // No more input follows. The end of this process ends all others here.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}

/// Reaps dead orphans.
fn bury() {
    loop {
        if wait(WaitOptions::empty()).is_err() {
            thread::sleep(PAUSE);
        }
    }
}
