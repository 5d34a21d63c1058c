//! The live view of what a command does to a stack, for as long as the command runs.

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::ui;
use crate::ui::{Listening, drawn};

use super::site::Site;

/// Does `work`, and meanwhile shows its progress in the live view, if there is one.
pub(super) async fn shown<T>(
    listening: Option<Listening>,
    site: &Site,
    console: &mut Console,
    work: impl AsyncFnOnce(&mut Console) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    shown_until(listening, site, console, work, |_| false).await
}

/// The same for work after which there may be nothing left to show, as `is_gone` says.
pub(super) async fn shown_until<T>(
    listening: Option<Listening>,
    site: &Site,
    console: &mut Console,
    work: impl AsyncFnOnce(&mut Console) -> Result<T, CommandError>,
    is_gone: impl FnOnce(&T) -> bool,
) -> Result<T, CommandError> {
    let Some(listening) = listening else { return work(console).await };
    let key = Some(site.deployment.key.clone());
    let before = drawn(&site.space, None).await.ok();
    let view = ui::show(listening, &site.space, key, None, before, console)?;
    let done = work(console).await;
    let command = console.program.name;
    let why = if done.as_ref().is_ok_and(is_gone) {
        "everything has been deleted".to_owned()
    } else {
        format!("the command that showed this has ended; `{command} status --ui` continues to show it")
    };
    view.end(&why).await;
    done
}
