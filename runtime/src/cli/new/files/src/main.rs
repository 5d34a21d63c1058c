//! `cargo run` emits what the blueprint makes; `cargo run -- --help` lists all commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    wattle::main(BLUEPRINT::BLUEPRINT)
}
