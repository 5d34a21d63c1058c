use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh", teardown = "recipes/ldap.yml")]
pub struct Db2 {
    #[output]
    jdbc_base: String,
}

fn main() {}
