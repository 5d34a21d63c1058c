use wattle::prelude::*;

/// Something.
pub struct Something;

impl Something {
    #[blueprint]
    pub fn connections(&self, _: &mut Topology) {}
}

fn main() {}
