use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", chef = "cookbooks/db2::server")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
