use wattle::prelude::*;

/// LDAP.
#[component(recipe = "recipes/ldap.yml")]
pub struct Ldap {
    #[output]
    base_dn: String,
}

fn main() {}
