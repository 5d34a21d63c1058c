//! The processes that keep the namespaces of a server.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::local::error::UpError;

use super::inside::Order;
use super::tools::{Tools, shown};
use super::{PROGRAM, refuse};

/// The prefix of what `inside` prints, before its process ID, once everything is mounted.
pub(super) const READY: &str = "ready ";

/// The namespaces of a server, which exist for as long as this value lives.
#[derive(Debug)]
pub(super) struct House {
    /// `unshare`, whose standard input is also that of the first process.
    keeper: Child,
    /// The first process of the namespaces, by its PID outside.
    first: i32,
}

impl House {
    /// Creates the namespaces, and carries out `order` in them. `network` is the command prefix that enters a network.
    pub(super) fn build(tools: &Tools, network: Vec<OsString>, order: &Order) -> Result<Self, UpError> {
        let failed = |why: String| {
            refuse(
                format!("the sandbox of {} cannot be made: {}", order.name, why.trim()),
                "check whether this machine, or the container that it is, lets root mount an overlay; `--state PATH` \
                 chooses another file system for what servers write",
            )
        };
        let words: Vec<OsString> = network.into_iter().chain(tools.begin()).collect();
        let (program, before) = words.split_first().expect("INVARIANT: there is at least `unshare`");
        let mut command = Command::new(program);
        command.args(before).arg(&order.program).args(["up", "--inside", "--", &order.name]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the parent process.
        command.process_group(0);
        let text = serde_json::to_string(order).map_err(|error| failed(error.to_string()))?;
        let mut house = Self { first: 0, keeper: command.spawn().map_err(|error| failed(error.to_string()))? };
        if let Some(input) = house.keeper.stdin.as_mut() {
            // A process that ends without reading its input reports the reason.
            let _ = writeln!(input, "{text}");
        }
        let mut said = String::new();
        if let Some(out) = house.keeper.stdout.take() {
            let _ = BufReader::new(out).read_line(&mut said);
        }
        if let Some(first) = said.strip_prefix(READY).and_then(|pid| pid.trim().parse().ok()) {
            house.first = first;
            return Ok(house);
        }
        let _ = house.keeper.kill();
        if let Some(err) = house.keeper.stderr.take() {
            let _ = err.take(10_000).read_to_string(&mut said);
        }
        Err(failed(said))
    }

    /// The first process of the namespaces, by its PID outside the namespace.
    pub(super) fn first(&self) -> i32 {
        self.first
    }

    /// The processes that keep the namespaces alive.
    pub(super) fn pids(&self) -> [i32; 2] {
        [self.keeper.id().cast_signed(), self.first]
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // When the first process dies, the kernel kills all others in the namespaces.
        if self.first > 1
            && let Some(first) = Pid::from_raw(self.first)
        {
            let _ = kill_process(first, Signal::KILL);
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

/// Tests whether the agent can run there: the image must have the libraries that the program needs.
pub(super) fn prove(words: &[OsString], image: &Path) -> Result<(), UpError> {
    let failed = |why: &str| {
        refuse(
            format!("`wattle` cannot run in the image `{}`: {}", shown(image), why.trim()),
            "choose an image with a glibc that is at least as new as the one that `wattle` was built with",
        )
    };
    let (program, before) = words.split_first().expect("INVARIANT: there is at least `nsenter`");
    let mut command = Command::new(program);
    command.args(before).args([PROGRAM, "--version"]).stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(&error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(&String::from_utf8_lossy(&output.stderr))) }
}
