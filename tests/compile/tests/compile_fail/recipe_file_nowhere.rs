use wattle::prelude::*;

/// A script that sources what the crate does not have, and copies what is not included.
#[component(recipe = "recipes/nowhere.sh")]
pub struct Sources {
    #[output]
    url: Url,
}

/// A playbook that copies what the crate does not have.
#[component(recipe = "recipes/nowhere.yml")]
pub struct Issue {
    #[output]
    path: String,
}

fn main() {}
