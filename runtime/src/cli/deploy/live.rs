//! The live view of what a command does to a stack, for as long as the command runs.

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::ui;
use crate::ui::Listening;

use super::site::Site;

/// Does `work`, and meanwhile shows its progress in the live view, if there is one.
pub(super) async fn shown<T>(
    listening: Option<Listening>,
    site: &Site,
    console: &mut Console,
    work: impl AsyncFnOnce(&mut Console) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let Some(listening) = listening else { return work(console).await };
    let key = Some(site.deployment.key.clone());
    let view = ui::show(listening, &site.space, key, None, console)?;
    let done = work(console).await;
    let command = console.program.name;
    view.end(&format!("the command that showed this has ended; `{command} status --ui` continues to show it")).await;
    done
}
