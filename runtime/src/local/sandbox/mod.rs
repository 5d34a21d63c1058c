//! File systems for servers: each server sees an image, and keeps its changes to itself (`wattle up --sandbox`).
//!
//! A server has its own namespaces (namespaces(7)): mounts, processes, hostname, System V IPC, and a network if servers
//! have any. Its root is an overlay (overlayfs in the kernel's documentation) of the image and of a folder in
//! `.wattle/disks`. Its own folder in `.wattle/servers`, the socket of the data space and the program `wattle` are
//! bound into it, at the same paths, so agents need not know that they are sandboxed.
//!
//! The first process of these namespaces is `wattle` itself ([`inside`]). It mounts everything, and then waits until
//! its standard input is closed. That happens when `up` ends, however it ends, and the kernel then kills all processes
//! of the server. No mount is ever made outside, so there is nothing to unmount. Only folders remain: the next `up` or
//! `down` removes those of a killed `up`.
//!
//! This keeps the effects of recipes off the machine. It does not protect against malicious recipes: root still runs
//! them.

mod house;
pub(super) mod image;
pub(super) mod inside;
mod root;
mod tools;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use wattle::model::{IndexMap, Name};

use super::error::UpError;
use super::folder::{Folder, remove};
use super::servers::make_home;

use house::House;
use inside::Order;
use tools::Tools;

/// The name of the folder, within that of a server, in which a sandbox keeps the server's own state.
const OWN: &str = "sandbox";

/// The path of the program `wattle` in a sandbox.
pub(super) const PROGRAM: &str = "/run/wattle/wattle";

/// The sandboxes of one `up`. Dropping this ends the processes in them, and removes their data.
#[derive(Debug)]
pub(super) struct Sandboxes {
    folder: Folder,
    image: PathBuf,
    program: PathBuf,
    has_networks: bool,
    tools: Tools,
    houses: IndexMap<Name, House>,
}

impl Sandboxes {
    /// Prepares to give servers the file system `image`. `program` is that of this process.
    ///
    /// # Errors
    /// What is missing on this machine.
    pub(super) fn new(folder: &Folder, image: &Path, program: &Path, has_networks: bool) -> Result<Self, UpError> {
        let tools = Tools::find()?;
        let (image, program) = (image.to_owned(), program.to_owned());
        Ok(Self { folder: folder.clone(), image, program, has_networks, tools, houses: IndexMap::default() })
    }

    /// Creates the sandbox of a server. `network` is the command prefix that enters its network. Returns the command
    /// prefix that runs a program in the sandbox.
    ///
    /// # Errors
    /// The reason why that is impossible.
    pub(super) fn add(&mut self, server: &Name, network: Vec<OsString>) -> Result<Vec<OsString>, UpError> {
        if let Some(house) = self.houses.get(server) {
            return Ok(self.tools.enter(house.first(), self.has_networks));
        }
        let home = self.folder.server(server);
        make_home(&own(&home)).map_err(UpError::file(&home))?;
        let disks = self.folder.disks();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&disks).map_err(UpError::file(&disks))?;
        let order = Order {
            name: server.to_string(),
            image: self.image.clone(),
            disk: disks.join(&**server),
            home,
            socket: self.folder.socket(),
            program: self.program.clone(),
            has_network: self.has_networks,
        };
        let house = House::build(&self.tools, network, &order)?;
        let words = self.tools.enter(house.first(), self.has_networks);
        if self.houses.is_empty() {
            house::prove(&words, &self.image)?;
        }
        self.houses.insert(server.clone(), house);
        Ok(words)
    }

    /// Removes the sandbox of a server that has left, with all its data.
    pub(super) fn take_away(&mut self, server: &Name) {
        drop(self.houses.shift_remove(server));
        let _ = remove(&self.folder.disks().join(&**server));
        let _ = remove(&own(&self.folder.server(server)));
    }

    /// The processes that keep sandboxes alive. Only this value ends them.
    pub(super) fn pids(&self) -> impl Iterator<Item = i32> {
        self.houses.values().flat_map(House::pids)
    }
}

impl Drop for Sandboxes {
    fn drop(&mut self) {
        self.houses.clear();
        clear(&self.folder);
    }
}

/// The folder for the agent's memory and the recipes' own state, for the server with the folder `home`.
pub(super) fn own(home: &Path) -> PathBuf {
    home.join(OWN)
}

/// Removes the data of sandboxes. Nothing may run in them any longer.
pub(super) fn clear(folder: &Folder) {
    let _ = remove(&folder.disks());
    for home in fs::read_dir(folder.servers()).into_iter().flatten().flatten() {
        let _ = remove(&own(&home.path()));
    }
}

/// An error with advice.
fn refuse(what: impl Into<String>, help: impl Into<String>) -> UpError {
    UpError::Sandbox { what: what.into(), help: help.into() }
}
