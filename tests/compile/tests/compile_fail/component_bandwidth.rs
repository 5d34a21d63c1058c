use wattle::prelude::*;

/// Bytes are not bits.
#[component(recipe = "recipes/db2.sh", bandwidth = "200 MB/s")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

/// A number alone.
#[component(recipe = "recipes/db2.sh", bandwidth = 200)]
pub struct Number {
    #[output]
    jdbc_base: String,
}

/// No unit.
#[component(recipe = "recipes/db2.sh")]
pub struct Unit {
    #[output(bandwidth = "200")]
    jdbc_base: String,
}

/// Nobody reads from it.
#[component(recipe = "recipes/db2.sh", bandwidth = "1 Gbit/s")]
pub struct Silent {
    #[input]
    name: String,
}

/// No known unit.
#[derive(PortType)]
#[port_type(bandwidth = "1 Gbps")]
pub struct Share {
    path: String,
}

/// No key.
#[derive(PortType)]
#[port_type(bandwith = "1 Gbit/s")]
pub struct Misspelt {
    path: String,
}

/// Twice.
#[derive(PortType)]
#[port_type(bandwidth = "1 Gbit/s")]
#[port_type(bandwidth = "2 Gbit/s")]
pub struct Twice {
    path: String,
}

fn main() {}
