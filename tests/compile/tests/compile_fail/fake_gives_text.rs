//! A fake that gives no outputs.

use wattle::prelude::*;
use wattle::testing::{Given, Outputs, Trial};

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    /// TCP port on which the instance listens.
    #[input(default = 50_000)]
    port: u16,
    /// `jdbc:db2://HOST:PORT`.
    #[output(dynamic)]
    jdbc_base: String,
    /// Its version.
    #[output(dynamic)]
    version: u16,
}

/// A database.
#[blueprint]
pub fn database(t: &mut Topology) -> Exports {
    let server = t.add("db", RawResource::new("OS::Nova::Server"));
    let db2 = t.on(server).run("db2", Db2::new());
    Exports::new().entry("jdbc", db2.jdbc_base).entry("version", db2.version)
}

fn main() {
    let _ = Trial::of(database).fake(|it: Given<Db2>| format!("{}", it.port));
}
