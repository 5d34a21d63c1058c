//! The web server: what people's browsers talk to.

use wattle::prelude::*;
use wattle_catalog::neutron;

use crate::platform::Platform;
use crate::storage::Storage;

/// IBM HTTP Server, with WebSphere's plug-in.
#[component(chef = "cookbooks/ihs::server", deadline = "1h")]
pub struct HttpServer {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Address by which browsers know it.
    #[input]
    server_name: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 80)]
    port: u16,
    /// File that tells the plug-in about the cell's nodes and applications.
    #[input]
    plugin_config: String,

    /// Where browsers find Connections.
    #[output]
    url: Url,
}

/// The public address.
///
/// It is separate from the web server because Connections needs the address when it is installed, long before
/// there is a configuration with which the web server could start.
pub struct FrontDoor {
    /// What all servers have in common.
    pub platform: Platform,
    /// The network that leads outside.
    pub public_network: Parameter<String>,
}

/// Where the web server goes, and how it is reached.
#[derive(Clone, Copy)]
pub struct Front {
    port: neutron::Port,
    /// The public address.
    pub address: Attribute<IpAddr>,
}

impl Module for FrontDoor {
    type Outputs = Front;

    fn build(self, t: &mut Topology) -> Front {
        let Self { platform, public_network } = self;
        let web = t.add("web", neutron::SecurityGroup::new().rule(neutron::Rule::tcp(80)));
        let port = neutron::Port::new(platform.net).subnet(platform.subnet);
        let port = t.add("port", port.security_group(platform.access).security_group(web));
        let address = t.add("address", neutron::FloatingIp::new(public_network).port(port));
        Front { port, address: address.address() }
    }
}

/// A server with IBM HTTP Server.
pub struct WebServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// Where it goes.
    pub front: Front,
    /// Holds the plug-in's configuration, and the files that the web server serves itself.
    pub storage: Storage,
    /// File that tells the plug-in about the cell.
    pub plugin_config: Output<String>,
}

impl Module for WebServer {
    type Outputs = HttpServer;

    fn build(self, t: &mut Topology) -> HttpServer {
        let Self { platform, front, storage, plugin_config } = self;
        let server = t.add("server", platform.detached("m1.medium").port(front.port));
        storage.mount(t, server);
        let http =
            HttpServer::new().installers(platform.installers).server_name(front.address).plugin_config(plugin_config);
        t.on(server).run("ihs", http)
    }
}
