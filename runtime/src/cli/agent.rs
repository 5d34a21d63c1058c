//! stub
use super::console::Console;
use super::failure::{Exit, Failure};
use clap::{ArgMatches, Command};
pub(super) fn command() -> Command {
    Command::new("agent")
}
#[expect(clippy::unused_async, reason = "stub")]
pub(super) async fn run(_: &ArgMatches, _: &mut Console) -> Result<Exit, Failure> {
    Ok(Exit::Fine)
}
