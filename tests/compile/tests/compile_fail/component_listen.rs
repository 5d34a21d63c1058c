use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", listen = ["tcp/50000", "50001", "tcp/0", "udp/9-8"])]
pub struct Db2 {
    #[input(default = 50_000)]
    port: u16,
    #[output]
    jdbc_base: String,
}

fn main() {}
