//! `wattle space`: deploys a data space on a cloud, for operators who have none.

mod folder;
mod ground;
mod make;
mod own;

use clap::{ArgMatches, Command};

use super::args;
use super::console::Console;
use super::deploy::cloud;
use super::error::{CommandError, Exit};

pub(super) use folder::{Home, own};
pub(super) use make::make;

/// The value of `--space` for the data space of this directory, whether it exists already or not.
pub(super) const NEW: &str = "new";

pub(super) fn command() -> Command {
    let new = Command::new("new")
        .about("Bring up three ZooKeeper servers on a cloud, which form a data space that uses TLS")
        .arg(cloud::argument())
        .arg(folder::argument())
        .arg(own::argument())
        .args(ground::options())
        .arg(args::flag("yes", "Do not ask for confirmation"))
        .after_help(args::section(&[
            (
                "What it does",
                "  Makes an authority and a certificate for each member, a network with floating IPs or ports on
  the named network, and three servers, which set up ZooKeeper with cloud-init and have no agent.
  Ends once they serve. Ctrl-C loses nothing: the same command continues. What was made is never
  changed afterwards: that would replace servers, and with them what they hold.",
            ),
            (
                "Files in the folder",
                "  address       where the data space is: `--space \"$(cat wattle-space/address)\"`
  ca.pem        the authority that operators and servers trust
  ca.key        SECRET, signs certificates of members
  operator.key  SECRET, opens what is known of the servers
  space.log     what is known of the servers",
            ),
        ]));
    let destroy = Command::new("destroy")
        .about("Delete these servers, and with them everything that the data space holds")
        .arg(cloud::argument())
        .arg(folder::argument())
        .arg(own::argument())
        .arg(args::flag("yes", "Do not ask for confirmation"));
    Command::new("space")
        .about("Bring up a data space on a cloud if you have none, and delete it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(new)
        .subcommand(destroy)
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    match matches.subcommand().expect("INVARIANT: a command is required") {
        ("new", given) => make(&Home::of(given), given, console).await,
        (_, given) => make::destroy(&Home::of(given), given, console).await,
    }
}
