//! `wattle drift`: shows differences from what was deployed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Command};
use wattle::model::Name;
use wattle::names::list;
use wattle::plan::Found;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit, exit_codes};
use crate::cli::signals::Signals;
use crate::cli::{args, target, ui};
use crate::deploy::Wanted;

use super::returning::Former;
use super::site::{Brought, Site};
use super::{cloud, live, software};

/// The interval between two observations.
const PAUSE: Duration = Duration::from_secs(30);

/// The period in which corrections of a resource are counted.
const HOUR: Duration = Duration::from_hours(1);

pub(in crate::cli) fn command() -> Command {
    Command::new("drift")
        .about("Show what in the cloud is not as it was deployed")
        .arg(cloud::argument())
        .arg(args::flag("correct", "Correct it"))
        .arg(
            args::flag(
                "watch",
                "Keep checking, twice a minute, until Ctrl-C; --correct then corrects each resource at most three \
                 times an hour",
            )
            .conflicts_with("ui"),
        )
        .arg(software::left_alone().requires("correct"))
        .arg(ui::option().requires("correct"))
        .args(args::target())
        .after_help(args::section(&[(
            "Exit codes",
            &exit_codes(&[
                (Exit::Fine, "everything is as it was deployed, or was corrected"),
                (Exit::Failed, "it is not known, or could not be corrected"),
                (Exit::Usage, "wrong usage"),
                (Exit::Changes, "something is not as it was deployed"),
            ]),
        )]))
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let listening = ui::listen(matches).await?;
    let target = target::find_deployed(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let session = cloud::session(matches, console).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session).await?;
    if matches.get_flag("watch") {
        return watch(&site, matches, console).await;
    }
    let differs = site.look(console).await?;
    if differs.is_empty() {
        console.out.write(&format!("everything in `{stack}` is as it was deployed\n"))?;
        return Ok(Exit::Fine);
    }
    console.out.write(&lines(&differs))?;
    if !matches.get_flag("correct") {
        return Ok(Exit::Changes);
    }
    live::shown(listening, &site, console, async |console| put_right(&site, &[], matches, console).await).await
}

fn lines(differs: &[Found]) -> String {
    differs.iter().map(|Found { name, how, .. }| format!("{name} {how}\n")).collect()
}

/// Corrects differences from what was deployed, except for the resources in `leaves`.
async fn put_right(
    site: &Site,
    leaves: &[Name],
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    match site.bring(&Wanted::AsDeployed { leaves: leaves.iter().cloned().collect() }, console).await? {
        Brought::Done => {
            let stack = &site.deployment.stack;
            let rest = if leaves.is_empty() { "" } else { " else" };
            console.out.write(&format!("everything{rest} in `{stack}` is again as it was deployed\n"))?;
            match site.present().await? {
                // A server that replaces another one has its own keys, and has to run its software.
                Some((_, source)) if !software::strangers(site).await?.is_empty() => {
                    software::follow(site, &software::seed(&source)?, &Former::default(), None, matches, console).await
                }
                _ => Ok(Exit::Fine),
            }
        }
        Brought::Failed | Brought::Ended | Brought::WentBack => Ok(Exit::Failed),
    }
}

/// Observes until requested to end, and reports changes. A cloud that does not respond for a while is retried.
async fn watch(site: &Site, matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let (mut signals, corrects) = (Signals::listen()?, matches.get_flag("correct"));
    let mut said: Option<String> = None;
    let mut corrections: BTreeMap<Name, Vec<Instant>> = BTreeMap::new();
    loop {
        let looked = tokio::select! {
            looked = site.look(console) => looked,
            () = signals.end() => return Ok(Exit::Fine),
        };
        let now = match &looked {
            Ok(differs) if differs.is_empty() => {
                format!("everything in `{}` is as it was deployed\n", site.deployment.stack)
            }
            Ok(differs) => lines(differs),
            Err(failure) => format!("{}\n", failure.message),
        };
        let is_said = said.as_ref() == Some(&now);
        if !is_said {
            console.out.write(&now)?;
        }
        said = Some(now);
        if let Some(differs) = looked.ok().filter(|differs| corrects && !differs.is_empty()) {
            let most = site.deployment.limits.corrections;
            let tired = tired(&differs, most, &mut corrections);
            if !tired.is_empty() && !is_said {
                let names = list(tired.iter().map(|name| &**name), "and");
                console
                    .err
                    .write(&format!("already corrected {most} times within the hour, so not again: {names}\n"))?;
            }
            if tired.len() < differs.len() {
                put_right(site, &tired, matches, console).await?;
                said = None;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = signals.end() => return Ok(Exit::Fine),
        }
    }
}

/// The resources that were corrected too often recently. Counts a correction of the others.
fn tired(differs: &[Found], most: usize, corrections: &mut BTreeMap<Name, Vec<Instant>>) -> Vec<Name> {
    corrections.values_mut().for_each(|times| times.retain(|time| time.elapsed() < HOUR));
    let mut tired = Vec::new();
    for Found { name, .. } in differs {
        let times = corrections.entry(name.clone()).or_default();
        if times.len() < most {
            times.push(Instant::now());
        } else {
            tired.push(name.clone());
        }
    }
    tired
}

#[cfg(test)]
mod tests {
    use wattle::plan::Left;

    use super::*;

    #[test]
    fn who_is_tired_tires_nobody_else() {
        let mut corrections = BTreeMap::new();
        let mut tired = |names: &[&str]| {
            let found = |name: &&str| Found { name: (*name).into(), left: Left::Nothing, how: "is gone".to_owned() };
            let found: Vec<Found> = names.iter().map(found).collect();
            super::tired(&found, 2, &mut corrections).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert!(tired(&["a"]).is_empty());
        }
        for _ in 0..2 {
            assert_eq!(tired(&["a", "b"]), ["a"]);
        }
        assert_eq!(tired(&["a", "b", "c"]), ["a", "b"]);
    }
}
