//! The command that servers download; see [`wattle_runtime::cli::agent_main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattle_runtime::cli::agent_main()
}
