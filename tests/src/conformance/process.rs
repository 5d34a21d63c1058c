//! Code of a test binary that runs in another process, which can be killed.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};

/// Another process, which runs an otherwise ignored test of this binary. It is killed on drop, and should end at the end of
/// its standard input, so that a killed test does not leave it behind.
#[derive(Debug)]
pub struct Other(Child);

/// The variable with the other process's task.
const TASK: &str = "WATTLE_TEST_TASK";

impl Other {
    /// Runs the test with this name with `task`, which it gets by [`task`].
    ///
    /// # Panics
    /// If it cannot be started.
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

    /// Kills it with SIGKILL, and waits until it has ended.
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

/// The task given to [`Other::start`]; `None` in a process that was started otherwise.
///
/// # Panics
/// If the number of texts differs.
pub fn task<const N: usize>() -> Option<[String; N]> {
    let task = std::env::var(TASK).ok()?;
    Some(task.split('\n').map(str::to_owned).collect::<Vec<_>>().try_into().expect("as many texts"))
}

/// Waits until the parent process has ended.
///
/// # Panics
/// If there is no standard input.
pub async fn orphaned() {
    tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await.unwrap().unwrap();
}
