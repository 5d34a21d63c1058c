use wattle::prelude::*;

/// A script that sources what stands beside it by a path from where it runs, and a program that is given a file.
#[component(recipe = "recipes/commands.sh")]
pub struct Commands {
    #[output]
    url: Url,
}

/// A playbook that looks up a file.
#[component(recipe = "recipes/lookups.yml")]
pub struct Lookups {
    #[output]
    path: String,
}

/// A state that includes and copies what the crate does not have.
#[component(recipe = "recipes/nowhere.sls")]
pub struct Motd {
    #[output]
    path: String,
}

fn main() {}
