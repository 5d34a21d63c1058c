use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input]
    tables: std::collections::HashSet<String>,
    #[output]
    jdbc_base: String,
}

fn main() {}
