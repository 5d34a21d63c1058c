use wattle::prelude::*;
use wattle_catalog::nova;

fn main() {
    let mut t = Topology::new("demo");
    t.add("db", nova::Server::new().image("debian-12"));
}
