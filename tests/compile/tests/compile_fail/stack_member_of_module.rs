//! The member of a group that is a module, not a stack.

use wattle::prelude::*;
use wattle_catalog::neutron;

struct Network;

impl Module for Network {
    type Outputs = neutron::Net;

    fn build(self, t: &mut Topology) -> neutron::Net {
        t.add("net", neutron::Net::new())
    }
}

#[blueprint]
pub fn members(t: &mut Topology) {
    let port = t.member(neutron::Port::new("private"));
    t.add("ports", RawResource::new("OS::Heat::ResourceGroup").property("resource_def", port));
    let network = t.member(Network);
    t.add("networks", RawResource::new("OS::Heat::ResourceGroup").property("resource_def", network));
}

fn main() {}
