//! nginx, in front of other servers.

use wattle::prelude::*;

/// nginx, which distributes requests to the servers behind it.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::nginx::Nginx;
///
/// fn front(t: &mut Topology, web: Server, address: Attribute<IpAddr>, apps: Vec<Output<Url>>) -> Output<Url> {
///     t.on(web).run("nginx", Nginx::new().address(address).upstreams(apps)).url
/// }
/// ```
#[component(recipe = "recipes/nginx.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "15m")]
pub struct Nginx {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 80, listen)]
    port: u16,
    /// The servers behind it, as `http://HOST:PORT/`.
    #[input]
    upstreams: Vec<Url>,

    /// `http://HOST:PORT/`, by its own address.
    #[output]
    url: Url,
}
