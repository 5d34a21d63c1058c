//! `wattle seed rotate`: replaces the operator's key, or servers' own keys, with new ones.

use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use tokio::time;
use wattle::model::Name;
use wattle::names::some;
use wattle::shown;

use crate::deploy;
use crate::seed::{self, Rotation, note_space_of_key, read_operator_key, spaces_of_key, write_operator_key};
use crate::space::OperatorKey;
use crate::store::Address;

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit};
use super::target::{self, Target};

/// How often to check whether servers have generated their keys.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn command() -> Command {
    Command::new("rotate")
        .about("Replace the operator's key of the data space, or servers' own keys")
        .arg(
            Arg::new("servers")
                .value_name("SERVER")
                .action(ArgAction::Append)
                .help("Have these servers make new keys, and keep the operator's key"),
        )
        .args(args::target())
        .after_help(args::section(&[(
            "What it does",
            "  Makes a new operator's key, signs with it what the old key has signed, and gives it the rights of
  the old key in all stacks of the data space. Then the new key replaces the old one in its file.
  Servers keep running, and trust the new key because the old one vouches for it. From then on the
  old key opens nothing.
  Servers that are named are asked for new keys. The command waits until their agents have made
  them, and gives them the rights of the old ones, which open nothing from then on.
  If it is interrupted, the next call completes it.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let servers: Vec<Name> =
        matches.get_many::<String>("servers").into_iter().flatten().map(|name| name.as_str().into()).collect();
    let target = target::find(matches, console)?;
    if !servers.is_empty() {
        return renew(&target, servers, console).await;
    }
    if let Some(stack) = matches.get_one::<String>("stack") {
        return Err(CommandError::usage(format!(
            "the operator's key belongs to the whole data space, not to `{stack}` alone"
        ))
        .help("leave out `--stack`, or name servers of the stack, which then make new keys of their own"));
    }
    let file = target.key_to_offer()?;
    if matches!(target.address, Address::Socket(_)) {
        return Err(CommandError::usage("the data space of `wattle up` knows only its own operator's key")
            .help("`wattle down --delete` removes it, and the next `wattle up` makes another"));
    }
    let former = read_operator_key(file)?.ok_or_else(|| target::no_key(file))?;
    let spaces = spaces_of_key(file)?;
    let others: Vec<&String> = spaces.iter().filter(|space| !target.address.is_also(space)).collect();
    if let Some(other) = others.first() {
        return Err(CommandError::usage(format!(
            "the operator's key `{}` also belongs to another data space",
            file.display()
        ))
        .note(format!("it belongs to {other}, which would no longer have a key"))
        .help(
            "give each data space a file of its own: copy the file, and keep only its own `# space:` line in each copy",
        ));
    }
    let path = target::next_key(file);
    let (next, is_new) = match read_operator_key(&path)? {
        Some(next) => (next, false),
        None => (make(&former, &path, &spaces)?, true),
    };
    if !next.is_believed_by(&former.signer().authority()) {
        let what = format!("the key in `{}` does not come after the one in `{}`", path.display(), file.display());
        return Err(CommandError::usage(what).help("if you do not need it, remove it, and run this again"));
    }
    let [former, next] = [former, next].map(|key| target::known_at(key, &target.address));
    let (former, next) = (former?, next?);
    let keys = Rotation { former: &former, next: &next };
    let connected = target::connect(&target.address, &[next.logins(), former.logins()].concat(), console).await;
    let found = match connected {
        Ok(store) => seed::rotatable(&store, keys).await.map(|stacks| (store, stacks)).map_err(CommandError::from),
        Err(failure) => Err(failure),
    };
    let (store, stacks) = found.map_err(|failure| {
        if is_new {
            // It has not been used, so it must not get in the way.
            let _ = fs::remove_file(&path);
            return failure;
        }
        failure.note(format!(
            "if that takes `seed apply --restore`, name the new key: `--key {}`",
            shown::path(path.display())
        ))
    })?;
    for stack in &stacks {
        deploy::pass_on(&store, stack, keys.former, keys.next).await?;
        let revision = seed::rotate(&store, stack, keys).await?;
        console.out.write(&format!("`{stack}` is at revision {revision}: it has the new key\n"))?;
    }
    seed::rotate_top(&store, keys).await?;
    fs::rename(&path, file).map_err(|error| {
        CommandError::new(format!("cannot put `{}` in the place of `{}`: {error}", path.display(), file.display()))
            .note("the data space has the new key already")
            .help("run this again")
    })?;
    let text = match stacks.len() {
        0 => "there is no stack yet: ",
        _ => "",
    };
    console.out.write(&format!(
        "{text}the new key is in {}, and the old one no longer opens anything: replace every copy of the old one, and \
         back up the new one\n",
        shown::path(file.display())
    ))?;
    Ok(Exit::Fine)
}

/// Makes servers generate new keys, and admits them.
async fn renew(target: &Target, mut left: Vec<Name>, console: &mut Console) -> Result<Exit, CommandError> {
    let (space, key) = target.operated(console).await?;
    let (store, stack) = (space.store(), space.layout().stack());
    let mut said = None;
    while !left.is_empty() {
        let waiting = seed::renew(store, stack, &key, &left).await?;
        if waiting.absent.is_empty() {
            let admission = seed::admit_renewed(store, stack, &key, &left).await?;
            let names = some(admission.admitted.iter().map(|name| &**name), 5);
            console.out.write(&format!("`{stack}` is at revision {}: new keys of {names}\n", admission.revision))?;
            left.retain(|server| !admission.admitted.contains(server));
            continue;
        }
        if said.as_ref() != Some(&waiting.absent) {
            let awaited = some(waiting.absent.iter().map(|name| &**name), 5);
            console.err.write(&format!("waiting for {awaited}\n"))?;
            said = Some(waiting.absent);
        }
        time::sleep(PAUSE).await;
    }
    Ok(Exit::Fine)
}

/// Generates the successor of a key, and saves it before anything is done with it.
fn make(former: &OperatorKey, path: &Path, spaces: &[String]) -> Result<OperatorKey, CommandError> {
    let next = former.next();
    write_operator_key(path, &next)?;
    for space in spaces {
        note_space_of_key(path, space)?;
    }
    Ok(next)
}
