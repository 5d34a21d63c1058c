#![deny(deprecated)]

use wattle::prelude::*;

/// A network.
pub struct Network;

impl Module for Network {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        t.add("net", RawResource::new("OS::Neutron::Net"));
    }
}

#[blueprint]
pub fn site(t: &mut Topology) {
    Network.build(t);
}

fn main() {}
