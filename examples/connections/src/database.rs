//! DB2, and the databases of the applications.

use wattle::prelude::*;

use crate::platform::Platform;

/// The databases of Connections, one for each application that keeps data.
pub const DATABASES: [&str; 11] =
    ["OPNACT", "BLOGS", "SNCOMM", "DOGEAR", "FILES", "FORUM", "HOMEPAGE", "METRICS", "MOBILE", "PEOPLEDB", "WIKIS"];

/// DB2, with one database for each Connections application.
#[component(recipe = "recipes/db2.sh", files = ["recipes/lib.sh"], deadline = "2h")]
pub struct Db2 {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// TCP port on which the instance listens.
    #[input(default = 50_000)]
    port: u16,
    /// Databases to create.
    #[input]
    databases: Vec<String>,
    /// Owner of the instance.
    #[input]
    owner: String,
    /// Password of the instance owner.
    #[input]
    owner_password: Secret<String>,

    /// `jdbc:db2://HOST:PORT`, without a database name.
    #[output]
    jdbc_base: String,
}

/// A server with the databases of Connections.
pub struct DatabaseServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// Password of the instance owner.
    pub password: Parameter<Secret<String>>,
}

/// What is needed to use the databases.
#[derive(Clone, Copy)]
pub struct Database {
    /// `jdbc:db2://HOST:PORT`, without a database name; known once all databases are there.
    pub jdbc_base: Output<String>,
    /// User of the databases.
    pub user: &'static str,
    /// Password of that user.
    pub password: Parameter<Secret<String>>,
}

impl Module for DatabaseServer {
    type Outputs = Database;

    fn build(self, t: &mut Topology) -> Database {
        let Self { platform, password } = self;
        let user = "db2inst1";
        let server = t.add("server", platform.server("m1.large"));
        let db2 = Db2::new()
            .installers(platform.installers)
            .address(server.address(platform.net))
            .databases(DATABASES)
            .owner(user)
            .owner_password(password);
        let db2 = t.on(server).run("db2", db2);
        Database { jdbc_base: db2.jdbc_base, user, password }
    }
}
