//! The real Heat over HTTP, on top of a simulated cloud: its engine and its REST API in one process.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A Heat on a port of this machine, which ends on drop.
#[derive(Debug)]
pub struct HeatServer {
    child: Child,
    port: u16,
}

impl HeatServer {
    /// Starts Heat. It takes `delays` (`TYPE=SECONDS`) to create resources, and does not find those that the file `missing`
    /// names.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(delays: &[&str], missing: &Path) -> Self {
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"));
        command.args(["heat_server.py", "--port", "0", "--until-eof"]).arg("--missing").arg(missing);
        for delay in delays {
            command.args(["--delay", delay]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("tests/heat/run starts");
        let said = BufReader::new(child.stdout.take().expect("a pipe"));
        let ready =
            said.lines().map_while(Result::ok).find_map(|line| line.strip_prefix("ready ")?.trim().parse().ok());
        Self { port: ready.expect("heat_server.py is ready"), child }
    }

    /// Its URL, up to and including the project's ID.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for HeatServer {
    fn drop(&mut self) {
        // It ends at the end of its input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
