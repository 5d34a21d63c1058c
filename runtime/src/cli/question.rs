//! Asks the user before something is done.

use std::io::{IsTerminal as _, Write as _};

use clap::ArgMatches;
use tokio::sync::oneshot;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::signals::Signals;

/// Whether the user agrees to `what`, now or in advance with `--yes`.
///
/// # Errors
/// If there is no terminal.
pub(super) async fn agreed(matches: &ArgMatches, what: &str, console: &mut Console) -> Result<bool, CommandError> {
    if matches.get_flag("yes") {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        return Err(
            CommandError::usage("confirmation is needed, and there is no terminal to ask on").help("pass `--yes`")
        );
    }
    // Once a process listens to signals, they no longer end it by themselves.
    let mut signals = Signals::listen()?;
    console.err.write(&format!("{what}? [y/N] "))?;
    let _ = std::io::stderr().flush();
    let (sender, receiver) = oneshot::channel();
    // A thread of its own, because a read cannot be cancelled, and nothing waits for this thread when the process ends.
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
