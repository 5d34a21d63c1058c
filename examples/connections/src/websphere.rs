//! The WebSphere cell: a deployment manager, and the nodes that join its cell.

use wattle::prelude::*;
use wattle_catalog::nova;

use crate::directory::Directory;
use crate::platform::Platform;
use crate::storage::Storage;

/// The deployment manager: the head of a cell, whose users are the people of a directory.
#[component(chef = "cookbooks/was::dmgr", deadline = "2h")]
pub struct DeploymentManager {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// Name of the cell.
    #[input]
    cell: String,
    /// Administrator of the cell.
    #[input]
    admin_user: String,
    /// Password of the administrator.
    #[input]
    admin_password: Secret<String>,
    /// The directory.
    #[input]
    ldap_url: Url,
    /// Root of the directory's tree.
    #[input]
    ldap_base_dn: String,
    /// DN of the user who searches the directory.
    #[input]
    ldap_bind_dn: String,
    /// Password of that user.
    #[input]
    ldap_bind_password: Secret<String>,

    /// Where nodes find the manager, which is running.
    #[output]
    host: IpAddr,
    /// TCP port on which nodes join the cell.
    #[output]
    soap_port: u16,
}

/// A node, joined to the cell of a deployment manager.
#[component(chef = "cookbooks/was::node", deadline = "2h")]
pub struct Node {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// Name of the node in the cell.
    #[input]
    node_name: String,
    /// Where the deployment manager is.
    #[input]
    dmgr_host: IpAddr,
    /// TCP port on which nodes join the cell.
    #[input]
    dmgr_soap_port: u16,
    /// Administrator of the cell.
    #[input]
    admin_user: String,
    /// Password of the administrator.
    #[input]
    admin_password: Secret<String>,

    /// Name of the node, as the cell knows it.
    #[output]
    member: String,
}

/// The administrator of the cell.
#[derive(Clone, Copy)]
pub struct Administrator {
    /// Name to log in with.
    pub user: &'static str,
    /// Password to log in with.
    pub password: Parameter<Secret<String>>,
}

/// A cell with `nodes` nodes. The shared storage is mounted on the manager and on every node.
pub struct WebSphereCell {
    /// What all servers have in common.
    pub platform: Platform,
    /// How many nodes there are.
    pub nodes: usize,
    /// The administrator of the cell.
    pub administrator: Administrator,
    /// Where the users are.
    pub directory: Directory,
    /// The storage that the applications share.
    pub storage: Storage,
}

/// A cell, ready for applications to be installed.
pub struct Cell {
    /// Name of the cell.
    pub name: &'static str,
    /// The server of the deployment manager.
    pub manager: nova::Server,
    /// The nodes, by their names in the cell.
    pub members: Vec<Output<String>>,
    /// Path of the shared storage on all of them.
    pub shared: Output<String>,
}

impl Module for WebSphereCell {
    type Outputs = Cell;

    fn build(self, t: &mut Topology) -> Cell {
        let Self { platform, nodes, administrator, directory, storage } = self;
        let name = "connectionsCell";

        let manager = t.add("manager", platform.server("m1.large"));
        let shared = storage.mount(t, manager);
        let dmgr = DeploymentManager::new()
            .installers(platform.installers)
            .address(manager.address(platform.net))
            .cell(name)
            .admin_user(administrator.user)
            .admin_password(administrator.password)
            .ldap_url(directory.url)
            .ldap_base_dn(directory.base_dn)
            .ldap_bind_dn(directory.bind_dn)
            .ldap_bind_password(directory.bind_password);
        let dmgr = t.on(manager).run("dmgr", dmgr);

        let spread = t.add("spread", nova::ServerGroup::new().policy("soft-anti-affinity"));
        let mut servers = Vec::with_capacity(nodes);
        let mut joined: Vec<Node> = Vec::with_capacity(nodes);
        for n in 1..=nodes {
            let server = t.add(format!("node{n}"), platform.server("m1.large").group(spread));
            storage.mount(t, server);
            let node = Node::new()
                .installers(platform.installers)
                .address(server.address(platform.net))
                .node_name(format!("node{n}"))
                .dmgr_host(dmgr.host)
                .dmgr_soap_port(dmgr.soap_port)
                .admin_user(administrator.user)
                .admin_password(administrator.password);
            let node = t.on(server).run("node", node);
            // The manager's configuration is locked while a node joins, so nodes join one at a time.
            if let Some(before) = joined.last() {
                t.after(node, *before);
            }
            servers.push(server);
            joined.push(node);
        }
        // The cell survives the loss of a rack. Its nodes get their configuration from the manager: keep them near.
        if nodes > 1 {
            t.apart(servers.clone()).by(Level::Rack);
        }
        for server in servers {
            t.near([manager, server], Level::Room).preferred(20);
        }

        Cell { name, manager, members: joined.iter().map(|node| node.member).collect(), shared }
    }
}
