//! The agents of all servers of an `up`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinHandle;
use wattle::model::Name;

use super::agent::{Keeper, Kept, Knows, Launch};
use super::folder::Folder;
use super::{processes, sandbox};

/// How to start the agents.
#[derive(Clone, Debug)]
pub(super) struct Launches {
    pub(super) program: PathBuf,
    /// For each server, the command prefix that enters its network and file system.
    pub(super) wrapper: HashMap<Name, Vec<OsString>>,
    /// Variables of their environment.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Further options, besides those for paths.
    pub(super) options: Vec<OsString>,
    pub(super) folder: Folder,
    /// Whether servers are in sandboxes.
    pub(super) in_sandbox: bool,
}

impl Launches {
    fn of(&self, server: &Name) -> Launch {
        let home = self.folder.server(server);
        let (program, kept) = if self.in_sandbox {
            (PathBuf::from(sandbox::PROGRAM), sandbox::own(&home))
        } else {
            (self.program.clone(), home.clone())
        };
        Launch {
            name: server.to_string(),
            program,
            wrapper: self.wrapper.get(server).cloned().unwrap_or_default(),
            variables: self.variables.clone(),
            options: self.options.clone(),
            home,
            kept,
            is_clean: self.in_sandbox,
            knows: Knows::Attributes,
        }
    }
}

/// The agents.
#[derive(Debug)]
pub(super) struct Agents {
    keepers: HashMap<Name, Keeper>,
    /// The tasks that end the software of servers that have left.
    clearing: HashMap<Name, JoinHandle<()>>,
    kept: Arc<Kept>,
}

impl Agents {
    pub(super) fn new() -> Self {
        Self { keepers: HashMap::new(), clearing: HashMap::new(), kept: Arc::default() }
    }

    /// For servers that are no longer among `servers`: waits until their agents have finished tearing down, and then
    /// ends what still runs there, because OpenStack would delete these servers.
    pub(super) fn let_go(&mut self, folder: &Folder, servers: &[Name]) {
        let gone: Vec<Name> = self.keepers.keys().filter(|name| !servers.contains(name)).cloned().collect();
        for server in gone {
            if let Some(keeper) = self.keepers.remove(&server) {
                let clear = clear(keeper, folder.clone(), server.clone(), Arc::clone(&self.kept));
                self.clearing.insert(server, tokio::spawn(clear));
            }
        }
    }

    /// Servers that have left and where nothing runs any longer, each reported once.
    pub(super) fn cleared(&mut self) -> Vec<Name> {
        let over = |(server, clearing): (&Name, &JoinHandle<()>)| clearing.is_finished().then(|| server.clone());
        let cleared: Vec<Name> = self.clearing.iter().filter_map(over).collect();
        self.clearing.retain(|server, _| !cleared.contains(server));
        cleared
    }

    /// Whether something may still run on a server of this name that has left.
    pub(super) fn is_clearing(&self, server: &Name) -> bool {
        self.clearing.contains_key(server)
    }

    /// Whether a server that has left was cleared since the last call of [`Agents::cleared`].
    pub(super) fn has_cleared(&self) -> bool {
        self.clearing.values().any(JoinHandle::is_finished)
    }

    /// Starts the agents of those servers that have none.
    pub(super) fn start<'n>(&mut self, launches: &Launches, servers: impl IntoIterator<Item = &'n Name>) {
        for server in servers {
            let is_kept = self.keepers.get(server).is_some_and(|keeper| !keeper.is_finished());
            if !is_kept {
                let keeper = Keeper::start(launches.of(server), Arc::clone(&self.kept));
                self.keepers.insert(server.clone(), keeper);
            }
        }
    }

    /// Stops restarting agents that end.
    pub(super) fn let_end(&self) {
        self.kept.let_end();
    }

    /// Their process IDs.
    pub(super) fn pids(&self) -> HashSet<i32> {
        self.kept.pids()
    }

    /// Their log lines since the last call.
    pub(super) fn notes(&self) -> Vec<String> {
        self.kept.notes()
    }
}

/// Ends the processes that the recipes of a server that has left have started, once its agent has nothing left to do.
async fn clear(keeper: Keeper, folder: Folder, server: Name, kept: Arc<Kept>) {
    keeper.ended().await;
    let home = folder.server(&server);
    let home = std::path::absolute(&home).unwrap_or(home);
    let forced = processes::end_those_of(&home, || kept.pids()).await;
    // If the server comes back, it is another machine: nothing counts as finished there.
    let state = home.join("agent");
    let forgotten = crate::agent::forget_finished(&state);
    let mut notes = vec![match forced {
        0 => format!("{server} has left: what ran there has been stopped"),
        1 => format!("{server} has left: what ran there has been stopped, 1 process by force"),
        many => format!("{server} has left: what ran there has been stopped, {many} processes by force"),
    }];
    if let Err(error) = forgotten {
        notes.push(format!("cannot use `{}`: {error}", state.display()));
    }
    kept.note(notes);
}
