use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db2::server", teardown = "cookbooks/db2::remov")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
