use wattle::prelude::*;

/// DB2.
#[component()]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
