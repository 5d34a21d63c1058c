use wattle::prelude::*;
use wattle_catalog::nova;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    /// TCP port on which the instance listens.
    #[input(default = 50_000)]
    port: u16,
    /// Databases to create.
    #[input]
    databases: Vec<String>,
    /// Password of the instance owner.
    #[input]
    owner_password: Secret<String>,

    /// `jdbc:db2://HOST:PORT`, without a database name.
    #[output]
    jdbc_base: String,
    /// The port again.
    #[output]
    listens: u16,
    /// Whether it is up.
    #[output]
    ready: bool,
    /// What clients log in with.
    #[output]
    token: Secret<String>,
}

#[derive(Parameters)]
pub struct Settings {
    /// Password of the DB2 instance owner.
    password: Parameter<Secret<String>>,
    /// How many.
    count: Parameter<u16>,
}

#[blueprint]
pub fn connections(t: &mut Topology, p: Settings) {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let db2 = t.on(server).run("db2", Db2::new().databases(["WIKIS"]).owner_password(p.password));
    let base = t.later::<String>("base");
    t.add("app", nova::Server::new().image("debian-12").flavor("m1.large").name(base));
    t.fulfil(base, db2.jdbc_base);
}

fn main() {}
