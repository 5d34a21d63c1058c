//! A component for tests of running software: `recipes/say.sh`.

use wattle::prelude::*;

/// Says a word.
#[component(recipe = "recipes/say.sh", deadline = "1m")]
pub struct Say {
    /// The word; at `fail` it fails.
    #[input]
    word: String,
    /// What it has heard before.
    #[input]
    heard: Option<String>,
    /// For how many seconds a service stays.
    #[input]
    service: Option<String>,

    /// What it said.
    #[output]
    said: String,
}
