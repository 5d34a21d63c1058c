use wattle::prelude::*;
use wattle_catalog::nova;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    port: u16,
    #[input]
    databases: Vec<String>,
    #[output]
    jdbc_base: String,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let db2 = t.on(server).run("db2", Db2::new().port(1).databases(["WIKIS"]));
    t.after(db2, db2);
    Exports::new().entry("base", db2.jdbc_base).entry("port", db2.port)
}

fn main() {}
