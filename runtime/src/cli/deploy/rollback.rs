//! `wattle rollback`: restores the former infrastructure and software.

use clap::{Arg, ArgMatches, Command};
use wattle::plan::plan_of;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::question::agreed;
use crate::cli::{args, target, ui};
use crate::deploy::Wanted;

use super::returning::Former;
use super::site::{Brought, Site};
use super::{cloud, found, live, software};

pub(in crate::cli) fn command() -> Command {
    Command::new("rollback")
        .about("Go back to an earlier deployment: the last one that completed, or the one before it")
        .arg(cloud::argument())
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("N")
                .value_parser(args::number(1, u64::MAX))
                .help("Number of the deployment to go back to; the last ten that completed are kept"),
        )
        .arg(args::flag("yes", "Do not ask for confirmation"))
        .arg(software::left_alone())
        .arg(ui::option())
        .args(args::target())
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let listening = ui::listen(matches).await?;
    let target = target::find_deployed(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let session = cloud::session(matches, console).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session).await?;
    let to = matches.get_one::<u64>("to").copied();
    let Some((number, source)) = site.former(to).await? else {
        return Err(CommandError::usage(format!("`{stack}` has no deployment to go back to"))
            .help("`wattle destroy` removes what exists"));
    };
    let before = site.present().await?.map(|(_, present)| found::state_of(&present, &site)).transpose()?;
    let plan = plan_of(before.as_ref(), &found::state_of(&source, &site)?, &site.glance(console).await?);
    console.out.write(&plan.to_text(console.out.color))?;
    if !agreed(matches, &format!("bring `{stack}` back to deployment {number}"), console).await? {
        return Err(CommandError::new("nothing was changed"));
    }
    let seed = software::restore(&site, &source, console).await?;
    let former = Former::of(&plan, &space).await;
    let wanted = Wanted::Rollback { to: Some(number) };
    live::shown(listening, &site, console, async |console| match site.bring(&wanted, console).await? {
        Brought::Ended | Brought::Failed | Brought::WentBack => Ok(Exit::Failed),
        Brought::Done => software::follow(&site, &seed, &former, None, matches, console).await,
    })
    .await
}
