use wattle::prelude::*;

/// DB2.
#[component(recipe = recipes)]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
