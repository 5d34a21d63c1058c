use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub enum Db2 {
    Server,
}

fn main() {}
