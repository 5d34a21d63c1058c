use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[output(early)]
    jdbc_base: String,
}

fn main() {}
