//! The agent's socket, where a running recipe reads inputs and publishes outputs, and where any user of the server can
//! read the agent's state.
//!
//! The protocol is any number of requests and responses, each a line of JSON:
//!
//! - `{"token": T, "get": NAME}` returns `{"value": V}`, with null for an optional input that is not wired.
//! - `{"token": T, "set": NAME, "value": V}` returns `{"ok": true}`.
//! - `{"status": true}` returns the state of everything.
//! - `{"token": T, "signal": HANDLE, "value": V}`, where the token is optional, returns `{"ok": true}` once the signal
//!   is in the data space.
//!
//! If a request fails, the response is `{"error": MESSAGE}`. A token belongs to one run of one recipe.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use rustix::process::geteuid;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use wattle::model::{IndexMap, Value};

use wattle_agent_core::hex;

use crate::recipe::Live;
use crate::store::MAX_DATA;

use super::SOCKET;
use super::shared::{Message, Shared, Snapshot};

/// The maximum length of a Unix socket's path, in bytes: `sun_path` holds 108 with the terminating zero.
const SOCKET_PATH: usize = 107;

/// The maximum number of bytes of a request. JSON may take six for one.
const QUESTION: u64 = 6 * MAX_DATA as u64 + 4_096;

/// The runs with access, by token.
#[derive(Debug, Default)]
pub(super) struct Runs(Arc<Mutex<HashMap<String, Arc<dyn Live>>>>);

impl Runs {
    fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn Live>>> {
        self.0.lock().expect("INVARIANT: nothing panics while it holds the runs")
    }

    /// Gives a run access for as long as the result lives.
    pub(super) fn enter(&self, token: &str, live: &Arc<dyn Live>) -> Entered {
        self.runs().insert(token.to_owned(), Arc::clone(live));
        Entered { runs: Self(Arc::clone(&self.0)), token: token.to_owned() }
    }
}

/// Generates an unguessable text.
pub(super) fn chance() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("INVARIANT: the system has random numbers once it has booted");
    hex(&bytes)
}

/// A run with access, until dropped.
#[derive(Debug)]
pub(super) struct Entered {
    runs: Runs,
    token: String,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.runs.runs().remove(&self.token);
    }
}

/// The socket.
#[derive(Debug)]
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    // The folder that was created for it.
    made: Option<PathBuf>,
}

impl Socket {
    /// Opens the socket in `folder`, or elsewhere if the path would be too long.
    pub(super) fn bind(folder: &Path) -> io::Result<Self> {
        let (path, made) = place(folder, &std::env::temp_dir())?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path, made })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Serves all requests, forever.
    pub(super) async fn serve(&self, shared: &Shared) {
        let mut open: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => open.push(converse(shared, stream).boxed()),
                    // For example, too many open files, which is transient.
                    Err(error) => {
                        tracing::warn!("the agent's socket: {error}");
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    }
                },
                Some(()) = open.next() => {}
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        if let Some(made) = &self.made {
            let _ = fs::remove_dir(made);
        }
    }
}

/// Chooses the path of the socket of the agent with this `folder`: in the folder itself or, if that path is too long,
/// in a folder below `temporary` that is accessible to this user alone, which is also returned. An existing folder
/// there may have been created by another user.
fn place(folder: &Path, temporary: &Path) -> io::Result<(PathBuf, Option<PathBuf>)> {
    let path = std::path::absolute(folder)?.join(SOCKET);
    if path.as_os_str().len() <= SOCKET_PATH {
        return Ok((path, None));
    }
    // The same name as that of a killed agent, unless another user has taken it.
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let known = temporary.join(format!("wattle-agent-{}", hex(&digest[..16])));
    let private = |folder: PathBuf| fs::DirBuilder::new().mode(0o700).create(&folder).map(|()| folder);
    let folder = match private(known.clone()) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_private(&known) => known,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            private(temporary.join(format!("wattle-agent-{}", chance())))?
        }
        made => made?,
    };
    Ok((folder.join(SOCKET), Some(folder)))
}

/// Whether the folder exists, belongs to this user and gives no permissions to others (the last six bits of its mode).
fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| {
        found.is_dir() && found.uid() == geteuid().as_raw() && found.permissions().mode().trailing_zeros() >= 6
    })
}

#[derive(Deserialize)]
struct Question {
    token: Option<String>,
    get: Option<String>,
    set: Option<String>,
    signal: Option<String>,
    #[serde(default)]
    value: Option<Value>,
    #[serde(default)]
    status: bool,
}

async fn converse(shared: &Shared, stream: UnixStream) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let mut line = Vec::new();
        match (&mut reader).take(QUESTION).read_until(b'\n', &mut line).await {
            Ok(read) if read > 0 => {}
            _ => return,
        }
        let is_whole = line.ends_with(b"\n") || (line.len() as u64) < QUESTION;
        let reply = match serde_json::from_slice(&line) {
            Ok(question) => {
                // If the peer is gone, the response is no longer wanted.
                tokio::select! {
                    reply = answer(shared, question) => reply,
                    () = hung_up(&mut reader) => return,
                }
            }
            Err(_) if !is_whole => json!({ "error": format!("a question has at most {QUESTION} bytes") }),
            Err(error) => json!({ "error": format!("expected a question as one line of JSON: {error}") }),
        };
        if writer.write_all(format!("{reply}\n").as_bytes()).await.is_err() || !is_whole {
            return;
        }
    }
}

/// Waits until the peer is gone.
async fn hung_up(reader: &mut BufReader<tokio::net::unix::OwnedReadHalf>) {
    // A further request waits until this one is answered.
    match reader.fill_buf().await {
        Ok(more) if !more.is_empty() => std::future::pending().await,
        _ => {}
    }
}

async fn answer(shared: &Shared, question: Question) -> serde_json::Value {
    if question.status {
        return look(shared).await;
    }
    if let Some(handle) = &question.signal {
        return signal(shared, handle, &question).await;
    }
    let live = question.token.and_then(|token| shared.runs.runs().get(&token).cloned());
    let Some(live) = live else {
        return json!({ "error": "this is not the token of a running recipe: that is in `WATTLE_TOKEN` of its \
                                 environment" });
    };
    match (question.get, question.set, question.value) {
        (Some(name), None, None) => match live.input(&name).await {
            Ok(value) => json!({ "value": value }),
            Err(failure) => json!({ "error": failure.to_string(), "failure": failure }),
        },
        (None, Some(name), Some(value)) => match live.publish(&name, value).await {
            Ok(()) => json!({ "ok": true }),
            Err(broken) => json!({ "error": broken.message }),
        },
        _ => json!({ "error": "expected `get`, `set` with `value`, or `status`" }),
    }
}

/// Handles a signal from a recipe, or from any other program that can open the socket.
async fn signal(shared: &Shared, handle: &str, question: &Question) -> serde_json::Value {
    let token = question.token.as_deref();
    let live = token.and_then(|token| Some((shared.runs.runs().get(token).cloned()?, token)));
    let run = live.as_ref().and_then(|(live, token)| Some((live.component()?, *token)));
    let said = question.value.as_ref().unwrap_or(&Value::Null);
    match shared.signals.signal(handle, said, run).await {
        Ok(()) => json!({ "ok": true }),
        Err(error) => json!({ "error": error }),
    }
}

/// The state of everything.
async fn look(shared: &Shared) -> serde_json::Value {
    let (asker, answer) = oneshot::channel();
    let _ = shared.messages.send(Message::Look(asker));
    match answer.await {
        Ok(Snapshot { server: status, components }) => {
            let status = serde_json::to_value(status).unwrap_or_default();
            let mut shown =
                json!({ "server": shared.server, "components": components.into_iter().collect::<IndexMap<_, _>>() });
            if let (Some(shown), serde_json::Value::Object(status)) = (shown.as_object_mut(), status) {
                shown.extend(status);
            }
            json!({ "status": shown })
        }
        Err(_) => json!({ "error": "the agent ends" }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_socket_is_in_a_folder_that_is_this_users_alone() {
        let temporary = tempfile::tempdir().unwrap();
        assert_eq!(place(Path::new("/run/x"), temporary.path()).unwrap(), ("/run/x/agent.sock".into(), None));
        let long = Path::new("/run").join("x".repeat(SOCKET_PATH));
        let place = || place(&long, temporary.path()).unwrap();
        let (path, made) = place();
        let known = made.unwrap();
        assert!(path.as_os_str().len() <= SOCKET_PATH && path.parent() == Some(&known) && is_private(&known));
        assert_eq!(place().1, Some(known.clone()), "what a killed agent has left is used again");

        // A user who created the folder first could put another socket in place of this one.
        let squat: [&dyn Fn(); 3] = [
            &|| {
                fs::create_dir(&known).unwrap();
                fs::set_permissions(&known, fs::Permissions::from_mode(0o777)).unwrap();
            },
            &|| symlink(temporary.path(), &known).unwrap(),
            &|| fs::write(&known, "").unwrap(),
        ];
        fs::remove_dir(&known).unwrap();
        for squat in squat {
            squat();
            let (path, made) = place();
            let other = made.unwrap();
            assert!(other != known && is_private(&other) && path.parent() == Some(&other));
            if known.is_dir() && !known.is_symlink() {
                fs::remove_dir(&known).unwrap();
            } else {
                fs::remove_file(&known).unwrap();
            }
        }
    }
}
