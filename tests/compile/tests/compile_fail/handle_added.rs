use wattle::prelude::*;
use wattle_catalog::nova;

/// Servers are added by a function, which returns their handles.
fn database(t: &mut Topology) -> nova::Server {
    t.add("db", nova::Server::new().image("debian-12").flavor("m1.small"))
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    let server = database(t);
    t.add("database", server);
}

fn main() {}
