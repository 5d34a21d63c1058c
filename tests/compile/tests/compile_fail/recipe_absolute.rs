use wattle::prelude::*;

/// DB2.
#[component(recipe = "/opt/db2.sh")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
