//! `wattle set`: publishes an output of the running recipe. For operators, it replaces the value of an entry.

use clap::{Arg, ArgMatches, Command};
use wattle::model::Value;
use wattle::shown::argument;
use wattle::values::parse;

use crate::report::StackSnapshot;
use crate::space::{Content, OperatorKey, Place, PlannedOutput, Revision, Space, SpaceError, Written, seal_entry};

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{args, entries, recipe, target};

pub(super) fn command() -> Command {
    Command::new("set")
        .about("Within a recipe, publish an output at once; elsewhere, overwrite an entry")
        .arg(
            Arg::new("name")
                .value_name("ENTRY")
                .required(true)
                .help("Within a recipe, the name of an output; elsewhere, SERVER/COMPONENT/OUTPUT"),
        )
        .arg(
            Arg::new("value")
                .value_name("VALUE")
                .required(true)
                .allow_hyphen_values(true)
                .help("Value to write: text as it is, lists and maps as JSON"),
        )
        .arg(args::flag("force", "Overwrite the entry, although its component writes it"))
        .args(args::target())
        .after_help(args::section(&[(
            "As the operator",
            "  An entry is written by its component, once per revision. With --force, the operator replaces
  whatever it holds with a value of the declared type. Components that wait for it continue with
  this value; those that have already read it or failed do not. The value counts for this revision,
  and the component leaves it as it is.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let text = |name: &str| matches.get_one::<String>(name).expect("INVARIANT: it is required");
    let (name, value) = (text("name"), text("value"));
    if let Some(agent) = recipe::agent(matches) {
        agent.set(name, &serde_json::Value::String(value.clone())).await?;
        return Ok(Exit::Fine);
    }
    let target = target::find(matches, console)?;
    let space = target.space(console).await?;
    let snapshot = target::patiently(&target.address, console, StackSnapshot::read(&space, None)).await?;
    let entry = entries::tidy(name);
    if output(&snapshot, entry).is_none() {
        let known = entries::list(&space, &snapshot, entry).await?;
        return Err(if known.iter().any(|known| &**known == entry) {
            CommandError::usage(format!("`{entry}` is written by the agent of its server and cannot be set"))
        } else {
            CommandError::usage(format!("`{entry}` is not an entry"))
                .help(format!("list them: `wattle ls {}`", argument(entry)))
        });
    }
    // The operator's declaration determines whether it is secret and for whom it is encrypted.
    let key = target.key()?;
    let signed = space.clone().trusting(key.signer().authority());
    let declared = target::patiently(&target.address, console, declared(&signed, entry)).await?;
    let Some((revision, output)) = declared else {
        return Err(CommandError::new(format!("`{entry}` cannot be set while a revision is being applied"))
            .help("`wattle seed apply` completes it"));
    };
    let value = parse(&output.declared.ty, value)
        .map_err(|why| CommandError::usage(format!("the value does not fit the entry `{entry}`: {why}")))?;
    if !matches.get_flag("force") {
        return Err(CommandError::usage(format!("`{entry}` is written by its component, not by hand"))
            .note("overwriting it hides what the component does, until the next revision")
            .help("`--force` overwrites it anyway"));
    }
    overwrite(&space, &key, entry, &revision, &output, value).await?;
    console.err.write(&format!("`{entry}` is set for revision {}\n", revision.number))?;
    Ok(Exit::Fine)
}

/// The signed declaration of an entry, and the revision under which it is written. `None` if the desired revision has
/// not reached its plan yet.
async fn declared(signed: &Space, entry: &str) -> Result<Option<(Revision, PlannedOutput)>, SpaceError> {
    let server = entry.split('/').next().unwrap_or(entry);
    let (Some(desired), Some(plan)) = (signed.desired_revision().await?, signed.plan(server).await?) else {
        return Ok(None);
    };
    let number = desired.plans.as_ref().map_or(plan.revision, |plans| plans.of(server));
    let revision = plan.of();
    let is_reached = revision == Revision { space: desired.space.clone(), number } && revision <= desired.of();
    Ok(plan.output(entry).filter(|_| is_reached).map(|output| (revision, output.clone())))
}

/// The declaration of an entry.
fn output<'p>(snapshot: &'p StackSnapshot, entry: &str) -> Option<&'p PlannedOutput> {
    snapshot.plan_of(entry)?.output(entry)
}

async fn overwrite(
    space: &Space,
    key: &OperatorKey,
    entry: &str,
    revision: &Revision,
    output: &PlannedOutput,
    value: Value,
) -> Result<(), CommandError> {
    let content = if output.declared.ty.is_secret() {
        let readers = output.recipients.iter().map(String::as_str);
        let sealed = seal_entry(&value, &Place { stack: space.layout().stack(), entry }, readers)
            .map_err(|error| CommandError::new(format!("`{entry}` cannot be set: {error}")))?;
        Content::Sealed(sealed)
    } else {
        Content::Value(value)
    };
    space.overwrite(entry, &Written::new(revision, content), &key.signer()).await?;
    Ok(())
}
