use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db2::server", teardown = "recipes/db2-remove.sh")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
