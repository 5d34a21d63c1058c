use wattle::prelude::*;

/// The proxy.
#[component(recipe = "recipes/proxy.pp")]
pub struct Proxy {
    #[output]
    address: String,
}

fn main() {}
