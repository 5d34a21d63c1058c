//! `wattle destroy`: deletes a stack completely.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use wattle::manners::{must_end, read, reason};
use wattle::shown;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::question::agreed;
use crate::cli::{args, here, target, ui};
use crate::deploy::{Alone, Deployment, Wanted};
use crate::local::Folder;
use crate::seed;

use super::site::{Brought, Site, wanted_again};
use super::{cloud, live, software};

pub(in crate::cli) fn command() -> Command {
    Command::new("destroy")
        .about("Tear down a stack's software, delete its infrastructure, and remove the stack from the data space")
        .arg(cloud::argument())
        .arg(args::flag("yes", "Do not ask for confirmation"))
        .arg(ui::option())
        .args(args::target())
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let listening = ui::listen(matches).await?;
    if let Some(dir) = args::given_directory(matches).filter(|dir| dir.is_dir() && !here::is_left(dir)) {
        return Err(not_up(dir));
    }
    let target = target::find_deployed(matches, console)?;
    let (space, key) = target.operated(console).await?;
    if let Some(folder) = &target.folder
        && Deployment::whereabouts(space.store(), space.layout().stack(), &key).await?.is_none()
    {
        return Err(not_deployed(space.layout().stack(), folder));
    }
    let session = cloud::session(matches, console).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session).await?;
    let rows = Deployment::rows(space.store(), &stack, &key).await?;
    let what = match rows.len() {
        _ if site.is_heats => {
            format!("delete the stack `{stack}` in Heat of the cloud `{}`, and `{stack}`", site.cloud())
        }
        0 => format!("remove `{stack}`, which has nothing left in the cloud,"),
        1 => format!("delete the one resource of `{stack}` in the cloud `{}`, and `{stack}`", site.cloud()),
        many => format!("delete the {many} resources of `{stack}` in the cloud `{}`, and `{stack}`", site.cloud()),
    };
    let credentials = site.present().await?.and_then(|(_, source)| source.environments.into_iter().next_back());
    let credentials = match credentials {
        Some((file, text)) => Some((credentials_at(matches, file)?, text)),
        None => None,
    };
    if !agreed(matches, &format!("{what} from the data space"), console).await? {
        return Err(CommandError::new("nothing was deleted"));
    }
    let work = async |console: &mut Console| {
        software::retire(&site, console).await?;
        site.bring(&Wanted::Nothing, console).await
    };
    let is_gone = |brought: &Brought| matches!(brought, Brought::Done);
    let brought = live::shown_until(listening, &site, console, work, is_gone);
    match brought.await? {
        Brought::Ended | Brought::Failed | Brought::WentBack => Ok(Exit::Failed),
        Brought::Done => {
            remove(&site).await?;
            if let Some((files, text)) = credentials {
                forget(&files, &text, console)?;
            }
            console.out.write(&format!("`{stack}` is gone\n"))?;
            Ok(Exit::Fine)
        }
    }
}

/// The error that nothing is up in the directory. Stacks that were deployed from there are still in some data space.
fn not_up(dir: &Path) -> CommandError {
    CommandError::usage(format!("`{}` is not up, so it has no data space of its own", dir.display()))
        .help("name the data space that it was deployed to: `--space zookeeper+tls://HOST:PORT`, or set WATTLE_SPACE")
        .help("if it was never deployed, there is nothing to delete")
}

/// The error that the stack exists only in `up`.
fn not_deployed(stack: &str, folder: &Folder) -> CommandError {
    CommandError::usage(format!("`{stack}` is deployed in no cloud: `wattle up` runs it on this machine"))
        .help(format!("end it: `wattle down {}`", shown::path(folder.name().display())))
}

/// Removes the stack's records from the data space. Meanwhile, nothing may restart the parts that wattle itself
/// deploys.
async fn remove(site: &Site) -> Result<(), CommandError> {
    let Deployment { store, stack, key, .. } = &site.deployment;
    let hold = if site.is_heats {
        None
    } else {
        match site.deployment.alone().await? {
            Alone::Held(hold) => Some(hold),
            Alone::Wanted => return Err(wanted_again(stack)),
            // Another `wattle destroy` was faster.
            Alone::Gone => return Ok(()),
        }
    };
    let deleted = seed::delete(store, stack, key, true).await;
    if let Some(hold) = hold {
        hold.release().await;
    }
    deleted?;
    Ok(())
}

/// The possible locations of the servers' credentials. A pipe there is refused before anything is deleted.
fn credentials_at(matches: &ArgMatches, file: String) -> Result<[PathBuf; 2], CommandError> {
    let key = target::key_file(matches).unwrap_or_else(|| PathBuf::from("operator.key"));
    let files = [PathBuf::from(file), key.with_file_name("credentials.yaml")];
    for file in &files {
        // A file that this user may not even inspect is not removed either.
        if let Err(error) = must_end(file)
            && fs::metadata(file).is_ok()
        {
            return Err(CommandError::usage(format!("cannot read `{}`: {}", file.display(), reason(&error)))
                .note(
                    "this file should hold the servers' credentials, and is removed once they no longer open anything",
                )
                .help("move it away: nothing was deleted"));
        }
    }
    Ok(files)
}

/// Removes the file with the servers' credentials, if its content is still the deployed one. The credentials no longer
/// open anything, and the next deployment would not know whose they are.
fn forget(files: &[PathBuf], text: &str, console: &mut Console) -> Result<(), CommandError> {
    for file in files {
        if read(file).is_ok_and(|there| there == text) && fs::remove_file(file).is_ok() {
            console
                .err
                .write(&format!("removed {}: what is in it no longer opens anything\n", shown::path(file.display())))?;
        }
    }
    Ok(())
}
