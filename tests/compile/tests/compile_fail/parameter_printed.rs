use wattle::prelude::*;

#[derive(Parameters)]
pub struct Settings {
    /// Password of the DB2 instance owner.
    password: Parameter<Secret<String>>,
    /// How many.
    count: Parameter<u16>,
}

#[blueprint]
pub fn connections(t: &mut Topology, p: Settings) {
    let _ = t;
    println!("{}", p.count);
}

fn main() {}
