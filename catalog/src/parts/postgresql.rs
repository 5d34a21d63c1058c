//! PostgreSQL: a primary, and replicas that follow it by streaming replication.
//!
//! ```
//! use wattle::prelude::*;
//! use wattle_catalog::nova::Server;
//! use wattle_catalog::parts::postgresql::{Primary, Replica};
//!
//! struct Passwords {
//!     owner: Parameter<Secret<String>>,
//!     replication: Parameter<Secret<String>>,
//! }
//!
//! fn database(t: &mut Topology, servers: [(Server, Attribute<IpAddr>); 2], p: Passwords) -> [Output<Url>; 2] {
//!     let [(first, here), (second, there)] = servers;
//!     let primary = Primary::new().address(here).database("shop").user("shop").password(p.owner);
//!     let primary = t.on(first).run("postgresql", primary.replication_password(p.replication));
//!     let replica = Replica::new().address(there).primary(primary.url).replication_password(p.replication);
//!     let replica = t.on(second).run("postgresql", replica);
//!     [primary.url, replica.url]
//! }
//! ```
//!
//! Both keep their cluster in a separate folder, `/srv/COMPONENT/data` on a server, and leave it there when the
//! component is removed. A replica that its operator has promoted (`pg_promote()`) stays promoted.

use wattle::prelude::*;

/// PostgreSQL, with one role and one database that it owns.
#[component(
    recipe = "recipes/postgresql-primary.sh",
    files = ["recipes/lib.sh", "recipes/postgresql.sh"],
    teardown = "recipes/remove.sh",
    deadline = "15m"
)]
pub struct Primary {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 5432, listen)]
    port: u16,
    /// The database.
    #[input]
    database: String,
    /// The role that owns the database.
    #[input]
    user: String,
    /// Password of the role.
    #[input]
    password: Secret<String>,
    /// Password of the role `replication`, with which replicas log in. Without it, there can be no replicas.
    #[input]
    replication_password: Option<Secret<String>>,
    /// Addresses from which clients and replicas may connect, such as `10.0.0.0/24`. The default is the server's
    /// networks.
    #[input]
    clients: Option<Vec<String>>,

    /// `postgresql://USER@HOST:PORT/DATABASE`, without the password, once it answers.
    #[output]
    url: Url,
    /// Version of the server: `15.8`.
    #[output]
    version: String,
}

/// A replica: follows a primary by streaming replication, and answers read-only queries.
///
/// It begins as a copy of the primary. While it is away, the primary keeps 1 GiB of what it has missed. If it was away
/// for longer, remove its folder `data` to create it again.
#[component(
    recipe = "recipes/postgresql-replica.sh",
    files = ["recipes/lib.sh", "recipes/postgresql.sh"],
    teardown = "recipes/remove.sh",
    deadline = "4h"
)]
pub struct Replica {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 5432, listen)]
    port: u16,
    /// The `url` of the primary.
    #[input]
    primary: Url,
    /// Password of the primary's role `replication`.
    #[input]
    replication_password: Secret<String>,

    /// `postgresql://USER@HOST:PORT/DATABASE`, once it follows its primary.
    #[output]
    url: Url,
}
