//! `wattle up`: runs a whole topology on this machine.

mod elsewhere;
mod error;
mod handover;
mod sandbox;
mod session;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use wattle::manners::reason;
use wattle::model::{IndexMap, Name, Value};
use wattle::shown;

use crate::local::{self, Folder, Network, Record, Up, Wish};
use crate::seed::Files;

use super::command_line::parse;
use super::console::Console;
use super::error::{CommandError, Exit, exit_codes};
use super::{agent, args, here, parameters, seed, ui};

use super::signals::Signals;
use session::Session;

pub(in crate::cli) use sandbox::on_this_machine;

pub(super) fn command() -> Command {
    Command::new("up")
        .about("Bring up a whole topology on this machine: one agent per server, each at its own address")
        .arg(seed::directory())
        .args(parameters::arguments())
        .arg(parameters::handed())
        .arg(args::flag("generate-secrets", "Generate values for secret parameters that have none; they stay the same"))
        .arg(
            Arg::new("import")
                .long("import")
                .value_name("STACK:EXPORT=VALUE")
                .action(ArgAction::Append)
                .help("Value that another stack would export and this one imports"),
        )
        .arg(
            Arg::new("attribute")
                .long("attribute")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("Value that OpenStack would report for a resource: RESOURCE.ATTRIBUTE=VALUE"),
        )
        .arg(
            Arg::new("detach")
                .long("detach")
                .short('d')
                .action(ArgAction::SetTrue)
                .help("Leave it running in the background; `wattle down` stops it"),
        )
        .arg(args::flag("until-done", "Exit when everything is done or has failed; the exit code says which"))
        .arg(args::flag("again", "Run again what has failed, if the topology is already up and nothing has changed"))
        .arg(
            Arg::new("network")
                .long("network")
                .value_name("KIND")
                .default_value("auto")
                .value_parser(["auto", "loopback", "namespaces"])
                .help(
                    "Network of the servers; auto: namespaces if they can reach what this machine can, else loopback",
                ),
        )
        .arg(sandbox::option())
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Folder for what is needed to run it [default: DIR/.wattle]"),
        )
        .arg(ui::option())
        .args(agent::limits())
        .arg(Arg::new("background").long("background").hide(true).action(ArgAction::SetTrue))
        .arg(Arg::new("inside").long("inside").hide(true).action(ArgAction::SetTrue))
        .after_help(args::section(&[
            (
                "What happens",
                "  Each server gets an address within 127.0.0.0/8, which stays the same, and a folder in
  DIR/.wattle/servers with its agent.log and its WATTLE_STATE_DIR. Every `up` is a boot: folders are
  as they were left, and each recipe runs once. Called again while it runs, `up` applies what has
  changed, and shows the progress. Ctrl-C stops everything that was started, including services
  that recipes started; a second Ctrl-C stops it at once.",
            ),
            (
                "Networks",
                "  loopback    all servers share the ports of this machine, each at its own address
  namespaces  each server has a network of its own, can be reached from here, and reaches what this
              machine can, over IPv4; needs root, iproute2, nftables, and a firewall that allows it
  auto        namespaces where all of that holds, else loopback; `up` says which, and why",
            ),
            sandbox::HELP,
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "everything was done"),
                    (Exit::Failed, "something has failed, or it could not be brought up"),
                    (Exit::Usage, "wrong usage"),
                ]),
            ),
        ]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    if matches.get_flag("inside") {
        return local::first_process().map(|()| Exit::Fine).map_err(CommandError::new);
    }
    if !matches.get_flag("background") {
        return up(matches, false, console).await;
    }
    let args = handover::read(std::io::stdin().lock())
        .map_err(|error| CommandError::new(format!("it was not sent to the background: {}", reason(&error))))?;
    match parse(&args, console) {
        Ok(handed) => {
            let (_, matches) = handed.subcommand().expect("INVARIANT: a command is required");
            up(matches, true, console).await
        }
        Err(exit) => Ok(exit),
    }
}

async fn up(matches: &ArgMatches, is_background: bool, console: &mut Console) -> Result<Exit, CommandError> {
    let directory = matches.get_one::<PathBuf>("directory").expect("INVARIANT: it is required").clone();
    if matches.get_flag("detach") && matches.contains_id("ui") {
        let hint = format!("leave out `--ui`; `wattle status {} --ui` then shows it", shown::path(directory.display()));
        return Err(CommandError::usage("`--ui` cannot be used with `--detach`").help(hint));
    }
    let assigned = parameters::assigned(matches)?;
    let mut wish = wish(matches, &directory, &assigned)?;
    let image = sandbox::wanted(matches);
    let state = matches.get_one::<PathBuf>("state");
    let folder = state.map_or_else(|| Folder::of(&directory), |state| Folder::at(&directory, state));
    // An explicit state option declares the folder to be the user's own.
    let judged = if state.is_some() { folder.judge_files() } else { folder.judge() };
    judged.map_err(|why| here::not_ours(&folder, &why))?;
    folder.create().map_err(|error| {
        CommandError::new(format!("cannot make the folder `{}`: {}", folder.state().display(), reason(&error)))
            .help("choose another one: `--state PATH`")
    })?;
    let until_done = matches.get_flag("until-done") && !is_background;
    let is_detached = matches.get_flag("detach") && !is_background;
    let listening = ui::listen(matches).await?;
    let Some(lock) = folder.lock().map_err(|error| unusable(&folder, &error))? else {
        if state.is_some() {
            local::mark(&folder)?;
        }
        sandbox::must_be_alike(&folder, image.as_ref())?;
        return elsewhere::join(folder, wish, until_done, is_detached, listening, console).await;
    };
    local::mark(&folder)?;
    if let Some(image) = image {
        wish.sandbox = Some(sandbox::ready(&image, console).await?);
    }
    if is_detached {
        drop(lock);
        return elsewhere::detach(folder, &wish, &assigned, until_done, console).await;
    }
    if is_background {
        // The terminal that started it may close.
        let _ = rustix::process::setsid();
    }
    let mut signals = Signals::listen()?;
    // Without it, other commands need the directory as an argument.
    let _announced = local::announce(&folder).ok();
    if wish.sandbox.is_none() {
        warn_of_closed_folders(&folder, console)?;
    }
    let program =
        std::env::current_exe().map_err(|error| CommandError::new(format!("who am I? {}", reason(&error))))?;
    let begin = Instant::now();
    let seed = wish.seed.clone();
    let started = Up::start(&folder, lock, wish, program);
    let (mut up, _) = tokio::select! {
        started = started => started?,
        () = signals.end() => return Err(CommandError::new("interrupted before anything was started")),
    };
    let record = record(&folder)?;
    let user_data = local::user_data(&folder, &seed, &record);
    let session = Session { folder, seed, space: up.space().clone(), record, user_data, until_done, begin };
    if let Some(warning) = sandbox::warning(&session.record, &session.seed) {
        console.err.write(&format!("{warning}\n"))?;
    }
    let show = |listening| ui::show(listening, &session.space, None, Some(&session.folder), None, console);
    let (view, followed) = match listening.map(show).transpose() {
        Ok(view) => (view, session::follow(&session, Some(&mut up), &mut signals, console).await),
        Err(failure) => (None, Err(failure)),
    };
    if let Some(view) = view {
        view.end(&format!("{} was stopped", session.record.stack)).await;
    }
    let ended = session::end(up, &session, &mut signals, console).await;
    let code = followed?;
    ended.map(|()| code)
}

/// The requested topology.
fn wish(matches: &ArgMatches, directory: &Path, assigned: &[(String, String)]) -> Result<Wish, CommandError> {
    let mut imports: IndexMap<String, String> = IndexMap::default();
    for text in matches.get_many::<String>("import").into_iter().flatten() {
        let (name, value) = text.split_once('=').filter(|(name, _)| name.contains(':')).ok_or_else(|| {
            CommandError::usage(format!("`--import {text}` is not STACK:EXPORT=VALUE"))
                .help("write `--import STACK:EXPORT=VALUE`")
        })?;
        imports.insert(name.trim().to_owned(), value.to_owned());
    }
    let seed = local::with_imports(seed::read(directory)?, &imports)?;
    let mut attributes: IndexMap<Name, Value> = IndexMap::default();
    for text in matches.get_many::<String>("attribute").into_iter().flatten() {
        let Some((name, value)) = text.split_once('=') else {
            return Err(CommandError::usage(format!("`--attribute {text}` has no value"))
                .help(format!("write `--attribute {text}=VALUE`")));
        };
        attributes.insert(name.into(), serde_json::from_str(value).unwrap_or_else(|_| value.into()));
    }
    let mut options: Vec<OsString> = Vec::new();
    for limit in ["deadline", "wait"] {
        if let Some(time) = matches.get_one::<Duration>(limit) {
            options.extend([format!("--{limit}").into(), format!("{}s", time.as_secs()).into()]);
        }
    }
    let network = match matches.get_one::<String>("network").map(String::as_str) {
        Some("namespaces") => Some(Network::Namespaces),
        Some("loopback") => Some(Network::Loopback),
        _ => None,
    };
    Ok(Wish {
        files: Files::read(directory)?,
        given: parameters::given(matches, directory, assigned)?,
        generate_secrets: matches.get_flag("generate-secrets"),
        attributes,
        network,
        sandbox: None,
        options,
        again: matches.get_flag("again"),
        seed,
        imports,
    })
}

/// Services run as users of their own, which need access to their folders.
fn warn_of_closed_folders(folder: &Folder, console: &mut Console) -> Result<(), CommandError> {
    use std::os::unix::fs::PermissionsExt as _;
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let state = folder.servers();
    let closed = state
        .ancestors()
        .find(|path| std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 == 0));
    match closed {
        Some(path) => console.err.write(&format!(
            "warning: other users cannot enter {}: services that run as users of their own will not find their files;\n\
             {:9}`--state PATH` chooses another place\n",
            path.display(),
            ""
        )),
        None => Ok(()),
    }
}

fn unusable(folder: &Folder, error: &std::io::Error) -> CommandError {
    CommandError::new(format!("cannot use the folder `{}`: {}", folder.state().display(), reason(error)))
        .help("choose another one: `--state PATH`")
}

fn record(folder: &Folder) -> Result<Record, CommandError> {
    let record = folder.record().map_err(|error| unusable(folder, &error))?;
    Ok(record.unwrap_or_default())
}
