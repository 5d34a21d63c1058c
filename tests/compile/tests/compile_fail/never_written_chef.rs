use wattle::prelude::*;

/// DB2.
#[component(chef = "cookbooks/db2::server")]
pub struct Db2 {
    #[input(default = 50_000)]
    port: u16,
    #[output]
    jdbc_url: String,
    #[output(path = "db2/jdbc_base")]
    base: String,
}

fn main() {}
