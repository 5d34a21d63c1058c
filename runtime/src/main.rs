//! The command `wattle`; see [`wattle_runtime::cli::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattle_runtime::cli::main()
}
