//! `wattle get`: reads one value.

use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use wattle::model::{Name, Value};
use wattle::shown::argument;
use wattle::values;

use crate::clock;
use crate::report::{self, StackSnapshot, roots};
use crate::space::{Content, Revision, ServerPlan, Space, SpaceError, State, Written};

use super::console::Console;
use super::error::{CommandError, Exit};
use super::paint::said;
use super::{args, entries, recipe, target, why};

pub(super) fn command() -> Command {
    Command::new("get")
        .about("Print the value of an entry or, within a recipe, of an input")
        .arg(
            Arg::new("name")
                .value_name("ENTRY")
                .required(true)
                .help("SERVER/COMPONENT/OUTPUT; within a recipe, the name of an input"),
        )
        .arg(args::flag("wait", "Wait until there is a value"))
        .arg(args::timeout())
        .arg(
            Arg::new("revision")
                .long("revision")
                .value_name("N")
                .value_parser(args::number(1, u64::MAX))
                .help("Accept only a value of this revision"),
        )
        .arg(args::format(&["plain", "json"]))
        .args(args::target())
        .after_help(args::section(&[(
            "Printed",
            "  Text is printed as it is, anything else as JSON. Secret values are encrypted for the servers that
  read them: the operator cannot read them either. Within a recipe, the command asks the agent, and
  prints an input of the component.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let name = matches.get_one::<String>("name").expect("INVARIANT: it is required");
    if let Some(agent) = recipe::agent(matches) {
        let value = agent.get(name).await?;
        return print(&value, matches, console);
    }
    let target = target::find(matches, console)?;
    let space = target.space(console).await?;
    let entry = entries::tidy(name);
    let wanted = matches.get_one::<u64>("revision").copied();
    let revision = match wanted {
        Some(number) => Some(target::patiently(&target.address, console, counting(&space, entry, number)).await?),
        None => None,
    };
    // Inner nodes also exist, and are empty.
    let is_entry = entry.split('/').count() == 3;
    let found = target::patiently(&target.address, console, async {
        if !is_entry {
            return space.peek(entry).await;
        }
        // The server's plan determines the key that verifies the value.
        let plan = plan(&space, entry).await?;
        match space.peek(entry).await.transpose() {
            Some(found) => shown(&space, plan.as_ref(), &entry.into(), found).await.map(Some),
            None => Ok(None),
        }
    })
    .await;
    let written = match found {
        Ok(written) if is_entry => match (written, &revision) {
            (Some(Written { before: Some(before), .. }), Some(wanted)) if before.revision == wanted.number => {
                Some(*before)
            }
            (Some(written), Some(wanted)) if written.revision > wanted.number => {
                return Err(gone(entry, written.revision, wanted.number));
            }
            (written, wanted) => {
                written.filter(|written| wanted.as_ref().is_none_or(|wanted| written.revision == wanted.number))
            }
        },
        found => {
            let snapshot = StackSnapshot::read(&space, None).await?;
            let known = entries::list(&space, &snapshot, entry).await?;
            return Err(match found {
                Err(failure) if known.iter().any(|known| &**known == entry) => failure,
                _ => part_of_tree(entry, known.len()),
            });
        }
    };
    let written = match written {
        Some(written) => written,
        None if matches.get_flag("wait") => {
            let found = wait(&space, entry, wanted, matches.get_one("timeout").copied()).await?;
            let plan = plan(&space, entry).await?;
            shown(&space, plan.as_ref(), &entry.into(), found).await.map_err(|error| superseded(entry, error))?
        }
        None => return Err(not_yet(&space, entry, wanted).await?),
    };
    match &written.content {
        Content::Value(value) => print(value, matches, console),
        Content::Sealed(_) => {
            Err(CommandError::new(format!("`{entry}` is a secret: it is encrypted for the servers that read it"))
                .note("the operator cannot read it either")
                .help("a component that declares it as an input can: `wattle get INPUT` in its recipe"))
        }
        Content::Failure(failure) => {
            let shown = CommandError::new(format!("`{entry}` has no value: {}", said(&failure.to_string())));
            let shown = match written.good() {
                Some(good) => shown.note(kept(entry, good)),
                None => shown,
            };
            let log = why::log(failure, false);
            Err(if log.is_empty() { shown } else { shown.note(format!("the recipe last printed\n{}", log.trim_end())) })
        }
    }
}

/// The plan of the server that writes an entry.
async fn plan(space: &Space, entry: &str) -> Result<Option<ServerPlan>, SpaceError> {
    space.plan(entry.split('/').next().unwrap_or(entry)).await
}

/// Shows the content `found` in an entry of the server with this plan.
async fn shown(
    space: &Space,
    plan: Option<&ServerPlan>,
    entry: &Name,
    found: Result<Written, SpaceError>,
) -> Result<Written, SpaceError> {
    let is_declared = plan.is_some_and(|plan| plan.output(entry).is_some());
    let written = report::judged(plan, entry, found)?;
    if is_declared && !matches!(written.content, Content::Failure(_)) {
        return Ok(written);
    }
    // Other servers know more about it.
    let snapshot = StackSnapshot::read(space, None).await?;
    Ok(report::in_context(&snapshot, entry, written))
}

/// The message that the value is from an earlier revision.
fn kept(entry: &str, good: &Written) -> String {
    let revision = good.revision;
    match good.content {
        Content::Value(_) => {
            format!("its value of revision {revision} is kept: `wattle get {} --revision {revision}`", argument(entry))
        }
        Content::Sealed(_) | Content::Failure(_) => {
            format!("its value of revision {revision} is kept, and is a secret")
        }
    }
}

fn print(value: &Value, matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let text = if args::is_json(matches) { value.to_string() } else { values::text(value) };
    console.out.write(&format!("{text}\n"))?;
    Ok(Exit::Fine)
}

fn part_of_tree(entry: &str, entries: usize) -> CommandError {
    let count = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
    CommandError::usage(format!("`{entry}` is not an entry, but has {count} below it"))
        .help(format!("list them: `wattle ls {}`", argument(entry)))
}

async fn wait(
    space: &Space,
    entry: &str,
    revision: Option<u64>,
    limit: Option<Duration>,
) -> Result<Result<Written, SpaceError>, CommandError> {
    let read = async {
        match revision {
            Some(number) => {
                let desired = space.layout().revision();
                let mut seen = space.store().get(&desired).await?;
                while space.desired_revision().await?.is_none_or(|desired| desired.revision < number) {
                    seen = space.store().changed(&desired, seen.map(|node| node.version)).await?;
                }
                let revision = counting(space, entry, number).await?;
                let content = space.read(entry, &revision).await?;
                Ok(Written::new(&revision, content))
            }
            None => space.read_latest(entry).await,
        }
    };
    let Some(limit) = limit else { return Ok(read.await) };
    match tokio::time::timeout(limit, read).await {
        Ok(read) => Ok(read),
        Err(_) => Err(not_yet(space, entry, revision).await?),
    }
}

/// The revision under which the entry must be written to be valid in the revision with this number: the one in which
/// its server's plan last changed. For a future revision, only its own number is known.
async fn counting(space: &Space, entry: &str, number: u64) -> Result<Revision, SpaceError> {
    let desired = space.desired_revision().await?;
    let plan = plan(space, entry).await?;
    let is_reached = desired.as_ref().is_some_and(|desired| desired.revision >= number);
    let since = plan.map(|plan| plan.revision).filter(|since| is_reached && *since <= number);
    Ok(Revision { space: desired.and_then(|desired| desired.space), number: since.unwrap_or(number) })
}

fn superseded(entry: &str, error: SpaceError) -> CommandError {
    match error {
        SpaceError::Superseded { ours, newer } => gone(entry, newer.number, ours.number),
        other => other.into(),
    }
}

/// The error that the value of a revision was overwritten by a newer one.
fn gone(entry: &str, newer: u64, wanted: u64) -> CommandError {
    CommandError::new(format!("`{entry}` is already of revision {newer}: its value of revision {wanted} is gone"))
}

/// The error that there is no value, with the reason.
async fn not_yet(space: &Space, entry: &str, revision: Option<u64>) -> Result<CommandError, CommandError> {
    let snapshot = StackSnapshot::read(space, None).await?;
    let of = revision.map(|revision| format!(" of revision {revision}")).unwrap_or_default();
    let mut failure = CommandError::new(format!("`{entry}` has no value{of} yet"));
    let now = clock::now();
    if let Some((component, _)) = entry.rsplit_once('/') {
        let causes = roots(&snapshot);
        let causes = causes.iter().filter(|root| {
            root.holds.iter().any(|held| &**held == component)
                || root.cause.component().is_some_and(|own| &**own == component)
        });
        for root in causes.take(3) {
            failure = failure.note(entries::one_line(&root.cause.sentence(now)));
        }
        if let Some(crate::report::Condition::Said(status)) = snapshot.find(component).map(|part| part.condition)
            && matches!(status.state, State::Done)
        {
            failure = failure.note(format!("{component} is done with revision {}", status.revision));
        }
    }
    Ok(failure.help("`--wait` waits for it"))
}
