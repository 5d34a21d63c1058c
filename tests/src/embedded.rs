//! An embedded store for other processes, which can be stopped and started again.

#![expect(clippy::missing_panics_doc, reason = "errors panic in test support")]

use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tempfile::TempDir;
use tokio::sync::oneshot;
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::embedded::Server;

/// A store in a thread of this process, behind a socket.
pub struct Embedded {
    folder: TempDir,
    key: OperatorKey,
    /// The sender that ends it, and its thread.
    runs: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Embedded {
    /// Creates an empty store, whose operator has a new key.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Self { folder, key: OperatorKey::generate(), runs: None };
        store.start();
        store
    }

    /// The address of the store.
    pub fn address(&self) -> String {
        format!("unix:{}", self.folder.path().join("socket").display())
    }

    /// The operator's key.
    pub fn key(&self) -> &OperatorKey {
        &self.key
    }

    /// Writes the operator's key to the path at which a command looks for it.
    pub fn give_key(&self, path: &Path) {
        std::fs::write(path, format!("{}\n", self.key.expose())).expect("writes");
    }

    /// Starts it with the contents of its log.
    pub fn start(&mut self) {
        let [socket, log] = ["socket", "log"].map(|name| self.folder.path().join(name));
        let operator = self.key.login().principal();
        let (end, ends) = oneshot::channel();
        let (says, there) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let server = Server::start(&socket, &log, &operator).await.expect("starts");
                says.send(()).expect("somebody waits");
                // The other side may be gone as well.
                let _ = ends.await;
                server.stop().await.expect("its log is on the disk");
            });
        });
        there.recv().expect("it starts");
        self.runs = Some((end, thread));
    }

    /// Stops it. Clients wait until it is back.
    pub fn stop(&mut self) {
        if let Some((end, thread)) = self.runs.take() {
            let _ = end.send(());
            thread.join().expect("it ends");
        }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.stop();
    }
}
