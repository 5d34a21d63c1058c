//! Emits the blueprint `hello`. For its options, run `cargo run --example hello -- --help`.

use wattle::prelude::*;

use hello::hello;

fn main() -> ExitCode {
    wattle::main(hello)
}
