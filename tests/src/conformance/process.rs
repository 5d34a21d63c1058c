//! What a test binary does in another process: one that can be killed.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};

/// Another process, which runs a test of this binary that is ignored otherwise. It is killed when this is dropped, and
/// should end by itself once its standard input does, so that it is not left behind by a test that is killed.
#[derive(Debug)]
pub struct Other(Child);

/// How the other process is told what to do.
const TASK: &str = "WATTLE_TEST_TASK";

impl Other {
    /// Runs the test of this name with `task`, which it gets by [`task`].
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(test: &str, task: &[&str]) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env(TASK, task.join("\n"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Kills it, as `kill -9` does, and waits until it is gone.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What [`Other::start`] was given; none in a process that was started otherwise.
///
/// # Panics
/// When it is not so many texts.
pub fn task<const N: usize>() -> Option<[String; N]> {
    let task = std::env::var(TASK).ok()?;
    Some(task.split('\n').map(str::to_owned).collect::<Vec<_>>().try_into().expect("as many texts"))
}

/// Waits until whoever started this process is gone.
///
/// # Panics
/// When there is no standard input.
pub async fn orphaned() {
    tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await.unwrap().unwrap();
}
