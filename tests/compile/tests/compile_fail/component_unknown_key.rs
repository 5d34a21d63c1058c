use wattle::prelude::*;

/// DB2.
#[component(recipes = "recipes/db2.sh")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
