//! Emits the blueprint `connections`. For its options, run `cargo run --example connections -- --help`.

use wattle::prelude::*;

use connections::connections;

fn main() -> ExitCode {
    wattle::main(connections)
}
