//! Recipes, run by their real tools.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod ansible;
mod docs;
mod injection;
mod process;
mod puppet;
mod salt;
mod shell;
mod stage;
mod types;
