use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input]
    new: bool,
    #[output(dynamic)]
    component: String,
}

fn main() {}
