//! Emits W(N): `cargo run --release -p wattle-tests --example workload -- --set tiers=1000`.

use std::process::ExitCode;

use wattle_tests::workload::workload;

fn main() -> ExitCode {
    wattle::main(workload)
}
