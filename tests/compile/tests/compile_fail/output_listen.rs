use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input]
    port: u16,
    #[output(listen)]
    jdbc_base: u16,
}

fn main() {}
