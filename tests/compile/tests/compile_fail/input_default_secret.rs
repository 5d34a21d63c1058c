use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input(default = "passw0rd")]
    owner_password: Secret<String>,
    #[output]
    jdbc_base: String,
}

fn main() {}
