//! Packet filter rules: an `nft` table for each `up` on this machine, and one in each server's network. Other tables
//! are not touched.

use std::net::{Ipv4Addr, SocketAddrV4};

use serde_json::Value;

use super::tools::Tools;
use super::{Net, PORTS};

/// The table of this machine. Traffic from servers leaves under this machine's address, with replies routed back, and
/// reaches the services on the loopback interface that servers need. No other traffic reaches servers through this
/// machine.
///
/// `switched` are interfaces that forward only on behalf of servers. They still do not forward to one another.
pub(super) fn here(net: &Net, own: &[SocketAddrV4], switched: &[String]) -> String {
    let (table, bridge, prefix) = (net.table(), net.bridge(), Net::PREFIX);
    let (way_out, host) = (net.way_out, net.host());
    let to_own = ports(own).map(|(port, to)| {
        ["tcp", "udp"]
            .map(|kind| format!("iifname {bridge} ip daddr {host} {kind} dport {port} dnat to {to}\n"))
            .concat()
    });
    let to_own: String = to_own.collect();
    let names: Vec<String> = switched.iter().map(|name| format!("{name:?}")).collect();
    let names = names.join(", ");
    let between = match switched {
        [] => String::new(),
        _ => format!("iifname {{ {names} }} oifname {{ {names} }} drop\n"),
    };
    format!(
        "add table ip {table}
delete table ip {table}
table ip {table} {{
chain out {{
type nat hook postrouting priority 100; policy accept;
ip saddr {way_out}/{prefix} oifname != {bridge} masquerade
}}
chain own {{
type nat hook prerouting priority -100; policy accept;
{to_own}}}
chain as-own {{
type nat hook input priority 100; policy accept;
iifname {bridge} ct status dnat ip daddr 127.0.0.0/8 snat to 127.0.0.1
}}
chain pass {{
type filter hook forward priority 0; policy accept;
iifname {bridge} oifname {bridge} accept
oifname {bridge} ct state established,related accept
oifname {bridge} drop
{between}}}
}}
"
    )
}

/// The table of a server's network. The services of this machine's loopback interface are reachable at the same address
/// there. Traffic that the server sends from one of its loopback addresses leaves under an address to which others can
/// reply.
pub(super) fn there(net: &Net, number: u32, own: &[SocketAddrV4], stubs: &[(Ipv4Addr, Ipv4Addr)]) -> String {
    let host = net.host();
    let (address, way_out) = (net.address(number), net.way_out(number));
    let own = ports(own).map(|(port, from)| (*from.ip(), from.port(), format!("{host}:{port}")));
    let stubs = stubs.iter().map(|(stub, other)| (*stub, 53, other.to_string()));
    let redirections = own.chain(stubs).map(|(from, port, to)| {
        ["tcp", "udp"].map(|kind| format!("ip daddr {from} {kind} dport {port} dnat to {to}\n")).concat()
    });
    let redirections: String = redirections.collect();
    format!(
        "table ip wattle {{
chain own {{
type nat hook output priority -100; policy accept;
{redirections}}}
chain out {{
type nat hook postrouting priority 100; policy accept;
oifname eth0 ip daddr != 127.0.0.0/8 ip saddr 127.0.0.0/8 snat to {way_out}
oifname eth0 ip saddr 127.0.0.0/8 ip saddr != {address} snat to {address}
}}
}}
"
    )
}

/// The ports of this machine's address through which servers reach the services of its loopback interface.
fn ports(own: &[SocketAddrV4]) -> impl Iterator<Item = (u16, &SocketAddrV4)> {
    (PORTS..).zip(own)
}

/// The first foreign chain that drops packets by default, if there is one.
pub(super) fn culprit(tools: &Tools) -> Option<String> {
    let text = super::tools::run(&tools.nft, &["-j", "list", "chains"], "").ok()?;
    let listed: Value = serde_json::from_str(&text).ok()?;
    let chains = listed["nftables"].as_array()?.iter().map(|object| &object["chain"]);
    let mut closed = chains.filter(|chain| chain["hook"] == "forward" && chain["policy"] == "drop");
    let chain = closed.next()?;
    Some(format!("{} of the table {} {}", chain["name"].as_str()?, chain["family"].as_str()?, chain["table"].as_str()?))
}
