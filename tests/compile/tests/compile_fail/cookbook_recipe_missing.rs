use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db2::servers")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
