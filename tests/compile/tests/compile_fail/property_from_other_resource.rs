use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

fn main() {
    let mut t = Topology::new("demo");
    let net = t.add("net", neutron::Net::new());
    let subnet = t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    t.add("db", nova::Server::new().image("debian-12").flavor("m1.small").network(subnet));
}
