//! Starts and ends a topology.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::process::{Signal, kill_process};
use wattle::lower::Seed;
use wattle::model::{IndexMap, Name, Value};

use crate::agent;
use crate::seed::{
    self, Applied, Credentials, Files, Given, Options, SeedError, read_operator_key, write_operator_key,
};
use crate::space::{OperatorKey, Space};
use crate::store::embedded::Server;
use crate::store::{Address, Store};

use super::address::Block;
use super::agents::{Agents, Launches};
use super::error::UpError;
use super::folder::{Folder, Lock, Network, Record};
use super::namespaces::{self, Namespaces};
use super::sandbox::{self, Sandboxes};
use super::servers::Servers;
use super::simulate::Simulation;
use super::{processes, proxies, secrets};

/// The requested topology.
#[derive(Debug)]
pub struct Wish {
    /// The emitted seed, with the given values of other stacks.
    pub seed: Seed,
    /// Those values, by `STACK:EXPORT`.
    pub imports: IndexMap<String, String>,
    /// The files beside it.
    pub files: Files,
    /// The values of its parameters.
    pub given: Given,
    /// Whether to generate secret parameters without a value.
    pub generate_secrets: bool,
    /// Attributes that OpenStack would provide, by `RESOURCE.ATTRIBUTE.PATH`.
    pub attributes: IndexMap<Name, Value>,
    /// The network of the servers. `None` gives them networks of their own if these reach everything that this machine
    /// reaches.
    pub network: Option<Network>,
    /// The folder with the root file system of the servers, each of which keeps its changes to itself. `None` gives
    /// them that of this machine.
    pub sandbox: Option<PathBuf>,
    /// Options of the agents.
    pub options: Vec<OsString>,
    /// Whether to retry unchanged components.
    pub again: bool,
}

/// A running topology: the store, and the agents.
#[derive(Debug)]
pub struct Up {
    folder: Folder,
    space: Space,
    launches: Launches,
    agents: Agents,
    // Declared before the networks, so that it is dropped before them: networks in use cannot be removed.
    sandboxes: Option<Sandboxes>,
    network: Option<Namespaces>,
    _block: Block,
    server: Server,
    _lock: Lock,
}

impl Up {
    /// Starts the topology that `wish` describes. `lock` is that of the folder.
    ///
    /// # Errors
    /// The reason why that is impossible.
    pub async fn start(folder: &Folder, lock: Lock, wish: Wish, program: PathBuf) -> Result<(Self, Applied), UpError> {
        let state = folder.state();
        // A process that gets the lock after a killed one also inherits its processes.
        processes::end_left_behind(&folder.servers()).await;
        sandbox::clear(folder);
        namespaces::clear();
        processes::adopt_orphans().map_err(|error| UpError::file(state)(error.into()))?;
        let before = folder.record().map_err(UpError::file(state))?.unwrap_or_default();
        let block = Block::claim(&folder.servers(), before.addresses.first().map(|(_, address)| *address))
            .map_err(|source| UpError::Block { source })?;
        let plan = Prepared::new(folder, &wish, &before.addresses, |names, before| block.assign(names, before))?;
        let key = operator_key(folder)?;
        let server = Server::start(&folder.socket(), &folder.space(), &key.login().principal()).await?;
        let store = Address::Socket(folder.socket()).connect(&[key.login()]).await?;
        // The machines boot: whatever ran on them before is gone, so nothing counts as finished.
        for server in wish.seed.servers.keys() {
            let home = folder.server(server).join("agent");
            agent::forget_finished(&home).map_err(UpError::file(home))?;
        }
        let applied = plan.apply(folder, &store, key, &wish, true).await?;
        let (network, why_loopback) = networks(wish.network, folder, &block).await?;
        let sandboxes = wish.sandbox.as_ref().map(|image| Sandboxes::new(folder, image, &program, network.is_some()));
        let sandboxes = sandboxes.transpose()?;
        let launches = Launches {
            program,
            wrapper: HashMap::new(),
            variables: Vec::new(),
            options: wish.options.clone(),
            folder: folder.clone(),
            in_sandbox: sandboxes.is_some(),
        };
        let space = Space::new(store, &applied.stack);
        let mut up = Self {
            folder: folder.clone(),
            space,
            launches,
            agents: Agents::new(),
            sandboxes,
            network,
            _block: block,
            server,
            _lock: lock,
        };
        let mut record = plan.record(&wish, &applied);
        (record.network, record.why_loopback) = (up.kind(), why_loopback);
        up.start_agents(&record)?;
        Ok((up, applied))
    }

    /// The data space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn kind(&self) -> Network {
        if self.network.is_some() { Network::Namespaces } else { Network::Loopback }
    }

    /// Starts the agents of servers that were added to the record, and ends what runs on those that have left.
    ///
    /// # Errors
    /// The reason why that is impossible.
    pub fn reconcile(&mut self) -> Result<(), UpError> {
        match self.folder.record().map_err(UpError::file(self.folder.state()))? {
            Some(record) => self.start_agents(&record),
            None => Ok(()),
        }
    }

    fn start_agents(&mut self, record: &Record) -> Result<(), UpError> {
        self.agents.let_go(&self.folder, &record.servers);
        for server in self.agents.cleared() {
            if let Some(sandboxes) = &mut self.sandboxes {
                sandboxes.take_away(&server);
            }
            if let Some(network) = &mut self.network {
                network.take_away(&server)?;
            }
        }
        // A new server may have the name or the address of one that has left.
        let comes = |server: &&Name| {
            let address = record.addresses.get(*server);
            let is_taken = |network: &Namespaces| address.is_some_and(|address| network.is_taken(server, *address));
            !self.agents.is_clearing(server) && !self.network.as_ref().is_some_and(is_taken)
        };
        let servers: Vec<Name> = record.servers.iter().filter(comes).cloned().collect();
        for server in &servers {
            let mut wrapper = Vec::new();
            if let (Some(network), Some(address)) = (&mut self.network, record.addresses.get(server)) {
                wrapper = network.add(server, *address)?;
            }
            if let Some(sandboxes) = &mut self.sandboxes {
                wrapper = sandboxes.add(server, wrapper)?;
            }
            self.launches.wrapper.insert(server.clone(), wrapper);
        }
        self.launches.variables = proxies::variables(record.addresses.values().copied());
        self.agents.start(&self.launches, &servers);
        self.folder.remember(record).map_err(UpError::file(self.folder.state()))
    }

    /// Maintains the processes. Returns log lines about agents.
    ///
    /// # Errors
    /// An agent cannot be started.
    pub fn look_after(&mut self) -> Result<Vec<String>, UpError> {
        processes::bury(&self.agents.pids());
        if self.agents.has_cleared() {
            self.reconcile()?;
        }
        Ok(self.agents.notes())
    }

    /// Ends everything that was started: gracefully, unless `is_hurried`. Returns the number of processes that were
    /// killed.
    pub async fn end(self, is_hurried: impl Fn() -> bool) -> usize {
        self.agents.let_end();
        let servers = self.folder.servers();
        let spared = self.sandboxes.iter().flat_map(Sandboxes::pids).collect();
        let forced = processes::end_all(|all| processes::left_behind(all, &servers), &spared, is_hurried).await;
        drop(self.sandboxes);
        drop(self.network);
        // There are no writers left, and unflushed data is not needed.
        let _ = self.server.stop().await;
        let _ = std::fs::remove_file(self.folder.socket());
        forced
    }
}

/// The servers' own networks, or why they have none although that was not requested.
async fn networks(
    wish: Option<Network>,
    folder: &Folder,
    block: &Block,
) -> Result<(Option<Namespaces>, Option<String>), UpError> {
    if wish == Some(Network::Loopback) {
        return Ok((None, None));
    }
    let (servers, first) = (folder.servers(), block.first());
    let making = tokio::task::spawn_blocking(move || Namespaces::create(&servers, first));
    match making.await.expect("INVARIANT: making networks does not panic") {
        Ok(made) => Ok((Some(made), None)),
        Err(error) if wish.is_some() => Err(error),
        Err(UpError::Network { reason }) => Ok((None, Some(reason))),
        Err(error) => Ok((None, Some(error.to_string()))),
    }
}

/// Makes `wish` the next revision of what already runs in `folder`.
///
/// # Errors
/// The reason why that is impossible.
pub async fn renew(folder: &Folder, wish: &Wish) -> Result<(Space, Applied), UpError> {
    let state = folder.state();
    let before = folder.record().map_err(UpError::file(state))?.unwrap_or_default();
    let first = before.addresses.first().map_or(Ipv4Addr::LOCALHOST, |(_, address)| *address);
    let plan = Prepared::new(folder, wish, &before.addresses, |names, before| {
        super::address::assign(super::address::block_of(first), names, before)
    })?;
    let key = operator_key(folder)?;
    let store = Address::Socket(folder.socket()).connect(&[key.login()]).await?;
    let applied = plan.apply(folder, &store, key, wish, wish.again).await?;
    let mut record = plan.record(wish, &applied);
    (record.pid, record.began) = (before.pid, before.began);
    (record.network, record.why_loopback) = (before.network, before.why_loopback);
    record.sandbox = before.sandbox;
    folder.remember(&record).map_err(UpError::file(state))?;
    if let Ok(pid) = folder.keeper() {
        let _ = kill_process(pid, Signal::USR1);
    }
    Ok((Space::new(store, &applied.stack), applied))
}

/// The servers' files, before they are written.
#[derive(Debug)]
struct Prepared {
    servers: Servers,
    addresses: IndexMap<Name, Ipv4Addr>,
    given: Given,
    directory: PathBuf,
}

impl Prepared {
    fn new(
        folder: &Folder,
        wish: &Wish,
        before: &IndexMap<Name, Ipv4Addr>,
        assign: impl FnOnce(&[Name], &IndexMap<Name, Ipv4Addr>) -> Option<IndexMap<Name, Ipv4Addr>>,
    ) -> Result<Self, UpError> {
        let seed = &wish.seed;
        // Check before writing, because folders have these names.
        seed::check_names(seed)?;
        let given = secrets::complete(folder, seed, wish.given.clone(), wish.generate_secrets)?;
        let missing = given.missing(seed);
        if !missing.is_empty() {
            let missing = missing.into_iter().map(|(name, parameter)| (name.clone(), parameter.ty.clone())).collect();
            return Err(SeedError::Parameters { missing, faults: given.unknown(seed) }.into());
        }
        let simulation = Simulation::new(folder.directory(), &wish.attributes);
        let faults = simulation.unknown(seed);
        if !faults.is_empty() {
            return Err(UpError::UnknownAttributes { faults });
        }
        let hosts: Vec<Name> = simulation.hosts(seed).into_iter().collect();
        let addresses = assign(&hosts, before).ok_or(UpError::Addresses { servers: hosts.len() })?;
        let servers = Servers::new(seed, &simulation, &addresses).map_err(|names| UpError::Attributes { names })?;
        Ok(Self { servers, addresses, given, directory: folder.directory().to_owned() })
    }

    /// Writes the servers' folders and the seed.
    async fn apply(
        &self,
        folder: &Folder,
        store: &Arc<dyn Store>,
        key: OperatorKey,
        wish: &Wish,
        again: bool,
    ) -> Result<Applied, UpError> {
        let file = folder.credentials();
        let address = Address::Socket(folder.socket());
        let mut options = Options::new(key);
        options.given = self.given.clone();
        options.files = wish.files.clone();
        options.again = again;
        options.credentials = Credentials::read(&file)?.believing(&options.key);
        options.credentials.complete(&wish.seed, &options.key);
        options.credentials.write(&file, &wish.seed.stack, &address.to_string(), "")?;
        let written = self.servers.write(folder, &wish.seed.stack, &address, &options.credentials);
        written.map_err(UpError::file(folder.servers()))?;
        match Box::pin(seed::apply(store, &wish.seed, &options)).await {
            // Only this user writes to it, and an earlier version signed nothing.
            Err(SeedError::Tampered { .. }) => {
                options.restore = true;
                Ok(Box::pin(seed::apply(store, &wish.seed, &options)).await?)
            }
            applied => Ok(applied?),
        }
    }

    fn record(&self, wish: &Wish, applied: &Applied) -> Record {
        Record {
            stack: applied.stack.clone(),
            pid: std::process::id(),
            began: processes::of(std::process::id().cast_signed()).map(|own| own.began),
            directory: std::path::absolute(&self.directory).unwrap_or_else(|_| self.directory.clone()),
            network: wish.network.unwrap_or_default(),
            why_loopback: None,
            sandbox: wish.sandbox.clone(),
            servers: wish.seed.servers.keys().cloned().collect(),
            addresses: self.addresses.clone(),
            imports: wish.imports.clone(),
        }
    }
}

/// The key of the store's operator.
fn operator_key(folder: &Folder) -> Result<OperatorKey, UpError> {
    let file = folder.operator_key();
    let key = read_operator_key(&file)?;
    key.ok_or_else(|| UpError::file(file)(std::io::ErrorKind::NotFound.into()))
}

/// Marks the state as this user's, and creates the key of its store's operator if it does not exist. The caller must
/// hold the lock, or act for a process that does, and must have checked the folder, or the user must have declared it
/// as theirs.
///
/// # Errors
/// The file system refuses access, or the key is malformed.
pub fn mark(folder: &Folder) -> Result<(), UpError> {
    let file = folder.operator_key();
    let before = read_operator_key(&file)?;
    let is_new = before.is_none();
    let key = before.unwrap_or_else(OperatorKey::generate);
    // In this order, because a key without a mark would look like someone else's.
    folder.mark(key.expose().as_bytes()).map_err(UpError::file(folder.state()))?;
    if is_new {
        write_operator_key(&file, &key)?;
    }
    Ok(())
}

/// The values of exports that servers would get in their user data, as text.
pub fn user_data(folder: &Folder, seed: &Seed, record: &Record) -> HashMap<Name, String> {
    let none = IndexMap::default();
    Simulation::new(folder.directory(), &none).exported(seed, &record.addresses)
}
