//! Cognos: reports of what Metrics collects.

use wattle::prelude::*;

use crate::database::Database;
use crate::platform::Platform;

/// Cognos Business Intelligence, on the database of Metrics.
#[component(chef = "cookbooks/cognos::server", deadline = "2h")]
pub struct Cognos {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 9080)]
    port: u16,
    /// The database of Metrics, as `jdbc:db2://HOST:PORT/METRICS`.
    #[input]
    metrics_url: String,
    /// User who reads the database.
    #[input]
    database_user: String,
    /// Password of that user.
    #[input]
    database_password: Secret<String>,

    /// Where Connections finds the reports.
    #[output]
    url: Url,
}

/// A server with Cognos.
pub struct CognosServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// Where Metrics keeps what it collects.
    pub database: Database,
}

impl Module for CognosServer {
    type Outputs = Cognos;

    fn build(self, t: &mut Topology) -> Cognos {
        let Self { platform, database } = self;
        let server = t.add("server", platform.server("m1.large"));
        let cognos = Cognos::new()
            .installers(platform.installers)
            .address(server.address(platform.net))
            .metrics_url(text!("{}/METRICS", database.jdbc_base))
            .database_user(database.user)
            .database_password(database.password);
        t.on(server).run("cognos", cognos)
    }
}
