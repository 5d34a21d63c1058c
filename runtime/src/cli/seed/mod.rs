//! `wattle seed`: writes the data that OpenStack's servers read to the data space, before the stack is created.

mod error;
mod next;
mod plain;
mod work;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use wattle::lower::Seed;
use wattle::manners::{self, reason};
use wattle::names::list;
use wattle::shown;

use crate::deploy;
use crate::seed;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{admit, args, delete, forget, parameters, rotate};
use error::EMIT_AGAIN;
use next::{lingering, next};

pub(super) use work::{Work, prepare, prepare_any, read_any};

pub(super) fn command() -> Command {
    let apply = Command::new("apply")
        .about("Write a seed to the data space as the next revision of its stack")
        .arg(args::flag("again", "Make a new revision even of an unchanged seed, which retries what failed"))
        .arg(args::flag("renew", "Give running servers new credentials; Heat then replaces the servers"))
        .arg(args::flag(
            "restore",
            "Rewrite a stack completely if something in it is not as its operator wrote it or is from an earlier \
             state, as in a data space that starts afresh. Agents publish again what they have published. What is \
             known of infrastructure is recorded nowhere else, so it is accepted as it is, and named",
        ));
    let diff = Command::new("diff").about("Show what `apply` would change, without changing anything");
    Command::new("seed")
        .about("Write, compare or remove what servers read from the data space")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(
            apply
                .arg(directory())
                .args(parameters::arguments())
                .args(args::data_space())
                .arg(args::credentials())
                .after_help(args::section(&[(
                    "Files beside the seed",
                    "  operator.key      opens the data space to the operator; made by the first `apply`
  credentials.yaml  what each server proves its identity with: a further environment file for Heat
  environment.yaml  is read as well, as far as it is filled in
  Keep the first two, and keep them secret. If the data space does not know them, they have to be
  named with --key and --credentials, because someone else may have put them into the folder.",
                )])),
        )
        .subcommand(admit::command())
        .subcommand(rotate::command())
        .subcommand(forget::command())
        .subcommand(
            diff.arg(directory()).args(parameters::arguments()).args(args::data_space()).arg(args::credentials()),
        )
        .subcommand(delete::command())
}

/// The argument for the emitted directory.
pub(super) fn directory() -> Arg {
    Arg::new("directory")
        .value_name("DIR")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("Folder that a blueprint's `emit` wrote: the one with seed.yaml")
}

/// Like [`directory`], for commands that also accept a plain template.
pub(super) fn directory_or_plain() -> Arg {
    directory().help("Folder that a blueprint's `emit` wrote, or one with a plain template.yaml")
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    match matches.subcommand().expect("INVARIANT: a command is required") {
        ("apply", given) => apply(given, console).await,
        ("admit", given) => admit::run(given, console).await,
        ("rotate", given) => rotate::run(given, console).await,
        ("forget", given) => forget::run(given, console).await,
        ("diff", given) => diff(given, console).await,
        (_, given) => delete::run(given, console).await,
    }
}

/// Reads the seed in a directory.
pub(super) fn read(directory: &Path) -> Result<Seed, CommandError> {
    let file = directory.join("seed.yaml");
    let text = manners::read(&file).map_err(|error| {
        let failure = CommandError::usage(format!("cannot read the seed `{}`: {}", file.display(), reason(&error)));
        let inner: Vec<String> = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().join("seed.yaml").is_file())
            .map(|entry| entry.path().display().to_string())
            .collect();
        match inner.as_slice() {
            [] if template_in(directory).is_some() => failure
                .note("it contains a template without a seed: one of Heat's own, or one emitted with `--lowering heat-native`")
                .help("pass the template to `openstack stack create`; only a blueprint's program writes a seed"),
            [] => failure.help("a blueprint's program writes it, to `out/STACK` by default: give that folder"),
            some => failure.help(format!("did you mean {}?", list(some.iter().map(String::as_str), "or"))),
        }
    })?;
    let no_seed = |error| CommandError::usage(format!("`{}` is not a seed: {error}", file.display())).help(EMIT_AGAIN);
    let seed = Seed::read(&text).map_err(no_seed)?;
    let changed = seed.changed_files();
    if changed.is_empty() {
        return Ok(seed);
    }
    let failure = CommandError::usage(format!("`{}` is not as it was emitted", file.display()));
    let failure = changed
        .iter()
        .fold(failure, |failure, path| failure.note(format!("the recipe's file `{path}` in it has changed")));
    Err(failure.help("change the blueprint's own file, and emit again"))
}

/// The template that `emit` wrote there. Without a seed, Heat alone can deploy it.
pub(super) fn template_in(directory: &Path) -> Option<&'static str> {
    ["template.json", "template.yaml"].into_iter().find(|name| directory.join(name).is_file())
}

async fn apply(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let mut work = prepare(matches, seed::judge, console).await?;
    // Servers of `up` need more than the data space contains.
    if work.is_up() {
        return Err(CommandError::usage(format!("`{}` is up on this machine", work.directory.display()))
            .help(format!("apply what has changed: `wattle up {}`", shown::path(work.directory.display()))));
    }
    work.options.again = matches.get_flag("again");
    work.options.restore = matches.get_flag("restore");
    let changes = work.apply().await?;
    let stack = work.stack();
    let mut text = changes.to_string();
    text.push('\n');
    if work.options.restore {
        let taken = deploy::believe(&work.store, &stack, &work.options.key).await?;
        text.extend(taken.iter().map(|node| {
            format!(
                "`{node}` is accepted as yours, as it is: what is known of infrastructure is recorded nowhere else\n"
            )
        }));
        if !taken.is_empty() {
            text.push_str("check the infrastructure with `wattle drift` before anything acts on that\n");
        }
    }
    text.extend([format!(
        "the operator's key is in {}, the servers' credentials are in {}: keep both\n",
        work.key_file.display(),
        work.credentials.display()
    )]);
    text.push_str(&lingering(&changes, &stack));
    text.push_str(&next(&work, matches, &changes, &stack));
    console.out.write(&text)?;
    Ok(Exit::Fine)
}

async fn diff(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let work = prepare(matches, seed::judge, console).await?;
    let changes = seed::diff(&work.store, &work.seed, &work.options).await?;
    console.out.write(&changes.to_string())?;
    Ok(Exit::Fine)
}
