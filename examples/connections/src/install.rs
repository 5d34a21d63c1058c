//! Connections itself: installed on the deployment manager, pushed to the nodes.

use wattle::prelude::*;

/// IBM Connections, installed on the deployment manager for all nodes of its cell.
#[component(chef = "cookbooks/connections::install", deadline = "4h")]
pub struct Connections {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Name of the cell.
    #[input]
    cell: String,
    /// The nodes that will run it, all joined to the cell.
    #[input]
    nodes: Vec<String>,
    /// Administrator of the cell.
    #[input]
    admin_user: String,
    /// Password of the administrator.
    #[input]
    admin_password: Secret<String>,
    /// `jdbc:db2://HOST:PORT`, the server of all Connections databases.
    #[input]
    jdbc_base: String,
    /// User of the databases.
    #[input]
    database_user: String,
    /// Password of that user.
    #[input]
    database_password: Secret<String>,
    /// Path of the shared storage, on the manager and on every node.
    #[input]
    shared: String,
    /// `http://HOST` of the web server, which pages link to.
    #[input]
    url: String,
    /// Cognos, if Metrics should draw reports.
    #[input]
    cognos_url: Option<Url>,

    /// Name of the cluster that runs it.
    #[output]
    cluster: String,
}

/// Pushes Connections to the nodes, and starts it there.
#[component(chef = "cookbooks/connections::push", deadline = "1h")]
pub struct Push {
    /// Name of the cluster that runs Connections.
    #[input]
    cluster: String,
    /// The nodes to push to.
    #[input]
    nodes: Vec<String>,
    /// Path of the shared storage.
    #[input]
    shared: String,

    /// Configuration of the web server's plug-in, on the shared storage.
    #[output]
    plugin_config: String,
    /// The applications that the cell runs.
    #[output]
    applications: Vec<String>,
}
