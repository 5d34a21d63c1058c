//! Emits what the blueprint `hello` makes: see `cargo run --example hello -- --help`.

use wattle::prelude::*;

use hello::hello;

fn main() -> ExitCode {
    wattle::main(hello)
}
