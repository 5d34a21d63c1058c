//! A topology run by another process: one that is already up, or one to run in the background.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use wattle::manners::{read, reason};
use wattle::shown;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::{parameters, target, ui};
use crate::local::{self, Folder, Wish};
use crate::log_file;
use crate::report::StackSnapshot;
use crate::space::Space;
use crate::store::Address;
use crate::ui::Listening;

use super::session::{Session, follow, place};
use super::{handover, record, sandbox};
use crate::cli::signals::Signals;

/// How long a detached `up` may take until its agents are started. Hundreds of networks take some time.
const START: Duration = Duration::from_mins(5);

/// Applies changes to a running topology, and shows the progress.
pub(super) async fn join(
    folder: Folder,
    wish: Wish,
    until_done: bool,
    is_detached: bool,
    listening: Option<Listening>,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    let mut signals = Signals::listen()?;
    let begin = Instant::now();
    let (space, applied) = local::renew(&folder, &wish).await?;
    let record = record(&folder)?;
    let what = if !applied.changes.is_empty() {
        format!("now revision {}", applied.revision)
    } else if !wish.again && StackSnapshot::read(&space, None).await?.tally().has_failed() {
        "unchanged; `--again` runs what has failed again".to_owned()
    } else {
        "unchanged".to_owned()
    };
    console.err.write(&format!("{} is already up: {what}\n", applied.stack))?;
    if is_detached && !until_done {
        return Ok(Exit::Fine);
    }
    let user_data = local::user_data(&folder, &wish.seed, &record);
    let session = Session { folder, seed: wish.seed, space, record, user_data, until_done: true, begin };
    let show = |listening| ui::show(listening, &session.space, None, Some(&session.folder), None, console);
    let view = listening.map(show).transpose()?;
    let followed = follow(&session, None, &mut signals, console).await;
    if let Some(view) = view {
        view.end("the command that showed this has ended").await;
    }
    followed
}

/// Starts another process that runs the topology, and waits until it does.
pub(super) async fn detach(
    folder: Folder,
    wish: &Wish,
    assigned: &[(String, String)],
    until_done: bool,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    let cannot =
        |error: &std::io::Error| CommandError::new(format!("cannot start in the background: {}", reason(error)));
    let log = log_file::append(&folder.log()).map_err(|error| cannot(&error))?;
    log.set_len(0).map_err(|error| cannot(&error))?;
    let program = std::env::current_exe().map_err(|error| cannot(&error))?;
    let mut child = tokio::process::Command::new(program)
        .args(["up", "--background", "--"])
        .arg(folder.directory())
        .stdin(Stdio::piped())
        .stdout(log.try_clone().map_err(|error| cannot(&error))?)
        .stderr(log)
        .spawn()
        .map_err(|error| cannot(&error))?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(&handover::write(parameters::hand_over(std::env::args_os(), assigned)))
            .await
            .map_err(|error| cannot(&error))?;
    }
    let begin = Instant::now();
    let pid = child.id();
    let record = loop {
        if let Ok(Some(status)) = child.try_wait() {
            let said = read(&folder.log()).unwrap_or_default();
            console.err.write(&said)?;
            return Ok(if status.code() == Some(2) { Exit::Usage } else { Exit::Failed });
        }
        if let Ok(Some(record)) = folder.record()
            && Some(record.pid) == pid
        {
            break record;
        }
        if begin.elapsed() > START {
            return Err(CommandError::new("it did not come up in the background")
                .note(format!("its output is in {}", folder.log().display())));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let directory = shown::path(folder.directory().display());
    if let Some(warning) = sandbox::warning(&record, &wish.seed) {
        console.err.write(&format!("{warning}\n"))?;
    }
    if !until_done {
        console.out.write(&format!(
            "{} runs in the background (process {}), {}\n  wattle status {directory} --watch   shows the progress\n  \
             wattle down {directory}   ends it\n",
            record.stack,
            record.pid,
            place(&record)
        ))?;
        return Ok(Exit::Fine);
    }
    let mut signals = Signals::listen()?;
    let login = target::read_key(&folder.operator_key())?.login();
    let store = target::connect(&Address::Socket(folder.socket()), &[login], console).await?;
    let space = Space::new(store, &record.stack);
    let user_data = local::user_data(&folder, &wish.seed, &record);
    let session = Session { folder, seed: wish.seed.clone(), space, record, user_data, until_done: true, begin };
    follow(&session, None, &mut signals, console).await
}
