//! The simulated cloud over HTTP, for real clients.

use std::process::Command;
use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use wattle_cloud::{Setting, World};
use wattle_runtime::openstack::Simulated;

use crate::command::{apart, wattle};
use crate::running::Foreground;

/// A cloud on a port of this machine, which ends with the process.
#[derive(Debug)]
pub struct CloudServer(Simulated);

impl CloudServer {
    /// Starts a cloud. Its address replaces the one in the setting.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn start(setting: Setting) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let (sender, started) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let (cloud, serving) = Simulated::serve(listener, setting).expect("a socket");
                sender.send(cloud).expect("somebody waits for it");
                serving.await
            })
        });
        Self(started.recv().expect("it starts"))
    }

    /// The URL of its identity service.
    pub fn auth_url(&self) -> String {
        self.0.auth_url()
    }

    /// The cloud itself.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.0.world()
    }
}

/// `wattle cloud` in a separate process.
pub struct CloudProcess {
    folder: tempfile::TempDir,
    running: Foreground,
}

impl CloudProcess {
    /// Starts a cloud with these options.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(wattle());
        command.args(["cloud", "--listen", "127.0.0.1:0", "--takes", "1s"]).args(options);
        apart(command.current_dir(folder.path()), folder.path());
        let mut running = Foreground::start(&mut command);
        running.wait_for("a cloud is at", Duration::from_secs(30));
        Self { folder, running }
    }

    /// The `clouds.yaml` that it wrote.
    ///
    /// # Panics
    /// If it wrote none.
    pub fn clouds(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("clouds.yaml")).expect("it says how to log in")
    }

    /// Ends the process.
    pub fn stop(&mut self) {
        self.running.stop();
    }
}
