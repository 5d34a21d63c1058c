//! The server: one tree for all processes of this machine.

mod connection;
mod requests;

use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

use super::super::Principal;
use super::state::State;
use super::{ServerError, socket};

use connection::serve;
use requests::Shared;

/// A running server. Dropping it ends it.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
    socket: PathBuf,
}

impl Server {
    /// Serves the tree in `log` (an empty one if there is no such file) on `socket`. `operator` has all rights. Missing
    /// folders are created for this user alone, and so is the socket.
    ///
    /// Everything acknowledged to a client survives this process, however it ends. It survives a loss of power once
    /// [`Store::apply`](crate::store::Store::apply) has returned, along with everything before it, or after
    /// [`Server::stop`].
    ///
    /// # Errors
    /// The log or the socket is in use, the log is damaged, or the file system refuses access.
    pub async fn start(socket: &Path, log: &Path, operator: &Principal) -> Result<Self, ServerError> {
        make_folder(log)?;
        make_folder(socket)?;
        let (log, place) = (log.to_owned(), log.to_owned());
        let opening = tokio::task::spawn_blocking(move || State::open(&log));
        let state = opening.await.map_err(io::Error::other).map_err(ServerError::file("open", &place))??;
        let listener = bind(socket).await?;
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            operator: operator.clone(),
            unsent: Mutex::default(),
            cut: Notify::new(),
            stop: Notify::new(),
        });
        let accepting = tokio::spawn(accept(Arc::clone(&shared), listener));
        Ok(Self { shared, accepting, socket: socket.to_owned() })
    }

    /// Ends the server, and waits until everything is on disk and others can open its log.
    ///
    /// # Errors
    /// The log cannot be written to disk.
    pub async fn stop(mut self) -> io::Result<()> {
        let _ = std::fs::remove_file(&self.socket);
        self.shared.stop.notify_one();
        let _ = (&mut self.accepting).await;
        let file = self.shared.state().log_file();
        tokio::task::spawn_blocking(move || {
            file.sync_data()?;
            // A response that waited for the disk may keep the file open a moment longer, but no longer changes it.
            file.unlock()
        })
        .await?
    }

    /// Breaks all connections. Clients reconnect by themselves. Nodes that they hold are gone for a moment.
    pub fn disconnect_all(&self) {
        self.shared.cut.notify_waiters();
    }

    /// The number of clients that wait for a node to change.
    pub fn watching(&self) -> usize {
        self.shared.state().tree.watching()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.accepting.is_finished() {
            let _ = std::fs::remove_file(&self.socket);
            self.accepting.abort();
        }
    }
}

/// Creates the parent folders of `path` for this user alone.
fn make_folder(path: &Path) -> Result<(), ServerError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(ServerError::file("make", folder))
}

/// Creates a socket for this user alone, replacing one that a previous server left behind.
async fn bind(path: &Path) -> Result<UnixListener, ServerError> {
    let fails = || ServerError::file("bind", path);
    let listener = match socket::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            match socket::connect(path).await {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                _ => return Err(ServerError::InUse { path: path.to_owned() }),
            }
            std::fs::remove_file(path).map_err(fails())?;
            socket::bind(path).map_err(fails())?
        }
        bound => bound.map_err(fails())?,
    };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(fails())?;
    Ok(listener)
}

async fn accept(shared: Arc<Shared>, listener: UnixListener) {
    // Its tasks end when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(Arc::clone(&shared), stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot take another connection to the data space");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = shared.stop.notified() => return connections.shutdown().await,
        }
    }
}
