//! HAProxy, in front of other servers.

use wattle::prelude::*;

/// HAProxy, which distributes connections to the servers behind it and skips those that do not answer.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::haproxy::HaProxy;
///
/// fn front(t: &mut Topology, server: Server, address: Attribute<IpAddr>, replicas: Vec<Output<Url>>) -> Output<Url> {
///     let proxy = HaProxy::new().address(address).port(5432_u16).mode("tcp").upstreams(replicas);
///     t.on(server).run("haproxy", proxy).url
/// }
/// ```
#[component(recipe = "recipes/haproxy.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "15m")]
pub struct HaProxy {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 80, listen)]
    port: u16,
    /// `http`, or `tcp` for any other protocol.
    #[input(default = "http")]
    mode: String,
    /// Which server gets the next connection: `roundrobin`, `leastconn`, `source`.
    #[input(default = "roundrobin")]
    balance: String,
    /// The servers behind it: `SCHEME://HOST:PORT`, of which only host and port count.
    #[input]
    upstreams: Vec<Url>,

    /// `http://HOST:PORT/`, or `tcp://HOST:PORT`, by its own address.
    #[output]
    url: Url,
}
