//! Networks of their own for servers: network namespaces, joined by a bridge (`network_namespaces(7)`, `veth(4)`).
//!
//! All of it stays within 127.0.0.0/8, so nothing that leads elsewhere can be in the way. The kernel takes addresses
//! there for its own and its routes for this machine's, unless it is told otherwise: `route_localnet` lets the bridge
//! carry them, and a route in the table `local`, longer than that of 127.0.0.0/8, leads from here to the servers.

use std::ffi::OsString;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Command;

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};
use wattle::model::Name;

use super::address::{Block, SIZE};
use super::error::UpError;

/// The networks of one `up`. When it is dropped, they are gone.
#[derive(Debug)]
pub(super) struct Namespaces {
    tag: String,
    spaces: IndexMap<Name, String>,
}

impl Namespaces {
    /// The bridge, and the way from here to it.
    pub(super) fn create(servers: &Path, block: &Block) -> Result<Self, UpError> {
        if !rustix::process::geteuid().is_root() {
            return Err(UpError::Network { reason: "only root can".into() });
        }
        let made = Self { tag: tag(servers), spaces: IndexMap::new() };
        let bridge = made.bridge();
        let prefix = SIZE.leading_zeros() + 1;
        ip(&["link", "add", &bridge, "type", "bridge"])?;
        ip(&["link", "set", &bridge, "up"])?;
        ip(&["address", "add", &format!("{}/{prefix}", block.host()), "dev", &bridge])?;
        let switch = format!("/proc/sys/net/ipv4/conf/{bridge}/route_localnet");
        fs::write(&switch, "1").map_err(|error| UpError::Network { reason: format!("{switch}: {error}") })?;
        let (net, host) = (format!("{}/{prefix}", block.first()), block.host().to_string());
        ip(&["route", "add", "unicast", &net, "dev", &bridge, "src", &host, "table", "local"])?;
        Ok(made)
    }

    /// The network of a server; gives what leads a program into it.
    pub(super) fn add(&mut self, server: &Name, address: Ipv4Addr) -> Result<Vec<OsString>, UpError> {
        let words = |space: &str| ["ip", "netns", "exec", space].map(OsString::from).to_vec();
        if let Some(space) = self.spaces.get(server) {
            return Ok(words(space));
        }
        let number = u32::from(address) & (SIZE - 1);
        let (space, port) = (format!("{}-{number}", self.tag), format!("{}p{number}", self.tag));
        let prefix = SIZE.leading_zeros() + 1;
        ip(&["netns", "add", &space])?;
        self.spaces.insert(server.clone(), space.clone());
        ip(&["link", "add", &port, "type", "veth", "peer", "name", "eth0", "netns", &space])?;
        ip(&["link", "set", &port, "master", &self.bridge(), "up"])?;
        // Its own loopback has but one address, so that all others are elsewhere.
        let inner = format!(
            "ip link set lo up && ip address flush dev lo && ip address add 127.0.0.1/32 dev lo && \
             ip link set eth0 up && ip address add {address}/{prefix} dev eth0 && \
             for switch in /proc/sys/net/ipv4/conf/*/route_localnet; do echo 1 >$switch || exit; done"
        );
        ip(&["netns", "exec", &space, "sh", "-c", &inner])?;
        Ok(words(&space))
    }

    fn bridge(&self) -> String {
        format!("{}br", self.tag)
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        remove(&self.tag);
    }
}

/// Removes what is left of the networks of an `up` that was killed.
pub(super) fn clear(servers: &Path) {
    let tag = tag(servers);
    if rustix::process::geteuid().is_root() && Path::new("/sys/class/net").join(format!("{tag}br")).exists() {
        remove(&tag);
    }
}

fn remove(tag: &str) {
    let spaces = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    let own = format!("{tag}-");
    for space in spaces.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.starts_with(&own)) {
        let _ = ip(&["netns", "delete", &space]);
    }
    // Its route goes with it.
    let _ = ip(&["link", "delete", &format!("{tag}br")]);
}

/// What names of one `up` begin with: an interface's has 15 bytes at most.
fn tag(servers: &Path) -> String {
    let digest = Sha256::digest(servers.as_os_str().as_encoded_bytes());
    format!("w{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

fn ip(args: &[&str]) -> Result<(), UpError> {
    let refuse = |reason: String| UpError::Network { reason };
    let output = Command::new("ip").args(args).output();
    let output = output.map_err(|error| refuse(format!("`ip` of iproute2 cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(refuse(format!("`ip {}`: {}", args.iter().take(3).copied().collect::<Vec<_>>().join(" "), said.trim())))
}
