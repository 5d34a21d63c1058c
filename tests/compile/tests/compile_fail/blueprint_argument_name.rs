use wattle::prelude::*;

#[blueprint]
pub fn t(t: &mut Topology) {
    let _ = t;
}

fn main() {}
