//! The files that each server gets before its agent starts: its identity, and what OpenStack would provide.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::json;
use wattle::lower::Seed;
use wattle::model::{IndexMap, Name, Value};

use crate::seed::Credentials;
use crate::store::Address;

use super::folder::{Folder, write_whole};
use super::simulate::{Simulation, identity};

/// Attributes without a value on this machine, by `RESOURCE.ATTRIBUTE.PATH`, each with a server that reads it.
pub(super) type Missing = IndexMap<Name, Name>;

/// The files of the servers.
#[derive(Debug)]
pub(super) struct Servers(IndexMap<Name, Given>);

#[derive(Debug)]
struct Given {
    values: IndexMap<Name, Value>,
    attributes: IndexMap<Name, Value>,
    networks: Vec<Name>,
}

impl Servers {
    /// Prepares the files of servers.
    ///
    /// # Errors
    /// What is not available.
    pub(super) fn new(
        seed: &Seed,
        simulation: &Simulation<'_>,
        addresses: &IndexMap<Name, Ipv4Addr>,
    ) -> Result<Self, Missing> {
        let mut all_missing = Missing::default();
        let servers = seed.servers.keys().map(|server| {
            let (values, missing) = simulation.user_data(seed, server, addresses);
            let (attributes, other) = simulation.published(seed, server, addresses);
            for name in missing.into_iter().chain(other) {
                all_missing.entry(name).or_insert_with(|| server.clone());
            }
            (server.clone(), Given { values, attributes, networks: simulation.networks(server) })
        });
        let servers: IndexMap<_, _> = servers.collect();
        if all_missing.is_empty() { Ok(Self(servers)) } else { Err(all_missing) }
    }

    /// Writes the folders of all servers.
    pub(super) fn write(
        &self,
        folder: &Folder,
        stack: &str,
        space: &Address,
        credentials: &Credentials,
    ) -> io::Result<()> {
        for (server, given) in &self.0 {
            let home = folder.server(server);
            make_home(&home)?;
            let networks: IndexMap<&Name, String> = given.networks.iter().map(|name| (name, identity(name))).collect();
            let credential = credentials.get(server).map(crate::space::Credential::expose).unwrap_or_default();
            let who = json!({
                "stack": stack,
                "server": server,
                "space": space.to_string(),
                "credential": credential,
                "networks": networks,
                "values": given.values,
            });
            write_json(&home.join("identity.json"), &who)?;
            write_json(&home.join("attributes.json"), &json!(given.attributes))?;
        }
        Ok(())
    }
}

/// Creates a server's folder.
pub(super) fn make_home(home: &Path) -> io::Result<()> {
    // Services run as users of their own, below this folder.
    for path in [home.to_owned(), home.join("state")] {
        fs::DirBuilder::new().recursive(true).mode(0o755).create(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

pub(super) fn write_json(path: &Path, value: &serde_json::Value) -> io::Result<()> {
    write_whole(path, format!("{value:#}\n").as_bytes(), 0o600)
}
