use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", deadline = "soon")]
pub struct Db2 {
    port: u16,
    #[input(default)]
    databases: Vec<String>,
    #[output]
    uri: String,
}

fn main() {}
