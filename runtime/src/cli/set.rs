//! `wattle set`: publishes an output of the running recipe; for the operator, puts a value in place of what an entry holds.

use clap::{Arg, ArgMatches, Command};
use wattle::model::Value;
use wattle::shown::argument;
use wattle::values::parse;

use crate::report::Picture;
use crate::space::{Content, OperatorKey, Place, PlannedOutput, Revision, Space, Written, seal_entry};

use super::console::Console;
use super::failure::{Exit, Failure};
use super::{args, entries, recipe, target};

pub(super) fn command() -> Command {
    Command::new("set")
        .about("Within a recipe, publish an output at once; elsewhere, overwrite an entry")
        .arg(
            Arg::new("name")
                .value_name("ENTRY")
                .required(true)
                .help("The name of an output; elsewhere than in a recipe SERVER/COMPONENT/OUTPUT"),
        )
        .arg(
            Arg::new("value")
                .value_name("VALUE")
                .required(true)
                .allow_hyphen_values(true)
                .help("The value: text as it is, lists and maps as JSON"),
        )
        .arg(args::flag("force", "Overwrite the entry, although its component is who writes it"))
        .args(args::target())
        .after_help(args::section(&[(
            "As the operator",
            "  An entry is written by its component, once a revision. With --force the operator puts a value
  of the declared type in place of whatever it holds: components that wait for it go on with this
  value, those that have read or failed already do not. It counts for this revision, and the
  component leaves it as it is.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).expect("INVARIANT: it is required");
    let (name, value) = (text("name"), text("value"));
    if let Some(agent) = recipe::agent(matches) {
        agent.set(name, &serde_json::Value::String(value.clone())).await?;
        return Ok(Exit::Fine);
    }
    let target = target::find(matches, console)?;
    let space = target.space().await?;
    let picture = target::patiently(&target.address, Picture::read(&space, None)).await?;
    let entry = entries::tidy(name);
    let Some(output) = output(&picture, entry) else {
        let known = entries::list(&space, &picture, entry).await?;
        return Err(if known.iter().any(|known| &**known == entry) {
            Failure::usage(format!("`{entry}` is written by the agent of its server and cannot be set"))
        } else {
            Failure::usage(format!("`{entry}` is no entry")).help(format!("list them: `wattle ls {}`", argument(entry)))
        });
    };
    let value = parse(&output.declared.ty, value)
        .map_err(|why| Failure::usage(format!("the value does not fit the entry `{entry}`: {why}")))?;
    if !matches.get_flag("force") {
        return Err(Failure::usage(format!("`{entry}` is written by its component, not by hand"))
            .note("overwriting it hides what the component does, until the next revision")
            .help("`--force` overwrites it all the same"));
    }
    let Some(revision) = entry.split('/').next().and_then(|server| picture.revision_of(server)) else {
        return Err(Failure::new(format!("`{entry}` cannot be set while a revision is being applied"))
            .help("`wattle seed apply` brings it to its end"));
    };
    overwrite(&space, &target.key()?, entry, &revision, output, value).await?;
    console.err.write(&format!("`{entry}` is set for revision {}\n", revision.number))?;
    Ok(Exit::Fine)
}

/// What is declared of an entry.
fn output<'p>(picture: &'p Picture, entry: &str) -> Option<&'p PlannedOutput> {
    let mut parts = entry.splitn(3, '/');
    let (server, component, output) = (parts.next()?, parts.next()?, parts.next()?);
    picture.servers.get(server)?.plan.as_ref()?.components.get(component)?.outputs.get(output)
}

async fn overwrite(
    space: &Space,
    key: &OperatorKey,
    entry: &str,
    revision: &Revision,
    output: &PlannedOutput,
    value: Value,
) -> Result<(), Failure> {
    let content = if output.declared.ty.is_secret() {
        let readers = output.recipients.iter().map(String::as_str);
        let sealed = seal_entry(&value, &Place { stack: space.layout().stack(), entry }, readers)
            .map_err(|error| Failure::new(format!("`{entry}` cannot be set: {error}")))?;
        Content::Sealed(sealed)
    } else {
        Content::Value(value)
    };
    space.overwrite(entry, &Written::new(revision, content), &key.signer()).await?;
    Ok(())
}
