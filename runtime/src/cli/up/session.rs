//! Follows a running topology, until it is finished or the process is interrupted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use wattle::lower::Seed;
use wattle::model::Name;
use wattle::names::join;
use wattle::shown;
use wattle_words::time::short;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::paint::{Tone, paint};
use crate::cli::progress::{Progress, size_of};
use crate::cli::signals::{Meaning, Signals};
use crate::cli::{exports, why};
use crate::clock;
use crate::local::{self, Folder, Network, Record, Up};
use crate::report::{StackSnapshot, roots};
use crate::space::Space;

/// How often to refresh everything.
const PAUSE: Duration = Duration::from_millis(200);

/// The largest number of causes that are explained at the end.
const ROOTS: usize = 10;

/// A topology that is followed, and possibly run, by this process.
pub(super) struct Session {
    pub(super) folder: Folder,
    pub(super) seed: Seed,
    pub(super) space: Space,
    pub(super) record: Record,
    pub(super) user_data: HashMap<Name, String>,
    pub(super) until_done: bool,
    pub(super) begin: Instant,
}

/// Shows the progress until everything is finished, if the user asked for no more than that, or until it is
/// interrupted.
pub(super) async fn follow(
    session: &Session,
    mut up: Option<&mut Up>,
    signals: &mut Signals,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    let mut progress = Progress::new(console);
    let mut snapshot: Option<StackSnapshot> = None;
    // The revision whose end was reported, and how it ended.
    let (mut last_shown, mut ended) = (0, Exit::Failed);
    loop {
        let look = StackSnapshot::read(&session.space, snapshot.as_ref());
        let now = if up.is_some() {
            look.await?
        } else {
            // Another process serves the data space, and may end.
            tokio::select! {
                now = look => now?,
                () = signals.end() => {
                    progress.clear(console)?;
                    return Ok(Exit::Fine);
                }
                () = local::gone(&session.folder) => {
                    progress.clear(console)?;
                    let what = format!("{} was stopped before it was done", session.record.stack);
                    return Err(CommandError::new(what)
                        .help(format!("start it again: `wattle up {}`", shown::path(session.folder.directory().display()))));
                }
            }
        };
        if snapshot.is_none() {
            progress
                .say(&format!("{}: {}, {}", session.record.stack, size_of(&now), place(&session.record)), console)?;
        }
        let notes = up.as_mut().map(|up| up.look_after()).transpose()?;
        for note in notes.unwrap_or_default() {
            progress.say(&format!("{} {note}", paint("!", Tone::Waiting, console.err.color)), console)?;
        }
        if last_shown < now.revision() {
            progress.show(&now, console)?;
        }
        let tally = now.tally();
        let is_applied = now.desired.as_ref().is_some_and(|desired| desired.applying.is_none());
        let code = if tally.has_failed() { Exit::Failed } else { Exit::Fine };
        if tally.is_over() && is_applied && last_shown < now.revision() {
            (last_shown, ended) = (now.revision(), code);
            progress.show(&now, console)?;
            progress.clear(console)?;
            summary(session, &now, console).await?;
            if session.until_done {
                return Ok(code);
            }
            progress = Progress::new(console);
        }
        snapshot = Some(now);
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            signal = signals.next() => if signal == Meaning::Renew {
                if let Some(up) = up.as_mut() {
                    up.reconcile()?;
                }
            } else {
                progress.clear(console)?;
                if up.is_none() {
                    return Ok(Exit::Fine);
                }
                // The last snapshot may be slightly outdated.
                let now = StackSnapshot::read(&session.space, snapshot.as_ref()).await?;
                let tally = now.tally();
                // A restarted agent checks finished components again.
                let is_done = tally.is_done() || (last_shown == now.revision() && ended == Exit::Fine);
                return Ok(if is_done { Exit::Fine } else { Exit::Failed });
            }
        }
    }
}

/// Where servers run, and why.
pub(super) fn place(record: &Record) -> String {
    let sandboxes = if record.sandbox.is_some() { "in sandboxes, " } else { "" };
    match (record.network, &record.why_loopback) {
        (Network::Namespaces, _) => format!("{sandboxes}in networks of their own"),
        (Network::Loopback, why) => {
            let why = why.as_ref().map(|why| format!(", without networks of their own: {why}")).unwrap_or_default();
            format!("{sandboxes}at loopback addresses{why}")
        }
    }
}

/// The results.
async fn summary(session: &Session, snapshot: &StackSnapshot, console: &mut Console) -> Result<(), CommandError> {
    let color = console.out.color;
    let tally = snapshot.tally();
    let stack = paint(&snapshot.stack, Tone::Head, color);
    let mut text = String::new();
    let took = session.begin.elapsed().as_secs();
    if tally.has_failed() {
        let mut failed = Vec::new();
        if tally.failed > 0 {
            let have = if tally.failed == 1 { "has" } else { "have" };
            failed.push(format!("{} of {} {have} failed", tally.failed, tally.all));
        }
        if tally.blocked > 0 {
            failed.push(format!("{} {} blocked", tally.blocked, if tally.blocked == 1 { "is" } else { "are" }));
        }
        match tally.left_over {
            0 => {}
            1 => failed.push("a teardown has failed".into()),
            many => failed.push(format!("{many} teardowns have failed")),
        }
        let what = paint(&join(failed, "and"), Tone::Bad, color);
        text.extend([format!("\n{stack}: {what}\n\n")]);
        let now = clock::now();
        text.push_str(&why::explain_all(&roots(snapshot), ROOTS, now, color));
    } else {
        let up = paint("is up", Tone::Good, color);
        let after = if took == 0 { String::new() } else { format!(", after {}", short(took)) };
        text.extend([format!("\n{stack} {up}{after}\n")]);
        let exports = exports::exports(&session.space, &session.user_data, color).await;
        if !exports.is_empty() {
            text.extend([format!("\n{exports}")]);
        }
    }
    text.extend([format!("\n{}", exports::addresses(&session.seed, &session.record.addresses, color))]);
    let logs = session.folder.state().join("servers").display().to_string();
    let hint = format!(
        "\nlogs are in {logs}/SERVER/agent.log{}\n",
        if session.until_done { "" } else { "; Ctrl-C stops everything" }
    );
    text.push_str(&paint(hint.trim_end(), Tone::Faint, color));
    text.push('\n');
    console.out.write(&text)
}

/// Ends everything that was started.
pub(super) async fn end(
    up: Up,
    session: &Session,
    signals: &mut Signals,
    console: &mut Console,
) -> Result<(), CommandError> {
    // Restart the line after the terminal's ^C.
    let start = if console.err.is_terminal { "\r" } else { "" };
    console.err.write(&format!("{start}stopping {} ...", session.record.stack))?;
    let begin = Instant::now();
    let hurry = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hurry);
    let counting = async move {
        loop {
            signals.end().await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    };
    let forced = tokio::select! {
        forced = up.end(|| hurry.load(Ordering::Relaxed) > 0) => forced,
        () = counting => 0,
    };
    let forced = match forced {
        0 => String::new(),
        1 => ", 1 process by force".into(),
        many => format!(", {many} processes by force"),
    };
    console.err.write(&format!(" stopped after {}s{forced}\n", begin.elapsed().as_secs()))
}
