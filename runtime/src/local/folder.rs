//! The folder in which `up` keeps the state of a topology: `DIR/.wattle` by default.
//!
//! ```text
//! lock                   held while it runs
//! mark                   says that `up` of this user made it
//! up.json                stack, addresses of the servers, what network they are in
//! operator.key           of the embedded store
//! credentials.yaml       of the servers
//! secrets.json           what `--generate-secrets` made
//! space                  the embedded store's log
//! up.log                 what a detached `up` says
//! servers/NAME/          one server: agent.log and agent.log.1, identity.json, agent/ (its journal), WATTLE_STATE_DIR as state/;
//!                        the last two are in sandbox/ if the server is in a sandbox
//! disks/NAME/            what a server in a sandbox has written elsewhere, while it is up
//! ```

use std::fs::{self, File, TryLockError};
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle::manners::{must_end, read};
use wattle::model::{IndexMap, Name, json};

use crate::lock::ALONE;

/// How often to check whether it is still running.
const LOOK: Duration = Duration::from_millis(200);

/// The contents of a state's `.gitignore`.
pub(super) const IGNORE: &str = "*\n";

/// Removes a folder with its contents, if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The folder with the state of one `up`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    directory: PathBuf,
    state: PathBuf,
}

/// The record of an `up`, which outlives it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The stack.
    pub stack: String,
    /// The process that runs it, or last ran it.
    pub pid: u32,
    /// When that process began, in ticks since the machine booted (`proc_pid_stat(5)`): its ID may belong to another
    /// one by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<u64>,
    /// The emitted directory, as it was given to `up`.
    pub directory: PathBuf,
    /// The network of the servers.
    pub network: Network,
    /// Why the servers have no networks of their own, unless that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_loopback: Option<String>,
    /// The file system of sandboxed servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<PathBuf>,
    /// The servers.
    pub servers: Vec<Name>,
    /// The addresses of the servers, and of ports that belong to none.
    pub addresses: IndexMap<Name, Ipv4Addr>,
    /// The given values of other stacks, by `STACK:EXPORT`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub imports: IndexMap<String, String>,
}

/// The network of the servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// This machine's. Each server has an address of its own.
    #[default]
    Loopback,
    /// A network for each server, so that each has all ports to itself.
    Namespaces,
}

/// Keeps other processes from running the same topology.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held, not read")] File);

impl Folder {
    /// Returns the state beside the emitted files in `directory`, or `directory` itself if it contains a state.
    pub fn of(directory: &Path) -> Self {
        let inner = directory.join(".wattle");
        let state = if directory.join("up.json").is_file() { directory.to_owned() } else { inner };
        Self { directory: directory.to_owned(), state }
    }

    /// Returns the state at `state`, for the files emitted to `directory`.
    pub fn at(directory: &Path, state: &Path) -> Self {
        Self { directory: directory.to_owned(), state: state.to_owned() }
    }

    /// The emitted directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path by which [`Folder::of`] finds it.
    pub fn name(&self) -> &Path {
        if Self::of(&self.directory).state == self.state { &self.directory } else { &self.state }
    }

    /// The folder of the state.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Creates the folder. Others may traverse it, because services run as users of their own.
    ///
    /// # Errors
    /// The file system refuses access.
    pub fn create(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o755).create(&self.state)?;
        // If the output is in a repository, the state must not be committed.
        let ignore = self.state.join(".gitignore");
        if !ignore.exists() {
            fs::write(ignore, IGNORE)?;
        }
        fs::DirBuilder::new().recursive(true).mode(0o755).create(self.state.join("servers"))
    }

    /// Takes the lock. Returns `None` if another process holds it.
    ///
    /// # Errors
    /// The file system refuses access.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        let path = self.state.join("lock");
        must_end(&path)?;
        let file = File::options().create(true).append(true).mode(ALONE).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether a process is running it.
    pub fn is_running(&self) -> bool {
        self.state.join("lock").exists() && matches!(self.lock(), Ok(None))
    }

    /// Reads the record.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn record(&self) -> io::Result<Option<Record>> {
        match read(&self.state.join("up.json")) {
            Ok(text) => json::read(text.as_bytes()).map(Some).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The file system refuses access.
    pub fn remember(&self, record: &Record) -> io::Result<()> {
        write_whole(
            &self.state.join("up.json"),
            format!("{}\n", serde_json::to_string_pretty(record)?).as_bytes(),
            0o644,
        )
    }

    /// The socket of the store.
    pub fn socket(&self) -> PathBuf {
        std::path::absolute(&self.state).unwrap_or_else(|_| self.state.clone()).join("space.sock")
    }

    /// The log of the store.
    pub fn space(&self) -> PathBuf {
        self.state.join("space")
    }

    /// The key of the store's operator.
    pub fn operator_key(&self) -> PathBuf {
        self.state.join("operator.key")
    }

    /// The credentials of the servers.
    pub fn credentials(&self) -> PathBuf {
        self.state.join("credentials.yaml")
    }

    /// Generated secrets.
    pub fn secrets(&self) -> PathBuf {
        self.state.join("secrets.json")
    }

    /// The output of a detached `up`.
    pub fn log(&self) -> PathBuf {
        self.state.join("up.log")
    }

    /// The parent folder of all servers, as an absolute path, which distinguishes the processes of one `up` from those
    /// of another.
    pub fn servers(&self) -> PathBuf {
        let state = self.state.canonicalize().or_else(|_| std::path::absolute(&self.state));
        state.unwrap_or_else(|_| self.state.clone()).join("servers")
    }

    /// The parent folder of the disks of sandboxed servers.
    pub fn disks(&self) -> PathBuf {
        self.servers().with_file_name("disks")
    }

    /// The folder of one server.
    pub fn server(&self, server: &str) -> PathBuf {
        self.servers().join(server)
    }
}

/// Waits until no process runs `folder` any longer.
pub async fn gone(folder: &Folder) {
    while folder.is_running() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Finds all folders with a state: `directory` itself and those in its `out`.
pub fn below(directory: &Path) -> Vec<Folder> {
    let emitted = fs::read_dir(directory.join("out")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = emitted.filter(|path| path.is_dir()).collect();
    found.sort();
    let found = std::iter::once(directory.to_owned()).chain(found);
    found.map(|path| Folder::of(short(&path))).filter(|folder| folder.state().is_dir()).collect()
}

/// Strips a leading `./` from a path. `.` alone stays, because an empty name would not be a directory.
fn short(path: &Path) -> &Path {
    path.strip_prefix("./").ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(path)
}

/// Writes a file completely or not at all.
///
/// # Errors
/// The file system refuses access.
pub fn write_whole(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    // Replace an existing entry, which may be a link, instead of writing through it.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::options().create_new(true).write(true).mode(mode).open(&new)?;
    io::Write::write_all(&mut file, content)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directory_keeps_a_name() {
        for (path, expected) in [(".", "."), ("./", "./"), ("./out/shop", "out/shop"), ("/srv/shop", "/srv/shop")] {
            assert_eq!(short(Path::new(path)), Path::new(expected));
        }
    }
}
