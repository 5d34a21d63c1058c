use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2<T> {
    #[output]
    jdbc_base: T,
}

fn main() {}
