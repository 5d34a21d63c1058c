//! The topology of all speed measurements: W(N).
//!
//! One network, one subnet, one security group; then N tiers of one port, one server on it, and two components on that
//! server. W(N) has 2N + 3 resources, 2N components, 4N - 1 bindings and 2N entries, and a longest path of 2N.

use serde::Deserialize;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

/// The front of a tier.
#[component(recipe = "recipes/front.sh")]
pub struct Front {
    /// Port to listen on.
    #[input]
    port: u16,
    /// The tier before.
    #[input]
    upstream_url: Option<String>,
    /// Name of the host.
    #[output]
    host: String,
}

/// The back of a tier.
#[component(recipe = "recipes/back.sh")]
pub struct Back {
    /// Host of the tier's front.
    #[input]
    host: String,
    /// Host of another tier's front.
    #[input]
    peer: String,
    /// Where the tier answers.
    #[output]
    url: String,
}

/// How large the workload is.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Size {
    /// Number of tiers, N.
    pub tiers: u32,
    /// A tier whose front listens on another port: a change of one component.
    pub moved: Option<u32>,
}

impl Default for Size {
    fn default() -> Self {
        Self::of(100)
    }
}

impl Size {
    /// W(N).
    pub fn of(tiers: u32) -> Self {
        Self { tiers, moved: None }
    }
}

/// W(N): a chain of tiers.
#[blueprint]
pub fn workload(t: &mut Topology, (): (), size: Size) -> Exports {
    let net = t.add("net", neutron::Net::new());
    let subnet = t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/8"));
    let group = t.add("group", neutron::SecurityGroup::new().rule(neutron::Rule::tcp_range(8000..=8999)));
    let mut fronts: Vec<Front> = Vec::new();
    let mut upstream: Option<Back> = None;
    for i in 0..size.tiers {
        let port = t.add(format!("port{i}"), neutron::Port::new(net).subnet(subnet).security_group(group));
        let server = t.add(format!("server{i}"), nova::Server::new().image("debian-12").flavor("m1.small").port(port));
        let listen = 8000 + u16::try_from(i % 1000).expect("INVARIANT: below 1000");
        let listen = if size.moved == Some(i) { listen + 1000 } else { listen };
        let front = Front::new().port(listen);
        let front = match upstream {
            Some(upstream) => front.upstream_url(upstream.url),
            None => front,
        };
        let front = t.on(server).run("a", front);
        fronts.push(front);
        let peer = fronts[(i / 2) as usize];
        upstream = Some(t.on(server).run("b", Back::new().host(front.host).peer(peer.host)));
    }
    match upstream {
        Some(last) => Exports::new().entry("url", last.url),
        None => Exports::new(),
    }
}
