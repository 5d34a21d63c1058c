use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input(default = 50_000, listen = "sctp")]
    port: u16,
    #[output]
    jdbc_base: String,
}

fn main() {}
