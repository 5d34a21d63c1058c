//! Servers of a simulated cloud that run real agents: `wattle cloud --boot`.
//!
//! Each server of the cloud is a folder with its user data and metadata, and an agent that is kept running, at
//! addresses within 127.0.0.0/8. When a server is shut off, nothing runs there. When it starts again, recipes run on
//! the existing state, as after any boot. A new disk is an empty folder.

mod floating;
mod guest;
mod state;

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::JoinHandle;
use wattle::manners::reason;
use wattle_cloud::{Booted, World};

use crate::agent;

use super::address::Block;
use super::agent::{Keeper, Kept, Knows, Launch};
use super::error::UpError;
use super::{folder, processes, proxies};
use floating::Floating;
use guest::Guest;
use state::Place;

/// The servers that were started.
#[derive(Debug)]
pub struct Boot {
    place: Place,
    program: PathBuf,
    kept: Arc<Kept>,
    machines: HashMap<String, Machine>,
    floating: Floating,
    block: Block,
}

/// A server by its ID.
#[derive(Debug)]
struct Machine {
    name: String,
    disk: u32,
    boots: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Off,
    /// On, but without an agent, because its user data requests none.
    Idle,
    On(Keeper),
    Ending(JoinHandle<()>),
}

impl Boot {
    /// Starts without servers. Their folders are below `state`, or otherwise in a folder that is removed at the end.
    /// Ends what killed clouds have left behind. `program` is the agent's.
    ///
    /// # Errors
    /// A folder cannot be used, or there are no addresses left.
    pub async fn start(state: Option<&Path>, program: PathBuf) -> Result<Self, UpError> {
        let place = match state {
            Some(state) => Place::at(state).await?,
            None => Place::temporary().await?,
        };
        let servers = place.servers();
        processes::adopt_orphans().map_err(|error| UpError::file(&servers)(error.into()))?;
        let block = Block::claim(&servers, None).map_err(|source| UpError::Block { source })?;
        let (kept, machines, floating) = (Arc::default(), HashMap::new(), Floating::default());
        Ok(Self { place, program, kept, machines, floating, block })
    }

    /// The first and the last address available to servers.
    pub fn addresses(&self) -> (Ipv4Addr, Ipv4Addr) {
        self.block.ends()
    }

    /// The parent of the servers' folders.
    pub fn servers(&self) -> PathBuf {
        self.place.servers()
    }

    /// Starts and ends agents according to the cloud's changes since the last call. Returns a log line for each.
    pub fn follow(&mut self, world: &World) -> Vec<String> {
        processes::bury(&self.kept.pids());
        let there = world.servers();
        let up: HashMap<&str, &Booted> = there.iter().map(|server| (server.id.as_str(), server)).collect();
        let servers = self.place.servers();
        self.machines.retain(|id, machine| {
            let home = servers.join(id);
            match up.get(id.as_str()) {
                Some(server) if (machine.disk, machine.boots) == (server.disk, server.boots) => {}
                _ => machine.shut(&home, &self.kept),
            }
            let is_gone = !world.has_server(id) && machine.is_off();
            if is_gone {
                self.kept.note(remove(&home).err());
                self.kept.note([format!("{} is gone", machine.name)]);
            }
            !is_gone
        });
        let all: Vec<Ipv4Addr> =
            there.iter().flat_map(Booted::addresses).filter_map(|address| address.parse().ok()).collect();
        for server in &there {
            let is_off = self.machines.get_mut(&server.id).is_none_or(Machine::is_off);
            if is_off {
                let launched = self.boot(server, &all);
                self.machines.insert(server.id.clone(), launched);
            }
        }
        let floating = there.iter().flat_map(|server| &server.ports).flat_map(|port| &port.floating);
        let floating: Vec<(Ipv4Addr, Ipv4Addr)> =
            floating.filter_map(|(floating, fixed)| Some((floating.parse().ok()?, fixed.parse().ok()?))).collect();
        self.floating.follow(&floating);
        self.kept.notes()
    }

    fn boot(&self, server: &Booted, all: &[Ipv4Addr]) -> Machine {
        let (name, home) = (server.name.clone(), self.place.servers().join(&server.id));
        let is_anew = self.machines.get(&server.id).is_none_or(|before| before.disk != server.disk);
        let prepared = Guest::of(server).and_then(|guest| prepare(&home, &guest, is_anew));
        let state = if let Err(why) = prepared {
            self.kept.note([format!("{name} boots nothing: {why}")]);
            State::Idle
        } else {
            State::On(self.launch(server, home, all))
        };
        Machine { name, disk: server.disk, boots: server.boots, state }
    }

    fn launch(&self, server: &Booted, home: PathBuf, all: &[Ipv4Addr]) -> Keeper {
        let (name, addresses) = (&server.name, server.addresses().collect::<Vec<_>>());
        self.kept.note([format!("{name} ({}) boots in {}", addresses.join(", "), home.display())]);
        let is_elsewhere = |address: &&&str| !address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        let elsewhere = addresses.iter().filter(is_elsewhere);
        self.kept.note(elsewhere.map(|address| {
            format!("{name} has no address {address} on this machine: what listens there cannot start")
        }));
        let launch = Launch {
            name: name.clone(),
            program: self.program.clone(),
            wrapper: Vec::new(),
            variables: proxies::variables(all.iter().copied()),
            options: Vec::new(),
            kept: home.clone(),
            home,
            is_clean: false,
            knows: Knows::Metadata,
        };
        Keeper::start(launch, Arc::clone(&self.kept))
    }

    /// Ends everything that was started: gracefully, unless `is_hurried`. Returns the number of processes that were
    /// killed.
    pub async fn end(self, is_hurried: impl Fn() -> bool) -> usize {
        self.kept.let_end();
        let servers = self.place.servers();
        let forced = processes::end_all(|all| processes::left_behind(all, &servers), &HashSet::new(), is_hurried).await;
        self.place.leave();
        forced
    }
}

impl Machine {
    /// Switches the server off, if it is on.
    fn shut(&mut self, home: &Path, kept: &Arc<Kept>) {
        self.state = match std::mem::replace(&mut self.state, State::Off) {
            State::On(keeper) => {
                let (home, kept, name) = (home.to_owned(), Arc::clone(kept), self.name.clone());
                State::Ending(tokio::spawn(async move {
                    let forced = keeper.shut(&home, &kept).await;
                    let how = match forced {
                        0 => String::new(),
                        1 => ", 1 process by force".into(),
                        many => format!(", {many} processes by force"),
                    };
                    kept.note([format!("{name} is off: what ran there has been stopped{how}")]);
                }))
            }
            State::Idle => State::Off,
            same => same,
        };
    }

    /// Whether nothing runs there.
    fn is_off(&mut self) -> bool {
        if matches!(&self.state, State::Ending(ending) if ending.is_finished()) {
            self.state = State::Off;
        }
        matches!(self.state, State::Off)
    }
}

/// Prepares the folder for a booting guest.
fn prepare(home: &Path, guest: &Guest, is_anew: bool) -> Result<(), String> {
    if is_anew {
        remove(home)?;
    }
    let state = home.join("agent");
    guest
        .write(home)
        // Whatever ran before is gone, so nothing counts as finished.
        .and_then(|()| agent::forget_finished(&state))
        .map_err(|error| format!("cannot use `{}`: {}", home.display(), reason(&error)))
}

fn remove(home: &Path) -> Result<(), String> {
    folder::remove(home).map_err(|error| format!("cannot delete `{}`: {}", home.display(), reason(&error)))
}
