//! The command that servers fetch; see [`wattle_runtime::cli::agent_main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattle_runtime::cli::agent_main()
}
