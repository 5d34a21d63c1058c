//! The inputs for writing a seed, collected and checked before anything is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use wattle::lower::Seed;
use wattle::shown;

use super::super::console::Console;
use super::super::error::CommandError;
use super::super::{here, parameters, target};
use super::{plain, read};
use crate::local::{self, Folder};
use crate::seed::{
    self, Changes, Credentials, Files, Options, SeedError, Unnamed, note_space_of_key, read_operator_key,
    spaces_of_key, write_operator_key, write_secret,
};
use crate::space::OperatorKey;
use crate::store::{Address, Store};

pub(in crate::cli) struct Work {
    pub(in crate::cli) directory: PathBuf,
    pub(in crate::cli) credentials: PathBuf,
    pub(in crate::cli) seed: Seed,
    pub(in crate::cli) address: Address,
    pub(in crate::cli) key_file: PathBuf,
    pub(in crate::cli) is_new_key: bool,
    pub(in crate::cli) store: Arc<dyn Store>,
    pub(in crate::cli) options: Options,
    /// The values of parameters set one by one, as text.
    pub(in crate::cli) assigned: Vec<(String, String)>,
}

/// Collects the inputs of `apply`, `diff` and `plan`. Checks given values before any request to the data space.
pub(in crate::cli) async fn prepare(
    matches: &ArgMatches,
    judge: impl Fn(&Seed, &Options) -> Result<(), SeedError>,
    console: &mut Console,
) -> Result<Work, CommandError> {
    let seed = read(directory_of(matches))?;
    prepare_with(seed, matches, judge, console).await
}

/// Like [`prepare`], for commands that also accept a plain template, which describes no software.
pub(in crate::cli) async fn prepare_any(
    matches: &ArgMatches,
    judge: impl Fn(&Seed, &Options) -> Result<(), SeedError>,
    console: &mut Console,
) -> Result<Work, CommandError> {
    let seed = read_any(matches)?;
    prepare_with(seed, matches, judge, console).await
}

/// Reads the seed in the directory, or creates that of the plain template in it.
pub(in crate::cli) fn read_any(matches: &ArgMatches) -> Result<Seed, CommandError> {
    let directory = directory_of(matches);
    match plain::template(directory) {
        Some(template) => plain::seed(directory, template, matches.get_one::<String>("stack").map(String::as_str)),
        None => read(directory),
    }
}

fn directory_of(matches: &ArgMatches) -> &Path {
    matches.get_one::<PathBuf>("directory").expect("INVARIANT: it is required")
}

async fn prepare_with(
    mut seed: Seed,
    matches: &ArgMatches,
    judge: impl Fn(&Seed, &Options) -> Result<(), SeedError>,
    console: &mut Console,
) -> Result<Work, CommandError> {
    let directory = directory_of(matches).to_owned();
    let assigned = parameters::assigned(matches)?;
    let given = parameters::given(matches, &directory, &assigned)?;
    let space = target::named(matches, "space", "WATTLE_SPACE");
    let folder = Folder::of(&directory);
    let named = matches.get_one::<PathBuf>("credentials").cloned();
    let lying = directory.join("credentials.yaml");
    let (address, beside, credentials, given, is_up) = match space {
        Some(text) => (target::address_of(matches, &text)?, directory.join("operator.key"), lying, given, false),
        None if folder.is_running() => {
            let folder = here::own(folder)?;
            let given = local::with_secrets(&folder, &seed, given)?;
            seed = local::with_imports(seed, &local::imports(&folder)?)?;
            (Address::Socket(folder.socket()), folder.operator_key(), folder.credentials(), given, true)
        }
        None => {
            let is_plain = plain::template(&directory).is_some();
            let directory = shown::path(directory.display());
            let failure = CommandError::usage("no data space is given")
                .help("name it: `--space zookeeper+tls://HOST:PORT`, or set WATTLE_SPACE")
                .help(format!(
                    "or make one on a cloud: `wattle space new`, or `wattle deploy {directory} --space new`"
                ));
            // `up` runs software, and a plain template has none.
            return Err(if is_plain {
                failure.note("a deployment is recorded in a data space, even without software")
            } else {
                failure.help(format!("or bring it up on this machine: `wattle up {directory}`"))
            });
        }
    };
    let mut unnamed = Unnamed::default();
    let credentials = named.unwrap_or_else(|| {
        unnamed.credentials = (!is_up).then(|| credentials.clone());
        credentials
    });
    let key_file = target::key_file(matches).unwrap_or_else(|| {
        unnamed.key = (!is_up && beside.exists()).then(|| beside.clone());
        beside
    });
    if !matches.contains_id("key") {
        target::judge_key(&key_file, &address)?;
    }
    target::judge_rotation(&key_file)?;
    let key = read_operator_key(&key_file)?;
    let is_new_key = key.is_none();
    let mut options = Options::new(target::known_at(key.unwrap_or_else(OperatorKey::generate), &address)?);
    options.given = given;
    // What `up` runs belongs to this user, and so do its credentials.
    options.admission = !matches!(address, Address::Socket(_));
    options.files = Files::read(&directory)?;
    options.stack = matches.get_one::<String>("stack").cloned();
    options.renew = matches!(matches.try_get_one("renew"), Ok(Some(true)));
    // The credentials in use are lost once others are written. By then, no other step may fail.
    options.credentials = if options.renew { Credentials::new() } else { Credentials::read(&credentials)? };
    judge(&seed, &options)?;
    let store = target::connect(&address, &options.key.logins(), console).await?;
    // If a data space is restored, the restoring command reports content that belongs to someone else.
    if !matches!(matches.try_get_one("restore"), Ok(Some(true))) {
        target::judge_operator(&store, &address, &key_file, console).await?;
    }
    target::patiently(&address, console, seed::adopt(&store, &seed, &mut options, unnamed)).await?;
    options.credentials.complete(&seed, &options.key);
    Ok(Work { directory, credentials, seed, address, key_file, is_new_key, store, options, assigned })
}

impl Work {
    /// The stack's name in the data space.
    pub(in crate::cli) fn stack(&self) -> String {
        self.options.stack.clone().unwrap_or_else(|| self.seed.stack.to_string())
    }

    /// Whether it belongs to an `up` on this machine.
    pub(in crate::cli) fn is_up(&self) -> bool {
        self.address == Address::Socket(Folder::of(&self.directory).socket())
    }

    /// Writes the seed. First writes the keys to the data space, so that the operator is never locked out.
    pub(in crate::cli) async fn apply(&mut self) -> Result<Changes, CommandError> {
        let work = self;
        // If it is refused, no new key may remain, because the next call would take it for the right one.
        let makes_keys = work.is_new_key || !work.credentials.exists();
        if work.options.renew || (makes_keys && !work.options.restore) {
            seed::diff(&work.store, &work.seed, &work.options).await?.untampered(work.options.restore)?;
        }
        let stack = work.stack();
        let (space, ca) = work.address.for_servers().map_err(|error| CommandError::usage(error.to_string()))?;
        let mut made = Vec::new();
        if work.is_new_key {
            write_operator_key(&work.key_file, &work.options.key)?;
            made.push(&work.key_file);
        }
        let credentials = &work.credentials;
        if !credentials.exists() {
            made.push(credentials);
        }
        write_secret(credentials, &work.options.credentials.text_for(&work.seed, &stack, &space, &ca))?;
        let applied = match seed::apply(&work.store, &work.seed, &work.options).await {
            Err(error) => {
                // If nothing was written with them, the next call must not take them for the right ones.
                if !made.is_empty() && seed::is_unknown(&work.store, &stack, &work.options.key).await {
                    made.into_iter().for_each(|file| drop(std::fs::remove_file(file)));
                }
                return Err(error.into());
            }
            Ok(applied) => applied,
        };
        note(&work.key_file, &work.address, &space);
        Ok(applied.changes)
    }
}

/// Records in the key's file which data space it belongs to. From then on, it is offered to another one only
/// explicitly. If that cannot be written, the file is unchanged.
fn note(key_file: &Path, address: &Address, space: &str) {
    let is_file = std::fs::symlink_metadata(key_file).is_ok_and(|file| file.is_file());
    let spaces = spaces_of_key(key_file).unwrap_or_default();
    if is_file && !spaces.iter().any(|space| address.is_also(space)) {
        let _ = note_space_of_key(key_file, space);
    }
}
