//! The data space that a command refers to, and the key to read it with.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use tokio::time::timeout;
use wattle::names::{list, meant};
use wattle::shown;

use crate::local::Folder;
use crate::seed::{read_operator_key, spaces_of_key};
use crate::space::{Newest, OperatorKey, ROOT, Space};
use crate::store::{Address, Authority, Encryption, Host, Login, Store, StoreError};

use super::args;
use super::console::Console;
use super::error::CommandError;
use super::here::{self, Found};
use super::silence::awaited;
use super::space;

/// How long to wait for a data space if nothing accepts connections there: it may be about to start.
const NOBODY: Duration = Duration::from_secs(10);

/// How much longer to wait if something does.
const LONGER: Duration = Duration::from_secs(10);

const REACH: &str = "check whether it runs and can be reached from here; `--space`, or WATTLE_SPACE, names another \
                     one";

/// The address of a data space, and the key that opens it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) address: Address,
    /// The folder, if it belongs to an `up` on this machine.
    pub(super) folder: Option<Folder>,
    key: Option<PathBuf>,
    /// Whether the command line names the key.
    is_named: bool,
    stack: Option<String>,
}

/// Finds the data space named on the command line, otherwise that of the environment, otherwise that of a running `up`.
/// If that `up` is elsewhere, reports it on the standard error.
pub(super) fn find(matches: &ArgMatches, console: &mut Console) -> Result<Target, CommandError> {
    let absent =
        || here::nothing().help("or name a data space: `--space zookeeper+tls://HOST:PORT`, or set WATTLE_SPACE");
    find_or(absent, matches, console)
}

/// Like [`find`], for commands about what `wattle deploy` made in a cloud.
pub(super) fn find_deployed(matches: &ArgMatches, console: &mut Console) -> Result<Target, CommandError> {
    let absent = || {
        CommandError::usage("no data space is given")
            .help("name the one of the deployment: `--space zookeeper+tls://HOST:PORT`, or set WATTLE_SPACE")
    };
    find_or(absent, matches, console)
}

fn find_or(
    absent: impl FnOnce() -> CommandError,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Target, CommandError> {
    let dir = args::given_directory(matches);
    let is_named = matches.contains_id("key");
    let key = key_file(matches);
    let stack = named(matches, "stack", "WATTLE_STACK");
    if let (Some(address), None) = (named(matches, "space", "WATTLE_SPACE"), dir) {
        let beside = || Some(PathBuf::from("operator.key")).filter(|file| file.exists());
        return Ok(Target {
            address: address_of(matches, &address)?,
            folder: None,
            key: key.or_else(beside),
            is_named,
            stack,
        });
    }
    let found = match dir {
        Some(dir) => Found::Here(here::running_in(dir)?),
        None => here::running()?.ok_or_else(absent)?,
    };
    let folder = match found {
        Found::Here(folder) => folder,
        Found::Elsewhere(folder) => {
            console.err.write(&format!("nothing is up here; this is from `{}`:\n", folder.name().display()))?;
            folder
        }
    };
    let address = Address::Socket(folder.socket());
    let stack = stack.or_else(|| folder.record().ok().flatten().map(|record| record.stack));
    // The key in the variable may belong to another data space.
    let own = Some(folder.operator_key()).filter(|file| file.exists() && !is_named);
    let key = own.or(key).or_else(|| Some(folder.operator_key()));
    Ok(Target { address, folder: Some(folder), key, is_named, stack })
}

/// The value of the option `name`, otherwise that of the variable.
pub(super) fn named(matches: &ArgMatches, name: &str, variable: &str) -> Option<String> {
    let given = matches.get_one::<String>(name).cloned();
    given.or_else(|| std::env::var(variable).ok().filter(|text| !text.is_empty()))
}

/// The file given as the operator's key.
pub(super) fn key_file(matches: &ArgMatches) -> Option<PathBuf> {
    let given = matches.get_one::<PathBuf>("key").cloned();
    given.or_else(|| set("WATTLE_KEY").map(PathBuf::from))
}

/// The address of a data space from the command line, and the authority of its certificates.
pub(super) fn address_of(matches: &ArgMatches, text: &str) -> Result<Address, CommandError> {
    let own = if text == space::NEW { Some(space::own()?) } else { None };
    let text = own.as_deref().unwrap_or(text);
    let address = Address::read(text, matches.get_flag("insecure")).map_err(|error| {
        error.help().iter().fold(CommandError::usage(error.to_string()), |failure, help| failure.help(*help))
    })?;
    let given = matches.get_one::<PathBuf>("ca").cloned();
    let Some(file) = given.clone().or_else(|| set("WATTLE_CA").map(PathBuf::from)) else { return Ok(address) };
    let authority = Authority::File(file);
    authority.certificates().map_err(|error| CommandError::usage(error.to_string()))?;
    match address.clone().trusting(authority) {
        Some(address) => Ok(address),
        // The variable may be meant for another data space.
        None if given.is_none() => Ok(address),
        None => Err(CommandError::usage(format!("`--ca` has no effect with `{text}`, which is not encrypted"))
            .help("write `zookeeper+tls://`")),
    }
}

/// The value of a variable.
fn set(variable: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(variable).filter(|text| !text.is_empty())
}

/// Connects, with a timeout suited to interactive use.
pub(super) async fn connect(
    address: &Address,
    logins: &[Login],
    console: &mut Console,
) -> Result<Arc<dyn Store>, CommandError> {
    within(address, console, address.connect(logins)).await
}

/// Sends a request, with a timeout suited to interactive use.
pub(super) async fn patiently<T, E: Into<CommandError>>(
    address: &Address,
    console: &mut Console,
    request: impl Future<Output = Result<T, E>>,
) -> Result<T, CommandError> {
    within(address, console, request).await
}

/// Waits for a request to a data space. The user soon sees what this process waits for, and where.
async fn within<T, E: Into<CommandError>>(
    address: &Address,
    console: &mut Console,
    request: impl Future<Output = Result<T, E>>,
) -> Result<T, CommandError> {
    let mut request = pin!(request);
    let whom = format!("the data space at {address}");
    if let Ok(answer) = awaited(console, &whom, timeout(NOBODY, &mut request)).await? {
        return answer.map_err(Into::into);
    }
    let is_anybody_there = |hosts: &[Host]| hosts.is_empty() || hosts.iter().any(|host| host.refused.is_none());
    let mut hosts = address.hosts().await;
    if is_anybody_there(&hosts) {
        if let Ok(answer) = timeout(LONGER, &mut request).await {
            return answer.map_err(Into::into);
        }
        hosts = address.hosts().await;
    }
    Err(unreachable(address, &hosts))
}

fn unreachable(address: &Address, hosts: &[Host]) -> CommandError {
    let failure = CommandError::new(format!("the data space at {address} does not answer"));
    let failure = hosts.iter().fold(failure, |failure, Host { name, refused }| match (refused, address) {
        (Some(why), _) => failure.note(format!("{name}: {why}")),
        (None, Address::ZooKeeper { encryption: Encryption::Clear, .. }) => failure.note(format!(
            "{name} accepts connections, but does not answer as a ZooKeeper: is it one, and does it expect TLS \
             (`zookeeper+tls://`)?"
        )),
        (None, _) => {
            failure.note(format!("{name} accepts connections, but does not answer as a ZooKeeper that serves by TLS"))
        }
    });
    match address {
        Address::Socket(_) => failure.help("does it run? `wattle up DIR` starts it"),
        Address::ZooKeeper { .. } => failure.help(REACH),
    }
}

/// Refuses to offer the key of a file to the data space at `address` if the file says that it belongs to others.
/// Otherwise, that server would receive the credentials for those.
pub(super) fn judge_key(file: &Path, address: &Address) -> Result<(), CommandError> {
    let spaces = spaces_of_key(file)?;
    if spaces.is_empty() || spaces.iter().any(|space| address.is_also(space)) {
        return Ok(());
    }
    let known = list(spaces.iter().map(String::as_str), "and");
    Err(CommandError::usage(format!(
        "the operator's key `{}` belongs to another data space than {address}",
        file.display()
    ))
    .note(format!("it belongs to {known}, and would be given to whatever answers there"))
    .help(format!("if it belongs to this one as well, say so: `--key {}`", shown::path(file.display())))
    .help("otherwise name the key of this one: `--key FILE`"))
}

/// The path of the key that replaces the one in a file, during the rotation.
pub(super) fn next_key(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".next");
    file.with_file_name(name)
}

/// Refuses to use a key during its rotation: the two keys would undo each other's changes.
pub(super) fn judge_rotation(file: &Path) -> Result<(), CommandError> {
    let next = next_key(file);
    if !next.exists() {
        return Ok(());
    }
    let what = format!("the operator's key `{}` is being replaced by another key", file.display());
    Err(CommandError::usage(what)
        .note(format!(
            "the other key is in `{}`: someone is rotating the key, or a rotation was interrupted",
            next.display()
        ))
        .help(format!(
            "if it was interrupted: `wattle seed rotate --key {}` completes it",
            shown::path(file.display())
        )))
}

/// Reads the operator's key from a file.
pub(super) fn read_key(file: &Path) -> Result<OperatorKey, CommandError> {
    judge_rotation(file)?;
    read_operator_key(file)?.ok_or_else(|| no_key(file))
}

/// The error that the key file does not exist.
pub(super) fn no_key(file: &Path) -> CommandError {
    CommandError::usage(format!("there is no operator's key `{}`", file.display()))
        .help("it is the file `operator.key` that `wattle seed apply` wrote")
}

/// The operator's key, with the passwords for the store at `address` and this user's knowledge of the revisions there.
pub(super) fn known_at(key: OperatorKey, address: &Address) -> Result<OperatorKey, CommandError> {
    let key = key.knowing(Newest::at(address));
    Ok(key.at(address.authorities().map_err(|error| CommandError::usage(error.to_string()))?))
}

impl Target {
    /// The file of the operator's key, which may be offered to the data space.
    pub(super) fn key_to_offer(&self) -> Result<&Path, CommandError> {
        let file = self.key.as_deref().ok_or_else(unknown_key)?;
        if !self.is_named {
            judge_key(file, &self.address)?;
        }
        Ok(file)
    }

    /// Connects as the operator.
    pub(super) async fn store(&self, console: &mut Console) -> Result<Arc<dyn Store>, CommandError> {
        let logins = match &self.key {
            Some(_) => {
                self.key_to_offer()?;
                self.key()?.logins()
            }
            None => Vec::new(),
        };
        connect(&self.address, &logins, console).await
    }

    /// The operator's key.
    pub(super) fn key(&self) -> Result<OperatorKey, CommandError> {
        match &self.key {
            Some(file) => known_at(read_key(file)?, &self.address),
            None => Err(unknown_key()),
        }
    }

    /// The data space of the selected stack, for its operator only.
    pub(super) async fn operated(&self, console: &mut Console) -> Result<(Space, OperatorKey), CommandError> {
        let key = self.key()?;
        Ok((self.space(console).await?, key))
    }

    /// The data space of the selected stack.
    pub(super) async fn space(&self, console: &mut Console) -> Result<Space, CommandError> {
        let store = self.store(console).await?;
        let stacks = stacks(&store, &self.address, self.key.as_deref(), console).await;
        let stack = match (&self.stack, stacks) {
            (Some(stack), Ok(stacks)) if !stacks.contains(stack) => return Err(self.no_stack(stack, &stacks)),
            (Some(stack), _) => stack.clone(),
            (None, Ok(stacks)) => match stacks.as_slice() {
                [one] => one.clone(),
                [] => return Err(self.no_stack("", &[])),
                several => {
                    return Err(CommandError::usage(format!("the data space at {} has several stacks", self.address))
                        .note(format!("they are {}", list(several.iter().map(String::as_str), "and")))
                        .help("name one: `--stack NAME`"));
                }
            },
            (None, Err(failure)) => return Err(failure),
        };
        let space = Space::new(store, &stack);
        Ok(match &self.key {
            Some(file) => space.operated_by(read_key(file)?.signer().authority()),
            None => space,
        })
    }

    fn no_stack(&self, stack: &str, stacks: &[String]) -> CommandError {
        if stacks.is_empty() {
            return CommandError::usage(format!("the data space at {} holds no stack", self.address))
                .help("`wattle seed apply DIR` writes a seed to it");
        }
        let known = list(stacks.iter().map(String::as_str), "and");
        let near = meant(stack, stacks.iter().map(String::as_str));
        CommandError::usage(format!("the data space at {} holds no stack `{stack}`", self.address))
            .note(format!("it holds {known}"))
            .help_if(near)
    }
}

/// Lists the stacks of a data space, with the key in this file.
async fn stacks(
    store: &Arc<dyn Store>,
    address: &Address,
    key: Option<&Path>,
    console: &mut Console,
) -> Result<Vec<String>, CommandError> {
    let stacks = patiently(address, console, async {
        match store.children(ROOT).await {
            Err(StoreError::Denied { .. }) => Ok(None),
            stacks => stacks.map(Some),
        }
    });
    stacks.await?.ok_or_else(|| not_its_operator(address, key))
}

/// Checks that the key in this file is that of the data space's operator, or that the data space has no operator yet.
pub(super) async fn judge_operator(
    store: &Arc<dyn Store>,
    address: &Address,
    key: &Path,
    console: &mut Console,
) -> Result<(), CommandError> {
    stacks(store, address, Some(key), console).await.map(drop)
}

/// The error that the data space has another operator.
fn not_its_operator(address: &Address, key: Option<&Path>) -> CommandError {
    let failure = match key {
        Some(file) if file.exists() => CommandError::usage(format!(
            "the operator's key `{}` does not open the data space at {address}: it is another operator's",
            file.display()
        )),
        Some(file) => CommandError::usage(format!(
            "there is no operator's key `{}`, and the data space at {address} already has an operator",
            file.display()
        )),
        None => CommandError::usage(format!("only its operator's key opens the data space at {address}")),
    };
    failure
        .note("a data space belongs to the operator whose `seed apply` or `deploy` was the first to write to it")
        .help("give that operator's key, the `operator.key` beside the seed: `--key FILE`, or set WATTLE_KEY")
        .help(
            "if the data space has a different certificate authority than before, name both, the new one first: `--ca` \
             takes a file with several certificates",
        )
}

fn unknown_key() -> CommandError {
    CommandError::usage("it is not known where the operator's key is")
        .help("name it: `--key FILE`, or set WATTLE_KEY; it is the file `operator.key` that `wattle seed apply` wrote")
}
