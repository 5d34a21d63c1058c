use wattle::prelude::*;

/// A wiki.
#[component(chef = "cookbooks/wiki::server", files = ["cookbooks/web"])]
pub struct Wiki {
    #[output]
    url: String,
}

fn main() {}
