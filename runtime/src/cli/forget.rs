//! `wattle seed forget`: revokes the last rights of servers that have left the model.

use clap::{Arg, ArgAction, ArgMatches, Command};
use wattle::model::Name;
use wattle::names::some;

use crate::seed;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{args, target};

pub(super) fn command() -> Command {
    Command::new("forget")
        .about("Remove what is kept for the teardown of servers that have left the model")
        .arg(
            Arg::new("servers")
                .value_name("SERVER")
                .action(ArgAction::Append)
                .help("Servers to forget; all that have left the model, if none is named"),
        )
        .arg(args::flag("force", "Also forget servers whose agents still run"))
        .args(args::target())
        .after_help(args::section(&[(
            "What it does",
            "  A server that leaves the model keeps its own plan, its status and the place of its agent, so that
  its agent can tear down what it has. Once that is done, the next revision removes them. A
  server that never reports that, because it was deleted or never started, keeps them until it is
  forgotten.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let named: Vec<Name> =
        matches.get_many::<String>("servers").into_iter().flatten().map(|name| name.as_str().into()).collect();
    let target = target::find(matches, console)?;
    let (space, key) = (target.space(console).await?, target.key()?);
    let stack = space.layout().stack();
    let forgotten = seed::forget(space.store(), stack, &key, &named, matches.get_flag("force")).await?;
    let text = if forgotten.servers.is_empty() {
        let named = some(named.iter().map(|name| &**name), 5);
        let whom = if named.is_empty() { "servers that have left".to_owned() } else { named };
        format!("`{stack}` no longer grants anything to {whom}\n")
    } else {
        let forgot = some(forgotten.servers.iter().map(|name| &**name), 5);
        format!("`{stack}` is at revision {}: forgot {forgot}\n", forgotten.revision)
    };
    console.out.write(&text)?;
    Ok(Exit::Fine)
}
