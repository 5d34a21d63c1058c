//! Emits what the blueprint `three_tier` makes: see `cargo run --example three_tier -- --help`.

use wattle::prelude::*;

use three_tier::three_tier;

fn main() -> ExitCode {
    wattle::main(three_tier)
}
