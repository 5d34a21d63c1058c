#![deny(unused_must_use)]

use wattle::prelude::*;

/// A network.
pub struct Network {
    /// Its number.
    pub number: u8,
}

impl Network {
    /// One of that number.
    pub fn new(number: u8) -> Self {
        Self { number }
    }

    /// With the next number.
    pub fn next(self) -> Self {
        Self { number: self.number + 1 }
    }
}

impl Module for Network {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        t.add("net", RawResource::new("OS::Neutron::Net"));
    }
}

fn network(number: u8) -> Network {
    Network { number }
}

fn any_network() -> impl Module {
    Network { number: 0 }
}

fn say(_: &str) {}

#[blueprint]
pub fn site(t: &mut Topology) {
    Network { number: 1 };
    Network::new(2).next();
    for number in 0..3 {
        network(number);
    }
    any_network();
    let _unused = Network { number: 1 };
    let _used = Network { number: 5 };
    t.add("used", _used);
    let _ = Network { number: 7 };
    let _text = String::from("nor this");
    say("only modules are meant");
    String::from("nor this");
    t.add("network", network(9));
    vec![Network { number: 1 }, network(2)];
    [Network { number: 1 }, Network { number: 2 }];
    Some(network(3));
    let _boxes: Vec<Network> = vec![network(4)];
    let _mapped = (0..3).map(|number| Network { number }).collect::<Vec<_>>();
    let _added = [5].map(|number| Network { number }).map(|net| t.add("again", net));
    let _numbers = vec![1, 2];
    vec!["nor this"];
}

fn main() {}
