//! Emits what the blueprint `connections` makes: see `cargo run --example connections -- --help`.

use wattle::prelude::*;

use connections::connections;

fn main() -> ExitCode {
    wattle::main(connections)
}
