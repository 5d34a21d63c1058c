//! IBM Connections, as its installer would know it.
//!
//! ```text
//! database ──────────────────────────▶ profiles ◀── directory
//!     │                                                 │
//!     │              storage ──▶ manager ◀──────────────┤ the cell's users
//!     │                             │ ▲                 │
//!     │                    joined by ▼ │ members        │
//!     ▼                           nodes                 ▼
//! Connections, installed on the manager ──▶ pushed to the nodes ──▶ web server
//! ```
//!
//! IBM's installers are not free to download. The recipes expect them below one directory on every server. A recipe
//! that does not find its installer says so and stops.

pub mod cognos;
pub mod database;
pub mod directory;
pub mod http;
pub mod install;
pub mod platform;
pub mod profiles;
pub mod storage;
pub mod websphere;

use serde::Deserialize;
use wattle::prelude::*;

use cognos::CognosServer;
use database::DatabaseServer;
use directory::DirectoryServer;
use http::{FrontDoor, WebServer};
use install::{Connections, Push};
use platform::Network;
use profiles::ProfilesServer;
use storage::StorageServer;
use websphere::{Administrator, WebSphereCell};

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub struct Settings {
    /// Image of every server.
    #[parameter(default = "debian-12", constraint = "glance.image")]
    image: Parameter<String>,
    /// The network that leads outside.
    #[parameter(default = "public", constraint = "neutron.network")]
    public_network: Parameter<String>,
    /// Directory of every server below which IBM's installers are unpacked.
    #[parameter(default = "/opt/installers")]
    installers: Parameter<String>,
    /// DNS domain of the company: the root of its directory.
    #[parameter(default = "example.com")]
    domain: Parameter<String>,
    /// Password of the owner of the DB2 instance.
    #[parameter]
    db_password: Parameter<Secret<String>>,
    /// Password of the administrator of the directory.
    #[parameter]
    ldap_password: Parameter<Secret<String>>,
    /// Password of the administrator of the WebSphere cell.
    #[parameter]
    was_password: Parameter<Secret<String>>,
}

/// Chosen while building: `--set nodes=3 --set cognos=true`.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choices {
    /// How many nodes the WebSphere cell has.
    nodes: usize,
    /// Whether Cognos draws reports of what Metrics collects.
    cognos: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self { nodes: 2, cognos: false }
    }
}

/// IBM Connections: the social software of a company, on a WebSphere cell.
#[blueprint]
pub fn connections(t: &mut Topology, p: Settings, choices: Choices) -> Exports {
    let network = Network { public_network: p.public_network, image: p.image, installers: p.installers };
    let platform = t.add("network", network);
    let front = t.add("front", FrontDoor { platform, public_network: p.public_network });

    let database = t.add("database", DatabaseServer { platform, password: p.db_password });
    let directory = t.add("directory", DirectoryServer { platform, domain: p.domain, password: p.ldap_password });
    let storage = t.add("storage", StorageServer { platform, gigabytes: 100 });
    let profiles = t.add("profiles", ProfilesServer { platform, database, directory });

    let administrator = Administrator { user: "wasadmin", password: p.was_password };
    let cell = WebSphereCell { platform, nodes: choices.nodes, administrator, directory, storage };
    let cell = t.add("cell", cell);

    let mut install = Connections::new()
        .installers(p.installers)
        .cell(cell.name)
        .nodes(&cell.members)
        .admin_user(administrator.user)
        .admin_password(administrator.password)
        .jdbc_base(database.jdbc_base)
        .database_user(database.user)
        .database_password(database.password)
        .shared(cell.shared)
        .url(text!("http://{}", front.address));
    if choices.cognos {
        let cognos = t.add("cognos", CognosServer { platform, database });
        install = install.cognos_url(cognos.url);
    }
    let installed = t.on(cell.manager).run("connections", install);

    let push = Push::new().cluster(installed.cluster).nodes(cell.members).shared(cell.shared);
    let pushed = t.on(cell.manager).run("push", push);

    let web = t.add("web", WebServer { platform, front, storage, plugin_config: pushed.plugin_config });

    Exports::new().entry("url", web.url).entry("applications", pushed.applications).entry("people", profiles.people)
}
