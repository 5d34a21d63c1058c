use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db1::server")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
