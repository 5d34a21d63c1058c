//! The member of a group that is a resource of the catalog, not a stack.

use wattle::prelude::*;
use wattle_catalog::{heat, neutron};

#[blueprint]
pub fn members(t: &mut Topology) {
    let member = t.member(neutron::Net::new());
    t.add("group", heat::ResourceGroup::new(member).count(2));
}

fn main() {}
