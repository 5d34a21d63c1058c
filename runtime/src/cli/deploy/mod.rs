//! `wattle deploy` and related commands. They deploy the infrastructure of a stack, through Heat or without it, and its
//! software.

pub(super) mod adopt;
pub(super) mod boot_log;
pub(super) mod cloud;
pub(super) mod destroy;
mod display;
pub(super) mod drift;
mod foot;
mod foresight;
pub(super) mod found;
mod heat;
mod live;
mod outputs;
mod patience;
pub(super) mod placing;
mod returning;
pub(super) mod rollback;
pub(super) mod site;
mod software;
pub(super) mod source;
mod through;

use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use wattle::plan::plan_of;
use wattle_converge::{Cleanup, OnFailure, Time};

use super::console::Console;
use super::error::{CommandError, Exit, exit_codes};
use super::question::agreed;
use super::{args, parameters, plan, seed, space, target, ui};
use crate::clock;
use crate::deploy::Wanted;

use found::Really;
use returning::Former;
use site::Site;
use through::Chosen;

pub(super) fn command() -> Command {
    Command::new("deploy")
        .about("Deploy what a blueprint emitted to OpenStack, with or without Heat: infrastructure and software")
        .arg(seed::directory_or_plain())
        .arg(cloud::argument())
        .arg(through::argument())
        .arg(args::flag("yes", "Do not ask for confirmation"))
        .arg(args::flag("again", "Also run unchanged software again, which retries what failed"))
        .arg(software::left_alone())
        .arg(ui::option())
        .args(choices())
        .args(placing::arguments())
        .args(parameters::arguments())
        .args(args::data_space())
        .arg(args::credentials())
        .after_help(args::section(&[
            (
                "What it does",
                "  Shows what would change, and asks for confirmation. Then writes the seed to the data space, brings
  the infrastructure to what the template says, admits servers with keys of their own, and waits for
  the software. Ctrl-C loses nothing: the next call continues. A second call while one is running
  changes what both work towards.",
            ),
            (
                "Places",
                "  With --hosts it chooses where servers go, as `place` does, before it says what would change.
  Pass it each time: without it, the template asks for no places, and servers that have been placed
  are replaced.",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "everything is as the folder says"),
                    (Exit::Failed, "something is not, and the output says what"),
                    (Exit::Usage, "wrong usage; nothing was done"),
                ]),
            ),
        ]))
}

/// The options for deploying.
fn choices() -> [Arg; 4] {
    [
        Arg::new("on-failure")
            .long("on-failure")
            .value_name("WHAT")
            .value_parser(["stop", "rollback"])
            .default_value("stop")
            .help(
                "When infrastructure fails: leave everything as it is, or go back to the last state that was reached",
            ),
        Arg::new("cleanup")
            .long("cleanup")
            .value_name("WHEN")
            .value_parser(["last", "early"])
            .default_value("last")
            .help(
                "When to delete what is replaced: once everything else is as it should be, or as soon as its successor \
                 is",
            ),
        Arg::new("deadline")
            .long("deadline")
            .value_name("TIME")
            .value_parser(args::duration)
            .help("After this time, such as 30m, start nothing more, and wait for nothing more"),
        args::flag(
            "correct",
            "Correct what drifts while the command runs, at most three times an hour; afterwards use `drift --watch \
             --correct`",
        ),
    ]
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    if target::named(matches, "space", "WATTLE_SPACE").as_deref() == Some(space::NEW) {
        // Report errors in the template before anything is created.
        seed::read_any(matches)?;
        let made = space::make(&space::Home::of(matches), matches, console).await?;
        if made != Exit::Fine {
            return Ok(made);
        }
    }
    let listening = ui::listen(matches).await?;
    let mut work = seed::prepare_any(matches, crate::seed::judge, console).await?;
    if work.is_up() {
        return Err(CommandError::usage(format!("`{}` is up on this machine", work.directory.display()))
            .help("name another data space: `--space zookeeper+tls://HOST:PORT`"));
    }
    work.options.again = matches.get_flag("again");
    // Report errors in the cloud or the template before anything is created.
    let mut source = source::source(&work, matches)?;
    let Chosen { session, mut target } = through::choose(&work, &source, matches, console).await?;
    let (before, mut after) = plan::between(&work, &work.directory.clone(), plan::Unkept::IsNothing, console).await?;
    let Really { before, found, site, .. } = found::really(&work, before, &source, &session, console).await?;
    let ground = placing::Ground { site: site.as_ref(), session: &session };
    if let Some(placed) =
        placing::place(&mut work, &mut source, before.as_ref(), Some(ground), matches, console).await?
    {
        after = plan::after(&work, &work.directory.clone()).await?;
        if target.is_some() {
            target = Some(through::target(&source, console)?);
        }
        placing::show(&placed, console)?;
    } else {
        placing::forgotten(before.as_ref(), &after, console)?;
    }
    let plan = plan_of(before.as_ref(), &after, &found);
    console.out.write(&plan.to_text(console.out.color))?;
    if let Some(target) = &target {
        foresight::foresee(&source, target, &plan, &session, console).await?;
    }
    if !plan.is_empty() && !agreed(matches, "deploy it", console).await? {
        return Err(CommandError::new("nothing was deployed"));
    }
    let changes = work.apply().await?;
    console.err.write(&format!("{}\n", changes.to_string().trim_end()))?;
    let mut site = match site {
        Some(site) => site,
        None => Site::new(&work.store, &work.stack(), &work.options.key, session).await?,
    };
    site.is_heats = target.is_none();
    let former = Former::of(&plan, &site.space).await;
    let deadline = matches
        .get_one::<Duration>("deadline")
        .map(|time| Time::from_millis(clock::millis() + u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2)));
    let wanted = Wanted::Deploy {
        source: source.to_text(),
        on_failure: match matches.get_one::<String>("on-failure").map(String::as_str) {
            Some("rollback") => OnFailure::Rollback,
            _ => OnFailure::Stop,
        },
        cleanup: match matches.get_one::<String>("cleanup").map(String::as_str) {
            Some("early") => Cleanup::Early,
            _ => Cleanup::Last,
        },
        corrects: matches.get_flag("correct"),
        deadline,
    };
    live::shown(listening, &site, console, async |console| match site.bring(&wanted, console).await? {
        site::Brought::Ended | site::Brought::Failed => Ok(Exit::Failed),
        site::Brought::WentBack => software::go_back(&site, matches, console).await,
        site::Brought::Done => software::follow(&site, &work.seed, &former, deadline, matches, console).await,
    })
    .await
}
