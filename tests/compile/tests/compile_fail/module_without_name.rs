use wattle::prelude::*;

/// A network.
pub struct Network {
    /// Its number.
    pub number: u8,
}

impl Module for Network {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        t.add("net", RawResource::new("OS::Neutron::Net"));
    }
}

#[blueprint]
pub fn site(t: &mut Topology) {
    t.add(Network { number: 1 });
}

fn main() {}
