use wattle::prelude::*;

/// Wikis.
#[component(recipe = "recipes/wikis.sh")]
pub struct Wikis {
    #[output]
    url: Url,
}

fn main() {}
