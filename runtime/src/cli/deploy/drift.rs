//! `wattle drift`: what is not as it was deployed.

use clap::{ArgMatches, Command};
use wattle::plan::Found;

use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure, exit_codes};
use crate::cli::{args, target, ui};
use crate::deploy::Wanted;

use super::site::{Brought, Site};
use super::{cloud, live, software};

pub(in crate::cli) fn command() -> Command {
    Command::new("drift")
        .about("Say what in the cloud is not as it was deployed")
        .arg(cloud::argument())
        .arg(args::flag("correct", "Put it right"))
        .arg(software::left_alone().requires("correct"))
        .arg(ui::option().requires("correct"))
        .args(args::target())
        .after_help(args::section(&[(
            "Exit codes",
            &exit_codes(&[
                (Exit::Fine, "everything is as it was deployed, or was put right"),
                (Exit::Failed, "it is not known, or could not be put right"),
                (Exit::Usage, "wrong usage"),
                (Exit::Changes, "something is not"),
            ]),
        )]))
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let listening = ui::listen(matches).await?;
    let target = target::find(matches, console)?;
    let (space, key) = (target.space().await?, target.key()?);
    let session = cloud::session(matches).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session).await?;
    let differs = site.look(console).await?;
    if differs.is_empty() {
        console.out.write(&format!("everything of `{stack}` is as it was deployed\n"))?;
        return Ok(Exit::Fine);
    }
    let lines: Vec<String> = differs.iter().map(|Found { name, how, .. }| format!("{name} {how}\n")).collect();
    console.out.write(&lines.concat())?;
    if !matches.get_flag("correct") {
        return Ok(Exit::Changes);
    }
    live::shown(listening, &site, console, async |console| match site.bring(&Wanted::AsDeployed, console).await? {
        Brought::Done(rebuilt) => {
            console.out.write(&format!("everything of `{stack}` is as it was deployed again\n"))?;
            match site.present().await? {
                // Whoever takes the place of a server has keys of its own, and its software to run.
                Some((_, source)) if !(rebuilt.is_empty() && software::strangers(&site).await?.is_empty()) => {
                    software::follow(&site, &software::seed(&source)?, &rebuilt, matches, console).await
                }
                _ => Ok(Exit::Fine),
            }
        }
        Brought::Failed | Brought::Ended => Ok(Exit::Failed),
    })
    .await
}
