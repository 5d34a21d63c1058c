//! The conformance suite of stores, against each of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tempfile::TempDir;
use tokio::sync::Mutex;
use wattle_runtime::store::embedded::Server;
use wattle_runtime::store::{Address, Login, Memory, Store};
use wattle_tests::conformance;
use wattle_tests::conformance::{Fixture, Other, orphaned, task};

/// What other processes run, for the cases that need one.
#[tokio::test]
#[ignore = "is started by the cases that need another process"]
async fn another_process() {
    conformance::another_process().await;
}

struct InMemory(Memory);

#[async_trait]
impl Fixture for InMemory {
    async fn operator(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        Arc::new(self.0.login(logins))
    }
}

conformance!(memory, InMemory(Memory::new()));

fn operator() -> Login {
    Login { name: "operator".to_owned(), password: "the password of the operator".to_owned() }
}

/// A server in this process, whose connections can be cut.
struct Embedded {
    folder: TempDir,
    server: Mutex<Option<Server>>,
}

impl Embedded {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Mutex::new(Some(serve(folder.path()).await));
        Self { folder, server }
    }
}

async fn serve(folder: &Path) -> Server {
    Server::start(&folder.join("run/socket"), &folder.join("log"), &operator().principal()).await.unwrap()
}

async fn connect(folder: &Path, logins: &[Login]) -> Arc<dyn Store> {
    Address::Socket(folder.join("run/socket")).connect(logins).await.unwrap()
}

#[async_trait]
impl Fixture for Embedded {
    async fn operator(&self) -> Arc<dyn Store> {
        connect(self.folder.path(), &[operator()]).await
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        connect(self.folder.path(), logins).await
    }

    fn address(&self) -> Option<(Address, Login)> {
        Some((Address::Socket(self.folder.path().join("run/socket")), operator()))
    }

    async fn restart(&self) -> bool {
        let mut server = self.server.lock().await;
        server.take().unwrap().stop().await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        *server = Some(serve(self.folder.path()).await);
        true
    }

    async fn cut(&self) -> bool {
        self.server.lock().await.as_ref().unwrap().disconnect_all();
        true
    }
}

conformance!(embedded, Embedded::new().await);

/// A server in a separate process, which is killed.
struct Killed {
    folder: TempDir,
    server: Mutex<Option<Other>>,
}

impl Killed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Mutex::new(Some(Self::start(folder.path())));
        Self { folder, server }
    }

    fn start(folder: &Path) -> Other {
        Other::start("server", &[folder.to_str().unwrap()])
    }
}

/// The server process of [`Killed`].
#[tokio::test]
#[ignore = "is started by the cases that need another process"]
async fn server() {
    let Some([folder]) = task() else { return };
    let _server = serve(Path::new(&folder)).await;
    orphaned().await;
}

#[async_trait]
impl Fixture for Killed {
    async fn operator(&self) -> Arc<dyn Store> {
        connect(self.folder.path(), &[operator()]).await
    }

    async fn login(&self, logins: &[Login]) -> Arc<dyn Store> {
        connect(self.folder.path(), logins).await
    }

    fn address(&self) -> Option<(Address, Login)> {
        Some((Address::Socket(self.folder.path().join("run/socket")), operator()))
    }

    async fn restart(&self) -> bool {
        let mut server = self.server.lock().await;
        server.take().unwrap().kill();
        *server = Some(Self::start(self.folder.path()));
        true
    }

    /// For clients, this is the same as a cut. Requests in flight are lost.
    async fn cut(&self) -> bool {
        self.restart().await
    }
}

conformance!(killed, Killed::new());
