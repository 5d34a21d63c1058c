use wattle::prelude::*;

/// A playbook with a template that nobody named.
#[component(recipe = "recipes/motd.yml")]
pub struct Motd {
    #[output]
    path: String,
}

/// A script that sources another one.
#[component(recipe = "recipes/sources.sh")]
pub struct Sources {
    #[output]
    url: Url,
}

fn main() {}
