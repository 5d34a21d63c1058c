//! `wattle seed admit`: replaces the credentials in servers' user data with the servers' own keys.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use tokio::time::{self, Instant};
use wattle::model::Name;
use wattle::names::some;

use crate::seed::{self, Admission};
use crate::space::Fingerprint;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{args, target};

/// How often to check whether other servers have come.
const PAUSE: Duration = Duration::from_secs(2);

/// How long to collect new servers, so that each of them does not get a revision of its own.
const TOGETHER: Duration = Duration::from_secs(10);

/// The maximum number of servers whose keys are listed.
const SHOWN: usize = 20;

const ANNOUNCED: &str = "its agent announces the server as soon as it runs and reaches the data space";

const ALL: &str = "all servers have keys of their own\n";

pub(super) fn command() -> Command {
    Command::new("admit")
        .about("Replace the credentials in servers' user data with the servers' own keys")
        .arg(
            Arg::new("servers")
                .value_name("SERVER")
                .action(ArgAction::Append)
                .help("Also admit these servers again, because they were rebuilt with the same user data"),
        )
        .arg(
            Arg::new("fingerprint")
                .long("fingerprint")
                .value_name("KEY")
                .value_parser(value_parser!(Fingerprint))
                .requires("servers")
                .help("Admit the server only if its key has this fingerprint, which its agent's log names"),
        )
        .arg(args::flag("wait", "Wait until all servers have announced themselves, or all that are named"))
        .arg(args::timeout())
        .args(args::target())
        .after_help(args::section(&[(
            "What it does",
            "  A server makes a key of its own as soon as its agent runs, and announces it. This command gives
  the key the rights that the server's credential had, and encrypts the server's secrets for it.
  From then on the credential opens nothing. `wattle seed apply` does the same for servers that were
  never admitted.
  A second server with the same user data is admitted only if it is named, and replaces the first.
  With `--fingerprint`, it is admitted only if it has that key: the log of its agent names it.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let named: Vec<Name> =
        matches.get_many::<String>("servers").into_iter().flatten().map(|name| name.as_str().into()).collect();
    let only = matches.get_one::<Fingerprint>("fingerprint").copied();
    if only.is_some() && named.len() > 1 {
        return Err(
            CommandError::usage("`--fingerprint` names the key of one server").help("name one server at a time")
        );
    }
    let target = target::find(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let (store, stack) = (space.store(), space.layout().stack());
    let admit = async |named: &[Name]| match named.first().zip(only) {
        Some((server, only)) => seed::admit_only(store, stack, &key, server, only).await,
        None => seed::admit(store, stack, &key, named).await,
    };
    if !matches.get_flag("wait") {
        let admission = admit(&named).await?;
        console.out.write(&said(&admission, stack))?;
        return outcome(&admission);
    }
    let end = matches.get_one::<Duration>("timeout").map(|limit| Instant::now() + *limit);
    let (mut left, mut absent, mut has_admitted) = (named, None, false);
    // How long a new server has been waiting for others.
    let mut since: Option<Instant> = None;
    loop {
        // Those that have come by then are admitted all the same.
        let is_over = end.is_some_and(|end| Instant::now() >= end);
        let waiting = seed::waiting(store, stack, &key, &left).await?;
        if waiting.come.is_empty() {
            since = None;
            if waiting.absent.is_empty() {
                if !has_admitted {
                    console.out.write(ALL)?;
                }
                return Ok(Exit::Fine);
            }
        } else if is_over || waiting.absent.is_empty() || since.get_or_insert_with(Instant::now).elapsed() >= TOGETHER {
            let admission = admit(&left).await?;
            console.out.write(&said(&admission, stack))?;
            left.retain(|server| !admission.admitted.contains(server));
            (since, has_admitted) = (None, true);
            continue;
        }
        if is_over {
            return Err(late(&waiting.absent));
        }
        if absent.as_ref() != Some(&waiting.absent) {
            let awaited = some(waiting.absent.iter().map(|name| &**name), 5);
            console.err.write(&format!("waiting for {awaited}\n"))?;
            absent = Some(waiting.absent);
        }
        time::sleep(PAUSE).await;
    }
}

/// The result as lines of text.
fn said(admission: &Admission, stack: &str) -> String {
    let Admission { revision, admitted, keys, on_credentials, .. } = admission;
    let mut text = match admitted.as_slice() {
        [] => String::new(),
        names => {
            let names = some(names.iter().map(|name| &**name), 5);
            format!("`{stack}` is at revision {revision}: admitted {names}\n")
        }
    };
    text.extend(admitted.iter().zip(keys).take(SHOWN).map(|(server, key)| format!("  {server}: its key is {key}\n")));
    if admitted.len() > SHOWN {
        text.extend([format!("  and {} more\n", admitted.len() - SHOWN)]);
    }
    let names = some(on_credentials.iter().map(|name| &**name), 5);
    match (admitted.len(), on_credentials.len()) {
        (0, 0) => text.push_str(ALL),
        (_, 0) => {}
        (_, 1) => text.extend([format!(
            "{names} still uses the credential of its user data, and has not announced itself yet\n"
        )]),
        _ => text.extend([format!(
            "{names} still use the credentials of their user data, and have not announced themselves yet\n"
        )]),
    }
    text
}

/// The error that these servers did not announce themselves in time.
fn late(absent: &[Name]) -> CommandError {
    let names = some(absent.iter().map(|name| &**name), 5);
    let verb = if absent.len() == 1 { "has" } else { "have" };
    CommandError::new(format!("{names} {verb} not announced themselves in time")).help(ANNOUNCED)
}

fn outcome(admission: &Admission) -> Result<Exit, CommandError> {
    if admission.silent.is_empty() {
        return Ok(Exit::Fine);
    }
    let names = some(admission.silent.iter().map(|name| &**name), 5);
    Err(CommandError::new(format!("{names} has announced nothing new"))
        .help(format!("{ANNOUNCED}; `--wait` waits for that")))
}
