//! `wattle plan`: shows the changes that an emitted directory would make to the deployed stack.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use serde_json::Value;
use wattle::cli::{plan_against, plan_format, planned_of, state_of};
use wattle::manners::{Exit, exit_codes};
use wattle::plan::{Found, State, StateError};
use wattle_place::template::Placed;

use crate::deploy::{Deployment, Through};
use crate::openstack::OWN;
use crate::seed::{chosen, concealed, deployed};
use crate::space::Layout;

use super::console::Console;
use super::deploy::placing::{self, Ground};
use super::deploy::{found, source};
use super::error::CommandError;
use super::seed::Work;
use super::{args, parameters, placement, seed};

pub(super) fn command() -> Command {
    Command::new("plan")
        .about("Show what would happen to each deployed resource and component, without changing anything")
        .arg(seed::directory_or_plain())
        .arg(plan_against())
        .arg(found::argument())
        .args(placing::arguments().map(|arg| arg.conflicts_with("against")))
        .arg(plan_format())
        .args(parameters::arguments())
        .args(args::data_space())
        .arg(args::credentials())
        .after_help(args::section(&[
            (
                "What is compared",
                "  Without --against: what the last `seed apply`, `deploy` or `up` left in the data space. With
  --cloud, also the things that `deploy` made there and that are not as they were deployed; the next
  `deploy` corrects them. A parameter that is known on one side only is assumed to be the same on
  both.",
            ),
            (
                "Places",
                "  With --hosts it also says where servers go, and which would move. Without --cloud, what was
  deployed says where they run; with it, the cloud does, and names hosts only to administrators.",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "nothing would change"),
                    (Exit::Failed, "it is not known what would change: what was deployed cannot be read"),
                    (Exit::Usage, "wrong usage"),
                    (Exit::Changes, "something would change, or may change"),
                ]),
            ),
        ]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let directory = matches.get_one::<PathBuf>("directory").expect("INVARIANT: it is required");
    let (before, after, found, placed) = match matches.get_one::<PathBuf>("against") {
        Some(against) => {
            let given = parameters::given(matches, directory, &parameters::assigned(matches)?)?;
            let after = state_of(directory, Some(given.all()))?;
            (Some(state_of(against, None)?), after, Vec::new(), None)
        }
        None => Box::pin(in_space(matches, directory, console)).await?,
    };
    let is_json = args::is_json(matches);
    let (mut text, exit) = planned_of(before.as_ref(), &after, &found, is_json, console.out.color);
    match &placed {
        Some(placed) if is_json => text = with_places(&text, placed),
        Some(placed) => placing::show(placed, console)?,
        None => {}
    }
    console.out.write(&text)?;
    Ok(exit)
}

/// The state in the data space, the state after applying the directory, and the differences found in the cloud.
async fn in_space(
    matches: &ArgMatches,
    directory: &Path,
    console: &mut Console,
) -> Result<(Option<State>, State, Vec<Found>, Option<Placed>), CommandError> {
    let mut work = seed::prepare_any(matches, |_, _| Ok(()), console).await?;
    if work.is_new_key {
        let failure = CommandError::usage(format!("there is no operator's key `{}`", work.key_file.display()));
        return Err(failure
            .help("it is the file `operator.key` that the first `seed apply` wrote: `--key FILE`")
            .help("or compare with what was emitted before: `--against DIR`"));
    }
    let (before, mut after) = between(&work, directory, Unkept::IsRefused, console).await?;
    let (before, found, looked) = found::found(&work, before, matches, console).await?;
    let ground = looked.as_ref().map(|looked| Ground { site: looked.site.as_ref(), session: &looked.session });
    if !matches.contains_id("hosts") {
        placing::forgotten(before.as_ref(), &after, console)?;
        return Ok((before, after, found, None));
    }
    let mut source = source::source(&work, matches)?;
    let placed = placing::place(&mut work, &mut source, before.as_ref(), ground, matches, console).await?;
    after = self::after(&work, directory).await?;
    Ok((before, after, found, placed))
}

/// Adds the placement of servers to a plan for programs.
fn with_places(plan: &str, placed: &Placed) -> String {
    let mut plan: Value = serde_json::from_str(plan).expect("INVARIANT: a plan is JSON");
    plan["placement"] = placement::as_json(placed).into();
    format!("{plan:#}\n")
}

/// How to treat an existing stack whose deployed state is not in the data space: its first `seed apply` was
/// interrupted, or an earlier version of wattle applied its seed.
pub(super) enum Unkept {
    /// Refuse: the changes are unknown.
    IsRefused,
    /// Treat it as if nothing were there yet.
    IsNothing,
}

/// The state of the stack after applying the directory of `work`.
pub(super) async fn after(work: &Work, directory: &Path) -> Result<State, CommandError> {
    let (seed, parameters) = concealed(&work.seed, &work.options.given, &work.options.key);
    let files = &work.options.files;
    let after = State::new(&files.templates, parameters, Some(seed)).map_err(|error| unreadable(directory, &error))?;
    let after = after.with_settings(chosen(files.settings.as_deref()));
    let through = Deployment::through(&work.store, &work.stack(), &work.options.key).await?;
    Ok(if through == Some(Through::Wattle) { after.without_heat(OWN) } else { after })
}

fn unreadable(directory: &Path, error: &StateError) -> CommandError {
    CommandError::usage(format!("`{}` cannot be planned: {error}", directory.display()))
}

/// The state in the data space of `work`, and the state after applying its directory.
pub(super) async fn between(
    work: &Work,
    directory: &Path,
    unkept: Unkept,
    console: &mut Console,
) -> Result<(Option<State>, State), CommandError> {
    let stack = work.stack();
    let layout = Layout::new(&stack);
    let after = after(work, directory).await?;
    let before = match deployed(&work.store, &layout, &work.options.key).await? {
        Some(snapshot) => {
            let text = format!("compared with revision {} of `{stack}` at {}\n", snapshot.revision, work.address);
            console.err.write(&text)?;
            let state = State::new(&snapshot.templates, snapshot.parameters, Some(snapshot.seed));
            Some(state.map_err(|error| unreadable(directory, &error))?.with_settings(snapshot.settings))
        }
        None if work.store.get(&layout.revision()).await?.is_none() => {
            console.err.write(&format!("{} holds no stack `{stack}`: this is a first deployment\n", work.address))?;
            None
        }
        None => {
            let text = format!("the data space at {} does not keep what was deployed as `{stack}`", work.address);
            match unkept {
                Unkept::IsNothing => console.err.write(&format!("{text}: it was not completed\n"))?,
                Unkept::IsRefused => {
                    return Err(CommandError::new(text)
                        .note("its first `seed apply` did not complete, or was made by an earlier version of wattle")
                        .help("compare with what was emitted then: `--against DIR`"));
                }
            }
            None
        }
    };
    Ok((before, after))
}
