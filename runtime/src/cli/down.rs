//! `wattle down`: ends what `up` runs.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Command};

use crate::local::{self, Folder};

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{args, here};

/// How long an `up` may take to end everything.
const PATIENCE: Duration = Duration::from_secs(40);

pub(super) fn command() -> Command {
    Command::new("down")
        .about("Stop what `up` runs: agents, recipes and services")
        .arg(args::directory().help("Folder that was given to `up`; not needed if a topology is up here or in ./out"))
        .arg(args::directory_as_option())
        .arg(args::flag("delete", "Also delete everything that the servers have kept"))
        .after_help(args::section(&[(
            "What stays",
            "  The servers' folders, their addresses and generated secrets stay for the next `up`, unless
  --delete is given. For servers in sandboxes, only logs, addresses and generated secrets stay.
  Whatever a killed `up` has left running is stopped as well.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let folder = match args::given_directory(matches) {
        Some(directory) => Folder::of(directory),
        None => here::to_end()?,
    };
    let directory = folder.directory().display().to_string();
    if !folder.directory().is_dir() {
        return Err(CommandError::usage(format!("there is no folder `{directory}`")));
    }
    if !folder.state().is_dir() {
        return Err(CommandError::usage(format!("`{directory}` was never up")));
    }
    let folder = here::own(folder)?;
    let was_running = folder.is_running();
    if was_running {
        end(&folder, console).await?;
    }
    // A killed process could not end what it had started.
    let left = local::end_left_behind(&folder).await;
    local::forget(&folder);
    let mut what = match (was_running, left) {
        (true, _) => "is down".to_owned(),
        (false, 0) => "was not up".to_owned(),
        (false, left) => format!("is down: {} of an `up` that was killed", count(left, "process")),
    };
    if matches.get_flag("delete") {
        let has_more = folder.delete().map_err(|why| CommandError::new(why).note("nothing else is deleted"))?;
        what.push_str(", and what it kept is deleted");
        if has_more {
            let _ = write!(what, "; `{}` has other files, which `up` did not make", folder.state().display());
        }
    }
    console.out.write(&format!("{directory} {what}\n"))?;
    Ok(Exit::Fine)
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}es") }
}

/// Makes the process that runs the topology end it.
async fn end(folder: &Folder, console: &mut Console) -> Result<(), CommandError> {
    let record = folder.record().ok().flatten().unwrap_or_default();
    if record.pid == 0 {
        return Err(CommandError::new(format!("`{}` is being brought up right now", folder.directory().display()))
            .help("try again in a moment"));
    }
    let begin = Instant::now();
    let refuse = |why: String| {
        CommandError::new(why)
            .note("it was not stopped")
            .help("end the `wattle up` of this folder yourself, with Ctrl-C or `kill`")
    };
    let tell = |signal| {
        let pid = folder.keeper().map_err(refuse)?;
        let _ = rustix::process::kill_process(pid, signal);
        Ok::<(), CommandError>(())
    };
    tell(rustix::process::Signal::TERM)?;
    while folder.is_running() {
        if begin.elapsed() > PATIENCE {
            console.err.write("the `up` of this folder did not end in time, and is killed\n")?;
            tell(rustix::process::Signal::KILL)?;
            tokio::time::sleep(Duration::from_millis(200)).await;
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}
