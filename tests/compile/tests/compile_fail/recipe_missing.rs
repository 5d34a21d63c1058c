use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db3.sh")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
