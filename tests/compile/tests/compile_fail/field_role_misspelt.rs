use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[inptu(default = 50_000)]
    port: u16,
    #[ouput]
    jdbc_base: String,
}

fn main() {}
