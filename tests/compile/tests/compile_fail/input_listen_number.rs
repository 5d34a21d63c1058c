use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input(listen = 50_000)]
    port: u16,
    #[output]
    jdbc_base: String,
}

fn main() {}
