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
//! Both keep their cluster in a folder of their own, `/srv/COMPONENT/data` on a server, and leave it there when the
//! component goes. A replica that its operator has promoted (`pg_promote()`) stays what it is.

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
    /// Password of the role `replication`, with which replicas log in; without one there can be none.
    #[input]
    replication_password: Option<Secret<String>>,
    /// Addresses from which clients and replicas may come: `10.0.0.0/24`; those of the server's networks unless given.
    #[input]
    clients: Option<Vec<String>>,

    /// `postgresql://USER@HOST:PORT/DATABASE`, and it answers; the password is not in it.
    #[output]
    url: Url,
    /// Version of the server: `15.8`.
    #[output]
    version: String,
}

/// A replica: follows a primary by streaming replication, and answers what only reads.
///
/// It begins as a copy of the primary. While it is away the primary keeps 1 GiB of what it has missed; one that was away
/// for longer is made again by removing its folder `data`.
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

    /// `postgresql://USER@HOST:PORT/DATABASE`, and it follows its primary.
    #[output]
    url: Url,
}
