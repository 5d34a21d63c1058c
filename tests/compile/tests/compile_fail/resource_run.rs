use wattle::prelude::*;
use wattle_catalog::nova;

#[blueprint]
pub fn connections(t: &mut Topology) {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    t.on(server).run("more", nova::Server::new());
}

fn main() {}
