use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", wait = "30m1h")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
