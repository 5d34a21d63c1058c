//! Recipes run by their real tools.

mod process;
mod shell;
mod stage;
mod types;
