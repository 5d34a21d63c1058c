//! Asks the user for confirmation.

use std::io::{IsTerminal as _, Write as _};

use clap::ArgMatches;
use tokio::sync::oneshot;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::signals::Signals;

/// Whether the user agrees to `what`, interactively or by `--yes`.
///
/// # Errors
/// There is no terminal.
pub(super) async fn agreed(matches: &ArgMatches, what: &str, console: &mut Console) -> Result<bool, CommandError> {
    if matches.get_flag("yes") {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        return Err(
            CommandError::usage("confirmation is needed, and there is no terminal to ask on").help("pass `--yes`")
        );
    }
    // Once a process listens to signals, they no longer end it.
    let mut signals = Signals::listen()?;
    console.err.write(&format!("{what}? [y/N] "))?;
    let _ = std::io::stderr().flush();
    let (sender, receiver) = oneshot::channel();
    // A thread of its own, because a read cannot be cancelled, and the process does not wait for it at the end.
    std::thread::spawn(move || {
        let mut answer = String::new();
        let _ = std::io::stdin().read_line(&mut answer);
        let _ = sender.send(answer);
    });
    tokio::select! {
        answer = receiver => Ok(matches!(answer.unwrap_or_default().trim().to_lowercase().as_str(), "y" | "yes")),
        () = signals.end() => {
            console.err.write("\n")?;
            Ok(false)
        }
    }
}
