//! Networks for servers: network namespaces, connected by a bridge (`network_namespaces(7)`, `veth(4)`).
//!
//! A server has an address within 127.0.0.0/8, which cannot conflict with any external route. By default, the kernel
//! takes addresses there for its own, and their routes for this machine's. `route_localnet` lets the bridge carry them,
//! and a route in the table `local`, longer than that of 127.0.0.0/8, leads to the servers, from this machine and from
//! each other.
//!
//! Outgoing traffic comes from a second address, in a network that this machine has no route to, and is translated to
//! this machine's own address. These things are created, in this order: an entry in the [register], the bridge,
//! `forwarding` of interfaces, an `nft` table, and for each server a namespace and a cable. All their names begin with
//! the tag of the `up`, by which they are found again if it was killed.
//!
//! These are the changes to the machine:
//!
//! - An `nft` table for each `up`: address translation for outgoing traffic, and access to those resolvers and proxies
//!   that listen on the machine's loopback interface, at the same address for servers. Foreign rules, chains and
//!   policies are not changed.
//! - `forwarding` of the bridge, and of those uplinks that do not forward. `ip_forward` is not changed. The table keeps
//!   interfaces that forward only for this reason from forwarding anything else between them.
//! - An entry in `/run/wattle`, locked while its `up` lives. The next `up` or `down`, of any topology, removes
//!   everything that belongs to unlocked entries. The last one restores `forwarding`.

mod firewall;
mod forwarding;
mod needs;
mod outside;
mod probe;
mod register;
mod tools;

use std::ffi::OsString;
use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use wattle::model::{IndexMap, Name};

use super::address::{LAST, SIZE};
use super::error::UpError;

use needs::Needs;
use outside::Outside;
use register::Register;
use tools::{Tools, refuse};

/// The prefix of the bridges' names. The name of an interface has at most 15 bytes.
const BRIDGE: &str = "wattle-";
/// The first of the ports at which servers reach services of this machine's loopback interface.
const PORTS: u16 = 52_910;
/// Where `ip netns` keeps namespaces (ip-netns(8)).
const SPACES: &str = "/run/netns";

/// The networks of one `up`. Dropping this removes them.
#[derive(Debug)]
pub(super) struct Namespaces {
    net: Net,
    tools: Tools,
    needs: Needs,
    mtu: u32,
    /// The number of each server's network.
    spaces: IndexMap<Name, u32>,
    _entry: File,
}

/// Names and addresses.
#[derive(Clone, Debug)]
struct Net {
    tag: String,
    /// The first of the servers' addresses.
    block: Ipv4Addr,
    /// The first of their source addresses for outgoing traffic.
    way_out: Ipv4Addr,
}

impl Namespaces {
    /// Creates the bridge, and the routes between it, this machine, and the outside. `block` is the first of the
    /// servers' addresses.
    ///
    /// # Errors
    /// What is missing for servers to reach what this machine reaches.
    pub(super) fn create(servers: &Path, block: Ipv4Addr) -> Result<Self, UpError> {
        if !rustix::process::geteuid().is_root() {
            return Err(refuse("only root can"));
        }
        let tools = Tools::find()?;
        let tag = tag(servers);
        let entry = {
            let register = Register::open()?;
            register.sweep(|tag| remove(&tools, tag));
            register.enter(&tag)?
        };
        // From here on, dropping this undoes everything after a failure.
        let net = Net { tag, block, way_out: Ipv4Addr::UNSPECIFIED };
        let mut made = Self { net, tools, needs: Needs::read(), mtu: 0, spaces: IndexMap::default(), _entry: entry };
        let outside = made.link()?;
        made.prove(&outside)?;
        Ok(made)
    }

    fn link(&mut self) -> Result<Outside, UpError> {
        // Two processes that look for a free network at the same time would find the same one.
        let register = Register::open()?;
        let outside = Outside::read(&self.tools)?;
        self.mtu = outside.mtu;
        self.net.way_out = outside.free(u32::from(self.net.block) / SIZE, &self.needs.addresses())?;
        let (bridge, prefix, mtu) = (self.net.bridge(), Net::PREFIX, self.mtu);
        let (block, host, way_out) = (self.net.block, self.net.host(), self.net.way_out(LAST));
        // A fixed address does not change to that of a cable.
        let hardware = self.net.hardware();
        self.tools.ip_all(&format!(
            "link add {bridge} address {hardware} mtu {mtu} type bridge
link set {bridge} up
address add {host}/{prefix} dev {bridge}
address add {way_out}/{prefix} dev {bridge}
"
        ))?;
        forwarding::write(&bridge, "route_localnet", "1")?;
        forwarding::set(&bridge, "1")?;
        self.tools.ip_all(&format!("route add unicast {block}/{prefix} dev {bridge} src {host} table local\n"))?;
        let switched = forwarding::switch_on(&register, &outside.uplinks)?;
        self.tools.nft(&firewall::here(&self.net, &self.needs.own, &switched))?;
        Ok(outside)
    }

    /// Tests, in a dedicated network, whether everything that this machine reaches can be reached there.
    fn prove(&mut self, outside: &Outside) -> Result<(), UpError> {
        let name = Name::from("(probe)");
        self.add(&name, self.net.address(LAST - 1))?;
        let space = Path::new(SPACES).join(self.net.space(LAST - 1));
        let missing = probe::missing(&self.needs, &outside.gateways, &space);
        self.take_away(&name)?;
        let Some(what) = missing else { return Ok(()) };
        let why = match firewall::culprit(&self.tools) {
            Some(chain) => format!(
                ", because the firewall's chain {chain} lets nothing through; accept there what comes from and goes to \
                 the interfaces `{BRIDGE}*`"
            ),
            None => "; check what the firewall here does to the interfaces `wattle-*`".into(),
        };
        Err(refuse(format!("from there, {what} cannot be reached{why}")))
    }

    /// Creates the network of a server. Returns the command prefix that runs a program in it.
    pub(super) fn add(&mut self, server: &Name, address: Ipv4Addr) -> Result<Vec<OsString>, UpError> {
        let ip = self.tools.ip.clone().into_os_string();
        let words = |space: &str| [ip.clone(), "netns".into(), "exec".into(), space.into()].to_vec();
        if let Some(number) = self.spaces.get(server) {
            return Ok(words(&self.net.space(*number)));
        }
        let number = u32::from(address) & (SIZE - 1);
        let (space, port, bridge) = (self.net.space(number), self.net.port(number), self.net.bridge());
        self.tools.ip(&["netns", "add", &space])?;
        self.spaces.insert(server.clone(), number);
        let mtu = self.mtu;
        self.tools.ip_all(&format!(
            "link add {port} mtu {mtu} type veth peer name eth0 mtu {mtu} netns {space}
link set {port} master {bridge} up
"
        ))?;
        let (prefix, block) = (Net::PREFIX, self.net.block);
        let (way_out, gateway) = (self.net.way_out(number), self.net.way_out(LAST));
        let rules = firewall::there(&self.net, number, &self.needs.own, &self.needs.stubs);
        let inner = format!(
            "set -e
ip=$1 nft=$2
$ip -batch - <<'END'
link set lo up
link set eth0 up
address add {address}/{prefix} dev eth0 noprefixroute
address add {way_out}/{prefix} dev eth0
route add default via {gateway} dev eth0 src {way_out}
END
for switch in /proc/sys/net/ipv4/conf/*/route_localnet; do echo 1 >$switch; done
$ip route add unicast {block}/{prefix} dev eth0 src {address} table local
$nft -f - <<'END'
{rules}END
"
        );
        let mut args = words(&space).split_off(1);
        args.extend(["sh", "-c", &inner, "sh"].map(OsString::from));
        args.extend([ip.clone(), self.tools.nft.clone().into_os_string()]);
        tools::run(&self.tools.ip, &args, "")?;
        Ok(words(&space))
    }

    /// Whether another server has this address.
    pub(super) fn is_taken(&self, server: &Name, address: Ipv4Addr) -> bool {
        let number = u32::from(address) & (SIZE - 1);
        self.spaces.iter().any(|(name, taken)| name != server && *taken == number)
    }

    /// Removes the network of a server that has left. Nothing may run there any longer.
    pub(super) fn take_away(&mut self, server: &Name) -> Result<(), UpError> {
        let Some(number) = self.spaces.shift_remove(server) else { return Ok(()) };
        self.tools.ip(&["netns", "delete", &self.net.space(number)])?;
        // Its cable is removed with it, but not at once.
        let _ = self.tools.ip(&["link", "delete", &self.net.port(number)]);
        Ok(())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        match Register::open() {
            Ok(register) => {
                remove(&self.tools, &self.net.tag);
                register.leave(&self.net.tag);
            }
            Err(_) => remove(&self.tools, &self.net.tag),
        }
    }
}

/// Removes the remaining networks of every killed `up`.
pub(super) fn clear() {
    if !rustix::process::geteuid().is_root() || !Register::is_in_use() {
        return;
    }
    if let (Ok(tools), Ok(register)) = (Tools::find(), Register::open()) {
        register.sweep(|tag| remove(&tools, tag));
    }
}

/// Removes everything whose name has this tag. If something cannot be removed, continues with the rest.
fn remove(tools: &Tools, tag: &str) {
    let spaces = fs::read_dir(SPACES).into_iter().flatten().flatten();
    for space in spaces.filter_map(|entry| entry.file_name().into_string().ok()) {
        if space.starts_with(&format!("{tag}-")) {
            let _ = tools.ip(&["netns", "delete", &space]);
        }
    }
    // Cables are removed with their namespaces, but not at once, nor while a process is in the namespace.
    let (cable, bridge) = (format!("{tag}p"), bridge(tag));
    for link in tools.links().into_iter().flatten() {
        if link.name.starts_with(&cable) || link.name == bridge {
            let _ = tools.ip(&["link", "delete", &link.name]);
        }
    }
    let _ = tools.nft(&format!("add table ip {tag}\ndelete table ip {tag}\n"));
}

/// The prefix of the names of one `up`.
fn tag(servers: &Path) -> String {
    let digest = Sha256::digest(servers.as_os_str().as_encoded_bytes());
    format!("w{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

/// The bridge of the `up` whose names have this tag.
fn bridge(tag: &str) -> String {
    format!("{BRIDGE}{}", tag.trim_start_matches('w'))
}

impl Net {
    /// The prefix length of the networks.
    const PREFIX: u32 = SIZE.leading_zeros() + 1;

    fn bridge(&self) -> String {
        bridge(&self.tag)
    }

    fn table(&self) -> &str {
        &self.tag
    }

    fn space(&self, number: u32) -> String {
        format!("{}-{number}", self.tag)
    }

    fn port(&self, number: u32) -> String {
        format!("{}p{number}", self.tag)
    }

    /// The address of a server.
    fn address(&self, number: u32) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(self.block) + number)
    }

    /// The source address of a server for outgoing traffic.
    fn way_out(&self, number: u32) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(self.way_out) + number)
    }

    /// This machine's address among those of the servers.
    fn host(&self) -> Ipv4Addr {
        self.address(LAST)
    }

    /// The MAC address of the bridge, which is locally administered (IEEE 802).
    fn hardware(&self) -> String {
        let [_, a, b, _] = self.block.octets();
        let tag = self.tag.as_bytes();
        format!("02:{a:02x}:{b:02x}:{:02x}:{:02x}:{:02x}", tag[1], tag[2], tag[3])
    }
}
