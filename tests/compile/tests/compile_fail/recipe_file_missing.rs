use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", files = ["recipes/db2.sq"])]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
