//! `wattle seed`: what OpenStack's servers read, written to the data space before the stack is created.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};
use wattle::lower::Seed;
use wattle::manners::{self, reason};
use wattle::names::{list, some};
use wattle::shown::{self, argument, option};

use crate::deploy;
use crate::local::{self, Folder};
use crate::seed::{
    self, Beside, Changes, Credentials, Files, Options, SeedError, Unnamed, lacking, note_space_of_key,
    read_operator_key, spaces_of_key, write_operator_key,
};
use crate::space::OperatorKey;
use crate::store::{Address, Store};

use super::console::Console;
use super::failure::{CHANGED, Exit, Failure};
use super::{admit, args, delete, forget, here, parameters, rotate, target};

/// How to fix a seed.
const EMIT_AGAIN: &str =
    "emit it again, with the blueprint's program as it is now and built with this version of wattle";

/// Why a data space is not as its operator wrote it, and what to do.
const REWRITTEN: (&str, &str) = (CHANGED, "rewrite everything: `wattle seed apply DIR --restore`");

/// The same if it once was like that.
const PUT_BACK: (&str, &str) = (
    "someone has put back an earlier state, or the store has lost what came after it; there, servers are known by the \
     keys that they had then",
    "rewrite everything: `wattle seed apply DIR --restore`; with `--renew` as well if a server was rebuilt or got \
     another key since",
);

pub(super) fn command() -> Command {
    let apply = Command::new("apply")
        .about("Write a seed to the data space as the next revision of its stack")
        .arg(args::flag("again", "Make a new revision even of an unchanged seed, which retries what failed"))
        .arg(args::flag("renew", "Give running servers new credentials; Heat then replaces the servers"))
        .arg(args::flag(
            "restore",
            "Rewrite a stack completely if something in it is not as its operator wrote it or is from an earlier \
             state, as in a data space that starts afresh. Agents publish again what they have published. What is \
             known of infrastructure is recorded nowhere else, so it is accepted as it stands, and named",
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
  named with --key and --credentials, because someone else may have put them into the directory.",
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
        .help("Directory that a blueprint's `emit` wrote: the one with seed.yaml")
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
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
pub(super) fn read(directory: &Path) -> Result<Seed, Failure> {
    let file = directory.join("seed.yaml");
    let text = manners::read(&file).map_err(|error| {
        let failure = Failure::usage(format!("cannot read the seed `{}`: {}", file.display(), reason(&error)));
        let inner: Vec<String> = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().join("seed.yaml").is_file())
            .map(|entry| entry.path().display().to_string())
            .collect();
        match inner.as_slice() {
            [] if template_in(directory).is_some() => failure
                .note("it was emitted with `--lowering heat-native`, with which Heat runs the software itself")
                .help("pass it to `openstack stack create`, or run the blueprint's program again without that option"),
            [] => failure.help("a blueprint's program writes it, to `out/STACK` by default: give that directory"),
            some => failure.help(format!("did you mean {}?", list(some.iter().map(String::as_str), "or"))),
        }
    })?;
    let no_seed = |error| Failure::usage(format!("`{}` is not a seed: {error}", file.display())).help(EMIT_AGAIN);
    let seed = Seed::read(&text).map_err(no_seed)?;
    let changed = seed.changed_files();
    if changed.is_empty() {
        return Ok(seed);
    }
    let failure = Failure::usage(format!("`{}` is not as it was emitted", file.display()));
    let failure = changed
        .iter()
        .fold(failure, |failure, path| failure.note(format!("the recipe's file `{path}` in it has changed")));
    Err(failure.help("change the blueprint's own file, and emit again"))
}

/// The template that `emit` wrote there. If it wrote no seed, Heat alone is enough for it.
pub(super) fn template_in(directory: &Path) -> Option<&'static str> {
    ["template.json", "template.yaml"].into_iter().find(|name| directory.join(name).is_file())
}

pub(super) struct Work {
    pub(super) directory: PathBuf,
    pub(super) credentials: PathBuf,
    pub(super) seed: Seed,
    pub(super) address: Address,
    pub(super) key_file: PathBuf,
    pub(super) is_new_key: bool,
    pub(super) store: Arc<dyn Store>,
    pub(super) options: Options,
    /// The values of parameters that were given one by one, as text.
    pub(super) assigned: Vec<(String, String)>,
}

/// Everything that `apply`, `diff` and `plan` need. What is given is judged before the data space is asked for
/// anything.
pub(super) async fn prepare(
    matches: &ArgMatches,
    judge: impl Fn(&Seed, &Options) -> Result<(), SeedError>,
    console: &mut Console,
) -> Result<Work, Failure> {
    let directory = matches.get_one::<PathBuf>("directory").expect("INVARIANT: it is required").clone();
    let mut seed = read(&directory)?;
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
            return Err(Failure::usage("it is not known which data space to use")
                .help("name it: `--space zookeeper+tls://HOST:PORT`, or set WATTLE_SPACE")
                .help(format!("or bring it up on this machine: `wattle up {}`", shown::path(directory.display()))));
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
    // The credentials in use are gone once others are written. By then, nothing else may be able to fail.
    options.credentials = if options.renew { Credentials::new() } else { Credentials::read(&credentials)? };
    judge(&seed, &options)?;
    let store = target::connect(&address, &options.key.logins(), console).await?;
    // If a data space begins anew, the restoring command reports what it holds of somebody else.
    if !matches!(matches.try_get_one("restore"), Ok(Some(true))) {
        target::judge_operator(&store, &address, &key_file, console).await?;
    }
    target::patiently(&address, console, seed::adopt(&store, &seed, &mut options, unnamed)).await?;
    options.credentials.complete(&seed, &options.key);
    Ok(Work { directory, credentials, seed, address, key_file, is_new_key, store, options, assigned })
}

async fn apply(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let mut work = prepare(matches, seed::judge, console).await?;
    // Servers of `up` need more than what is in the data space.
    if work.is_up() {
        return Err(Failure::usage(format!("`{}` is up on this machine", work.directory.display()))
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
                "`{node}` is accepted as yours as it stands: what is known of infrastructure is recorded nowhere else\n"
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

impl Work {
    /// The stack's name in the data space.
    pub(super) fn stack(&self) -> String {
        self.options.stack.clone().unwrap_or_else(|| self.seed.stack.to_string())
    }

    /// Whether it belongs to what `up` runs on this machine.
    pub(super) fn is_up(&self) -> bool {
        self.address == Address::Socket(Folder::of(&self.directory).socket())
    }

    /// Writes the seed. Before that, it writes what opens the data space, so that nobody is ever locked out of what was
    /// written.
    pub(super) async fn apply(&mut self) -> Result<Changes, Failure> {
        let work = self;
        // If it is refused, no new key may stay behind, because the next call would take it for the right one.
        let makes_keys = work.is_new_key || !work.credentials.exists();
        if work.options.renew || (makes_keys && !work.options.restore) {
            seed::diff(&work.store, &work.seed, &work.options).await?.untampered(work.options.restore)?;
        }
        let stack = work.stack();
        let (space, ca) = work.address.for_servers().map_err(|error| Failure::usage(error.to_string()))?;
        let mut made = Vec::new();
        if work.is_new_key {
            write_operator_key(&work.key_file, &work.options.key)?;
            made.push(&work.key_file);
        }
        let credentials = &work.credentials;
        if !credentials.exists() {
            made.push(credentials);
        }
        work.options.credentials.write(credentials, &stack, &space, &ca)?;
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

/// Notes in the key's file which data space it belongs to. From then on, it is not offered to another one unless it is
/// named. If that cannot be written, the file stays as it was.
fn note(key_file: &Path, address: &Address, space: &str) {
    let is_file = std::fs::symlink_metadata(key_file).is_ok_and(|file| file.is_file());
    let spaces = spaces_of_key(key_file).unwrap_or_default();
    if is_file && !spaces.iter().any(|space| address.is_also(space)) {
        let _ = note_space_of_key(key_file, space);
    }
}

/// What to do about servers that left earlier and never reported that they are done.
fn lingering(changes: &Changes, stack: &str) -> String {
    if changes.lingering.is_empty() {
        return String::new();
    }
    let names = || changes.lingering.iter().map(String::as_str);
    let command: Vec<String> = names().map(argument).collect();
    format!(
        "not torn down, as far as is known, since an earlier revision left it out: {}; if it is gone, take away its \
         last rights:\n  wattle seed forget {} {}\n",
        some(names(), 5),
        option("--stack", stack),
        command.join(" ")
    )
}

/// What to do next.
fn next(work: &Work, matches: &ArgMatches, changes: &Changes, stack: &str) -> String {
    let directory = work.directory.display();
    let template = template_in(&work.directory).unwrap_or("template.yaml");
    let mut command = format!(" -t {}", shown::path(format!("{directory}/{template}")));
    if work.directory.join("environment.yaml").is_file() {
        command.extend([format!(" -e {}", shown::path(format!("{directory}/environment.yaml")))]);
    }
    for file in matches.get_many::<PathBuf>("environment").into_iter().flatten() {
        command.extend([format!(" -e {}", shown::path(file.display()))]);
    }
    command.extend([format!(" -e {}", shown::path(work.credentials.display()))]);
    let assignments = parameters::OPTIONS.into_iter().filter_map(|name| matches.get_many::<String>(name));
    for assignment in assignments.flatten() {
        // It may be a secret.
        command.extend([format!(" --parameter {}=...", argument(assignment.split('=').next().unwrap_or_default()))]);
    }
    let name = argument(stack);
    let command = |verb: &str| format!("  openstack stack {verb}{command} {name}\n");
    if changes.is_empty() {
        "nothing has changed; `--again` makes a new revision anyway\n".into()
    } else if changes.from.is_none() && work.options.restore {
        let (create, update) = (command("create"), command("update"));
        format!(
            "running agents pick it up by themselves; if the template or a credential has changed:\n\
             {update}if Heat has no such stack yet:\n\
             {create}"
        )
    } else if changes.from.is_none() {
        format!(
            "next, create the stack:\n\
             {}and once servers run, replace those credentials with keys of the servers' own:\n  wattle seed admit \
             --wait {}\n",
            command("create"),
            option("--stack", stack)
        )
    } else {
        let update = command("update");
        format!("running agents pick it up by themselves; if the template has also changed:\n{update}")
    }
}

async fn diff(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let work = prepare(matches, seed::judge, console).await?;
    let changes = seed::diff(&work.store, &work.seed, &work.options).await?;
    console.out.write(&changes.to_string())?;
    Ok(Exit::Fine)
}

/// The option that names a file that was found.
fn named(file: &Beside) -> String {
    match file {
        Beside::Key(path) => format!("--key {}", shown::path(path.display())),
        Beside::Credentials(path) => format!("--credentials {}", shown::path(path.display())),
    }
}

impl From<SeedError> for Failure {
    fn from(error: SeedError) -> Self {
        let message = error.to_string();
        match error {
            SeedError::Parameters { missing, faults } if !missing.is_empty() => {
                let mut failure = faults.into_iter().fold(Self::usage(lacking(missing.len())), Self::note);
                for (name, ty) in &missing {
                    failure = failure.note(format!("`{name}`, {ty}"));
                }
                let flags: Vec<String> =
                    missing.keys().map(|name| format!("--parameter {}", argument(format!("{name}=VALUE")))).collect();
                let help =
                    "or fill in `environment.yaml` beside the seed, or name another such file with `--environment`";
                failure.help(format!("add `{}`", flags.join(" "))).help(help)
            }
            SeedError::Parameters { faults, .. } | SeedError::Imports { faults } => {
                match <[String; 1]>::try_from(faults) {
                    Ok([one]) => Self::usage(one),
                    Err(faults) => faults.iter().fold(
                        Self::usage(format!("{} things are wrong with the given values", faults.len())),
                        Self::note,
                    ),
                }
            }
            SeedError::Tampered { stack, nodes } => {
                let message = format!("what the data space holds of `{stack}` is not what its operator wrote");
                let (shown, more) = nodes.split_at(nodes.len().min(8));
                let failure = shown.iter().fold(Self::new(message), |failure, node| failure.note(node.to_string()));
                let failure = if more.is_empty() { failure } else { failure.note(format!("and {} more", more.len())) };
                let (why, help) = if nodes.iter().any(|node| node.is_former) { PUT_BACK } else { REWRITTEN };
                failure.note(why).help(help)
            }
            SeedError::Unknown { files, .. } => {
                let named: Vec<String> = files.iter().map(named).collect();
                let (them, others) =
                    if files.len() == 1 { ("it is", "remove it") } else { ("they are", "remove them") };
                Self::usage(message)
                    .note("if someone else put that into the directory, they can open everything")
                    .help(format!("if {them} yours, say so: `{}`", named.join(" ")))
                    .help(format!("if not, {others}: `seed apply` makes its own"))
            }
            SeedError::Malformed { .. } => Self::usage(message).help(
                "it is a file that the first `wattle seed apply` or `wattle deploy` wrote: `operator.key` or \
                 `credentials.yaml`",
            ),
            SeedError::Space(error) => error.into(),
            SeedError::Credentials { .. }
            | SeedError::OtherKey { .. }
            | SeedError::NoServer { .. }
            | SeedError::InModel { .. }
            | SeedError::Name { .. } => Self::usage(error.to_string()),
            SeedError::OtherAnnounced { .. } => Self::new(message)
                .note("nothing was admitted: someone else may have the credential of the server's user data")
                .help("the log of the server's agent says which key is its own; restart the agent, and it announces that one again"),
            SeedError::Acting { .. } => Self::new(message)
                .help("wait until `wattle status` no longer shows it, or take its place away with `--force`"),
            SeedError::Format { .. } | SeedError::Damaged { .. } => Self::usage(error.to_string()).help(EMIT_AGAIN),
            other => Self::new(other.to_string()),
        }
    }
}
