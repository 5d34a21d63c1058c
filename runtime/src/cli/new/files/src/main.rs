//! `cargo run` emits what the blueprint makes, `cargo run -- --help` tells the rest.

use std::process::ExitCode;

fn main() -> ExitCode {
    wattle::main(BLUEPRINT::BLUEPRINT)
}
