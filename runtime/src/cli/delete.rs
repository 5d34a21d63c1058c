//! `wattle seed delete`: removes a stack from the data space.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use tokio::time;
use wattle::names::{count, meant, some};

use crate::deploy::{Deployment, Through};
use crate::seed;
use crate::space::ROOT;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::question::agreed;
use super::{args, target};

/// How often a long removal reports its progress.
const PROGRESS: Duration = Duration::from_secs(5);

pub(super) fn command() -> Command {
    Command::new("delete")
        .about("Remove a stack from the data space after it was deleted in Heat")
        .arg(Arg::new("name").value_name("STACK").required(true).help("Name of the stack"))
        .arg(args::flag("yes", "Do not ask for confirmation"))
        .arg(args::flag(
            "force",
            "Do not ask for confirmation, and ignore running agents, stacks that still read from this one, and \
             infrastructure",
        ))
        .args(args::target())
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let stack = matches.get_one::<String>("name").expect("INVARIANT: it is required");
    let target = target::find(matches, console)?;
    let store = target.store(console).await?;
    let stacks = target::patiently(&target.address, console, store.children(ROOT)).await?;
    if !stacks.contains(stack) {
        let near = meant(stack, stacks.iter().map(String::as_str));
        return Err(
            CommandError::usage(format!("the data space at {} holds no stack `{stack}`", target.address)).help_if(near)
        );
    }
    let is_forced = matches.get_flag("force");
    let key = target.key()?;
    // With `--force`, existing resources are not checked, so that the command works even if their state can no longer
    // be read.
    let rows = if is_forced { Vec::new() } else { Deployment::rows(&store, stack, &key).await? };
    if !rows.is_empty() {
        return Err(CommandError::usage(format!(
            "`{stack}` has infrastructure that wattle has brought up, {}, and only the data space knows about it",
            some(rows.iter().map(|row| &*row.name), 5)
        ))
        .help("`wattle destroy` removes it, and then the stack")
        .help("`--force` forgets it, and leaves it in the cloud"));
    }
    if !is_forced && Deployment::through(&store, stack, &key).await? == Some(Through::Heat) {
        return Err(CommandError::usage(format!(
            "`{stack}` was deployed through Heat, and only the data space knows that"
        ))
        .help("`wattle destroy` has Heat delete it, and then removes the stack")
        .help("`--force` forgets it, and leaves it in the cloud"));
    }
    let what = format!("delete everything that {} holds of `{stack}`", target.address);
    if !is_forced && !agreed(matches, &what, console).await? {
        return Err(CommandError::new("nothing was deleted"));
    }
    let removed = AtomicUsize::new(0);
    let mut deleting = pin!(seed::delete_counting(&store, stack, &key, is_forced, &removed));
    let mut ticks = time::interval(PROGRESS);
    ticks.tick().await;
    let deleted = loop {
        tokio::select! {
            deleted = &mut deleting => break deleted,
            _ = ticks.tick() => {
                let nodes = count(removed.load(Ordering::Relaxed), "node");
                console.err.write(&format!("removed so far: {nodes} that servers have made\n"))?;
            }
        }
    };
    deleted?;
    console.out.write(&format!("`{stack}` is deleted\n"))?;
    Ok(Exit::Fine)
}
