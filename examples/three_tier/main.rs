//! Emits the blueprint `three_tier`. For its options, run `cargo run --example three_tier -- --help`.

use wattle::prelude::*;

use three_tier::three_tier;

fn main() -> ExitCode {
    wattle::main(three_tier)
}
