//! `wattle agent`: acts for one server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use tokio::signal::unix::{SignalKind, signal};
use wattle::manners::{read_bytes, reason};
use wattle::model::{IndexMap, Name, Value, json};

use crate::agent::{Agent, Attributes, Ended, Fixed, Identity, Limits, Metadata, Place, Recent};
use crate::local::STATE_DIR;
use crate::recipe::Tools;
use crate::space::Space;

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit, exit_codes};
use super::log::{self, Format, ServerConsole};

pub(super) fn command() -> Command {
    let path = |name: &'static str, value: &'static str| {
        Arg::new(name).long(name).value_name(value).value_parser(value_parser!(PathBuf))
    };
    Command::new("agent")
        .about("Run the agent of one server; the emitted user data starts it there")
        .arg(
            path("identity", "FILE")
                .default_value("/etc/wattle/identity.json")
                .help("File with the identity of the server"),
        )
        .arg(
            path("state", "DIR")
                .default_value("/var/lib/wattle")
                .help("Folder in which the agent keeps its journal and runs recipes"),
        )
        .args(limits())
        .arg(
            Arg::new("log-format")
                .long("log-format")
                .value_name("FORMAT")
                .default_value("text")
                .value_parser(["text", "json"])
                .help("Format of the log on standard error"),
        )
        .arg(path("log", "FILE").hide(true).help("File to log to instead, in at most two files of 8 MiB"))
        .arg(path("attributes", "FILE").hide(true).help("The server's own attributes, instead of what OpenStack says"))
        .arg(
            path("metadata", "DIR")
                .hide(true)
                .conflicts_with("attributes")
                .help("Folder with OpenStack's `meta_data.json` and `network_data.json`, instead of its service"),
        )
        .after_help(args::section(&[
            (
                "Stopping it",
                "  SIGTERM and SIGINT stop the agent and the recipe that it runs. The next agent runs that recipe
  again, but nothing that has finished. Services that recipes started through systemd keep running.",
            ),
            (
                "Log",
                "  RUST_LOG chooses what is logged, such as `debug` or `wattle_runtime=debug`; the default is `info`.
  Messages of the ZooKeeper client are left out unless it is named: `info,zookeeper_client=info`.
  Lines that come faster than they can be written are left out, and counted.",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "it was stopped, or the server has left the model"),
                    (Exit::Failed, "it cannot continue: the data space refuses it, or its folder cannot be used"),
                    (Exit::Usage, "wrong usage"),
                ]),
            ),
        ]))
}

/// Time limits for components that do not set their own.
pub(super) fn limits() -> [Arg; 2] {
    let limit = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TIME").value_parser(args::duration).help(help)
    };
    [
        limit("deadline", "How long a recipe may run if it does not say so itself [default: 1h]"),
        limit("wait", "How long a component may wait for its inputs if it does not say so itself [default: 4h]"),
    ]
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let acted = act(matches, console).await;
    if let (Err(error), Some(console)) = (&acted, ServerConsole::named()) {
        console.say(&log::plain(&error.message));
    }
    acted
}

async fn act(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    let is_json = matches.get_one::<String>("log-format").is_some_and(|format| format == "json");
    let file = path("log");
    let recent = Arc::<Recent>::default();
    let format = Format { is_json, color: console.err.color };
    let _log = log::start(file.as_deref(), format, Arc::clone(&recent)).map_err(|error| {
        let place = file.as_ref().map_or_else(|| "standard error".to_owned(), |file| format!("`{}`", file.display()));
        CommandError::new(format!("cannot log to {place}: {}", reason(&error)))
    })?;
    let identity = path("identity").expect("INVARIANT: it has a default");
    let identity = Identity::read(&identity).map_err(|error| {
        CommandError::new(error.to_string())
            .help("the server's user data writes it; `--identity FILE` chooses another file")
    })?;
    let end = ended()?;
    let logins = identity.credential.logins(&identity.stack, &identity.server);
    tracing::info!(stack = &*identity.stack, server = &*identity.server, space = %identity.space, "agent starts");
    let connect = identity.space.connect(&logins);
    tokio::pin!(end);
    let store = tokio::select! {
        store = connect => store?,
        () = &mut end => return Ok(Exit::Fine),
    };
    let attributes: Arc<dyn Attributes> = match (path("attributes"), path("metadata")) {
        (Some(file), _) => Arc::new(Fixed(fixed(&file)?)),
        (None, Some(folder)) => Arc::new(Metadata::at(identity.networks.clone(), Place::Folder(folder))),
        (None, None) => Arc::new(Metadata::new(identity.networks.clone())),
    };
    let defaults = Limits::default();
    let limit = |name: &str, default: Duration| matches.get_one::<Duration>(name).copied().unwrap_or(default);
    let agent = Agent {
        space: Space::new(Arc::clone(&store), &identity.stack),
        server: identity.server.clone(),
        credential: identity.credential,
        runner: Arc::new(match std::env::var_os(STATE_DIR) {
            Some(directory) => Tools::new().state_in(directory.into()),
            None => Tools::new(),
        }),
        state: path("state").expect("INVARIANT: it has a default"),
        attributes,
        user_data: identity.values,
        limits: Limits { deadline: limit("deadline", defaults.deadline), wait: limit("wait", defaults.wait) },
        recent,
    };
    let ended = agent.run(end).await;
    store.close().await;
    let ended = ended.map_err(|error| CommandError::new(error.to_string()))?;
    match ended {
        Ended::Asked => tracing::info!("agent ends, as requested"),
        Ended::Retired => tracing::info!("agent ends: the server has left the model"),
    }
    Ok(Exit::Fine)
}

/// Ready when a signal asks the process to end.
fn ended() -> Result<impl Future<Output = ()>, CommandError> {
    let listen = |kind| {
        signal(kind).map_err(|error| CommandError::new(format!("cannot listen for signals: {}", reason(&error))))
    };
    let (mut term, mut int) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    })
}

fn fixed(file: &Path) -> Result<IndexMap<Name, Value>, CommandError> {
    let text = read_bytes(file)
        .map_err(|error| CommandError::new(format!("cannot read `{}`: {}", file.display(), reason(&error))))?;
    json::read(&text).map_err(|error| CommandError::new(format!("`{}`: {error}", file.display())))
}
