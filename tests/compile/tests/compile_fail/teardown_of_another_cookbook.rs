use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db2::server", teardown = "cookbooks/web::default")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
