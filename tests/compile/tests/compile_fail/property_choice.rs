use wattle::prelude::*;
use wattle_catalog::neutron::{Rule, SecurityGroup};

fn main() {
    let mut t = Topology::new("demo");
    t.add("web", SecurityGroup::new().rule(Rule::new().direction("inwards")));
}
