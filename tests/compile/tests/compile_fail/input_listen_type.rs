use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input(listen)]
    port: String,
    #[output]
    jdbc_base: String,
}

fn main() {}
