//! `wattle up`: a whole topology on this machine.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indexmap::IndexMap;
use jiff::Timestamp;
use tokio::signal::unix::{Signal, SignalKind, signal};
use wattle::lower::Seed;
use wattle::model::{Name, Value};

use crate::local::{self, Folder, Network, Record, Up, UpError, Wish};
use crate::report::{Picture, Span, roots};
use crate::space::Space;
use crate::store::Address;

use super::console::Console;
use super::failure::{Exit, Failure, reason};
use super::paint::{Tone, paint};
use super::progress::{Progress, size_of};
use super::{agent, args, exports, seed, target, why};

/// How often to look at everything.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a detached `up` may take until its agents are started.
const START: Duration = Duration::from_mins(1);

pub(super) fn command() -> Command {
    Command::new("up")
        .about("Bring up a whole topology on this machine: one agent a server, each at an address of its own")
        .arg(seed::directory())
        .args(seed::parameters())
        .arg(args::flag("generate-secrets", "Make up secret parameters that have no value; they stay the same"))
        .arg(
            Arg::new("attribute")
                .long("attribute")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("What OpenStack would tell of a resource: RESOURCE.ATTRIBUTE=VALUE"),
        )
        .arg(
            Arg::new("detach")
                .long("detach")
                .short('d')
                .action(ArgAction::SetTrue)
                .help("Leave it running in the background; `wattle down` ends it"),
        )
        .arg(args::flag("until-done", "Do not stay when everything is done or has failed; the exit code tells which"))
        .arg(args::flag("again", "Run again what has failed, when it is up already and nothing has changed"))
        .arg(
            Arg::new("network")
                .long("network")
                .value_name("KIND")
                .default_value("auto")
                .value_parser(["auto", "loopback", "namespaces"])
                .help("The servers' network; auto: loopback, since from namespaces nothing outside can be reached"),
        )
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Where to keep what is needed to run it [default: DIR/.wattle]"),
        )
        .args(agent::limits())
        .arg(Arg::new("background").long("background").hide(true).action(ArgAction::SetTrue))
        .after_help(args::section(&[
            (
                "What happens",
                "  Each server gets an address within 127.0.0.0/8, which stays the same, and a folder in
  DIR/.wattle/servers with its agent.log and its WATTLE_STATE_DIR. Every `up` is a boot: folders are
  as they were left, and each recipe runs once. Called again while it runs, `up` applies what has
  changed, and shows how it goes on. Ctrl-C ends everything that was started, services of recipes
  included; twice, at once.",
            ),
            (
                "Networks",
                "  loopback    all servers share the ports of this machine, each at its own address
  namespaces  each server has a network of its own, and can be reached from here; needs root and
              iproute2; servers reach each other and this machine, and nothing else",
            ),
            (
                "Exit codes",
                "    0  everything was done
    1  something has failed, or it could not be brought up
    2  wrong usage",
            ),
        ]))
}

/// A topology that is looked at, and perhaps kept up.
struct Session {
    folder: Folder,
    seed: Seed,
    space: Space,
    record: Record,
    told: HashMap<Name, String>,
    until_done: bool,
    begin: Instant,
}

/// What ended a session.
enum End {
    Over,
    Asked,
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let directory = matches.get_one::<PathBuf>("directory").expect("INVARIANT: it is required").clone();
    let wish = wish(matches, &directory)?;
    let folder = match matches.get_one::<PathBuf>("state") {
        Some(state) => Folder::at(&directory, state),
        None => Folder::of(&directory),
    };
    folder.create().map_err(|error| {
        Failure::new(format!("cannot make the folder `{}`: {}", folder.state().display(), reason(&error)))
            .help("choose another one: `--state PATH`")
    })?;
    let until_done = matches.get_flag("until-done");
    let Some(lock) = folder.lock().map_err(|error| unusable(&folder, &error))? else {
        return join(folder, wish, until_done, matches.get_flag("detach"), console).await;
    };
    if matches.get_flag("detach") {
        drop(lock);
        return detach(folder, &wish, until_done, console).await;
    }
    if matches.get_flag("background") {
        // The terminal that it came from may go.
        let _ = rustix::process::setsid();
    }
    let mut signals = Signals::listen()?;
    warn_of_closed_folders(&folder, console)?;
    let program = std::env::current_exe().map_err(|error| Failure::new(format!("who am I? {}", reason(&error))))?;
    let begin = Instant::now();
    let seed = wish.seed.clone();
    let started = Up::start(&folder, lock, wish, program);
    let (mut up, _) = tokio::select! {
        started = started => started?,
        () = signals.end() => return Err(Failure::new("broken off before anything was started")),
    };
    let record = record(&folder)?;
    let told = local::told(&folder, &seed, &record);
    let session = Session { folder, seed, space: up.space().clone(), record, told, until_done, begin };
    let followed = follow(&session, Some(&mut up), &mut signals, console).await;
    let exit = end(up, &session, &mut signals, console).await;
    match followed {
        Ok((End::Over | End::Asked, code)) => exit.map(|()| code),
        Err(failure) => Err(failure),
    }
}

/// What is asked for.
fn wish(matches: &ArgMatches, directory: &std::path::Path) -> Result<Wish, Failure> {
    let seed = seed::read(directory)?;
    let mut attributes: IndexMap<Name, Value> = IndexMap::new();
    for text in matches.get_many::<String>("attribute").into_iter().flatten() {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::usage(format!("`--attribute {text}` has no value"))
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
        Some("namespaces") => Network::Namespaces,
        _ => Network::Loopback,
    };
    Ok(Wish {
        given: seed::given(matches, directory)?,
        generate_secrets: matches.get_flag("generate-secrets"),
        attributes,
        network,
        options,
        again: matches.get_flag("again"),
        seed,
    })
}

/// Services run as users of their own, who must get to their folders.
fn warn_of_closed_folders(folder: &Folder, console: &mut Console) -> Result<(), Failure> {
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

fn unusable(folder: &Folder, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot use the folder `{}`: {}", folder.state().display(), reason(error)))
        .help("choose another one: `--state PATH`")
}

fn record(folder: &Folder) -> Result<Record, Failure> {
    let record = folder.record().map_err(|error| unusable(folder, &error))?;
    Ok(record.unwrap_or_default())
}

/// Applies what has changed to what runs already, and shows how it goes on.
async fn join(
    folder: Folder,
    wish: Wish,
    until_done: bool,
    is_detached: bool,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    let begin = Instant::now();
    let (space, applied) = local::renew(&folder, &wish).await?;
    let record = record(&folder)?;
    let what = if applied.changes.is_empty() { "is up already, unchanged" } else { "is up already: " };
    let mut text = format!("{} {what}", applied.stack);
    if !applied.changes.is_empty() {
        text.extend([format!("now revision {}", applied.revision)]);
    }
    console.err.write(&format!("{text}\n"))?;
    if is_detached && !until_done {
        return Ok(Exit::Fine);
    }
    let told = local::told(&folder, &wish.seed, &record);
    let session = Session { folder, seed: wish.seed, space, record, told, until_done: true, begin };
    let (_, code) = follow(&session, None, &mut signals, console).await?;
    Ok(code)
}

/// Starts another process that keeps it up, and waits until it does.
async fn detach(folder: Folder, wish: &Wish, until_done: bool, console: &mut Console) -> Result<Exit, Failure> {
    let cannot = |error: &std::io::Error| Failure::new(format!("cannot start in the background: {}", reason(error)));
    let log = std::fs::File::create(folder.log()).map_err(|error| cannot(&error))?;
    let program = std::env::current_exe().map_err(|error| cannot(&error))?;
    let args = std::env::args_os().skip(1).filter(|arg| arg != "-d" && arg != "--detach" && arg != "--until-done");
    let mut child = tokio::process::Command::new(program)
        .args(args)
        .arg("--background")
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(|error| cannot(&error))?)
        .stderr(log)
        .spawn()
        .map_err(|error| cannot(&error))?;
    let begin = Instant::now();
    let pid = child.id();
    let record = loop {
        if let Ok(Some(status)) = child.try_wait() {
            let said = std::fs::read_to_string(folder.log()).unwrap_or_default();
            console.err.write(&said)?;
            return Ok(if status.code() == Some(2) { Exit::Usage } else { Exit::Failed });
        }
        if let Ok(Some(record)) = folder.record()
            && Some(record.pid) == pid
        {
            break record;
        }
        if begin.elapsed() > START {
            return Err(Failure::new("it does not come up in the background")
                .note(format!("what it says is in {}", folder.log().display())));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let directory = folder.directory().display();
    if !until_done {
        console.out.write(&format!(
            "{} runs in the background (process {})\n  wattle status --dir {directory} --watch   shows how it goes on\n  wattle down {directory}   ends it\n",
            record.stack, record.pid
        ))?;
        return Ok(Exit::Fine);
    }
    let mut signals = Signals::listen()?;
    let login = target::read_key(&folder.operator_key())?.login();
    let store = target::connect(&Address::Socket(folder.socket()), &[login]).await?;
    let space = Space::new(store, &record.stack);
    let told = local::told(&folder, &wish.seed, &record);
    let session = Session { folder, seed: wish.seed.clone(), space, record, told, until_done: true, begin };
    let (_, code) = follow(&session, None, &mut signals, console).await?;
    Ok(code)
}

/// Shows how it goes on, until it is over and that is all that was asked for, or until it is told to end.
async fn follow(
    session: &Session,
    mut up: Option<&mut Up>,
    signals: &mut Signals,
    console: &mut Console,
) -> Result<(End, Exit), Failure> {
    let mut progress = Progress::new(console);
    let mut picture: Option<Picture> = None;
    // The revision whose end was told.
    let mut told = 0;
    loop {
        let now = Picture::read(&session.space, picture.as_ref()).await?;
        if picture.is_none() && !console.err.is_terminal {
            let network = if session.record.network == Network::Namespaces { " in networks of their own" } else { "" };
            progress.say(&format!("{}: {}{network}", session.record.stack, size_of(&now)), console)?;
        }
        for note in up.as_ref().map(|up| up.look_after()).unwrap_or_default() {
            progress.say(&format!("{} {note}", paint("!", Tone::Waiting, console.err.color)), console)?;
        }
        if told < now.revision() {
            progress.show(&now, console)?;
        }
        let tally = now.tally();
        let is_applied = now.goal.as_ref().is_some_and(|goal| goal.applying.is_none());
        let code = if tally.failed > 0 { Exit::Failed } else { Exit::Fine };
        if tally.is_over() && is_applied && told < now.revision() {
            told = now.revision();
            progress.show(&now, console)?;
            progress.clear();
            summary(session, &now, console).await?;
            if session.until_done {
                return Ok((End::Over, code));
            }
            progress = Progress::new(console);
        }
        picture = Some(now);
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            told = signals.next() => if told == Told::Renew {
                if let Some(up) = up.as_mut() {
                    up.reconcile()?;
                }
            } else {
                progress.clear();
                // What was seen last may be a moment old.
                let tally = Picture::read(&session.space, picture.as_ref()).await?.tally();
                let is_done = tally.done == tally.all;
                return Ok((End::Asked, if is_done || up.is_none() { Exit::Fine } else { Exit::Failed }));
            }
        }
    }
}

/// What has come out.
async fn summary(session: &Session, picture: &Picture, console: &mut Console) -> Result<(), Failure> {
    let color = console.out.color;
    let tally = picture.tally();
    let stack = paint(&picture.stack, Tone::Head, color);
    let mut text = String::new();
    let took = Span(i64::try_from(session.begin.elapsed().as_secs()).unwrap_or(i64::MAX));
    if tally.failed == 0 {
        let up = paint("is up", Tone::Good, color);
        let after = if took.0 == 0 { String::new() } else { format!(", after {took}") };
        text.extend([format!("\n{stack} {up}{after}\n")]);
        let exports = exports::exports(&session.space, &session.told, color).await;
        if !exports.is_empty() {
            text.extend([format!("\n{exports}")]);
        }
    } else {
        let what = paint(&format!("{} of {} have failed", tally.failed, tally.all), Tone::Bad, color);
        text.extend([format!("\n{stack}: {what}\n\n")]);
        let now = Timestamp::now();
        for root in roots(picture).iter().take(10) {
            text.push_str(&why::explain(root, now, color));
        }
    }
    text.extend([format!("\n{}", exports::addresses(&session.seed, &session.record.addresses, color))]);
    let logs = session.folder.state().join("servers").display().to_string();
    let hint = format!(
        "\nlogs are in {logs}/SERVER/agent.log{}\n",
        if session.until_done { "" } else { "; Ctrl-C ends it all" }
    );
    text.push_str(&paint(hint.trim_end(), Tone::Faint, color));
    text.push('\n');
    console.out.write(&text)
}

/// Ends everything that was started.
async fn end(up: Up, session: &Session, signals: &mut Signals, console: &mut Console) -> Result<(), Failure> {
    // Behind the ^C of a terminal.
    let start = if console.err.is_terminal { "\r" } else { "" };
    console.err.write(&format!("{start}{} ends ...", session.record.stack))?;
    let begin = Instant::now();
    let hurry = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hurry);
    let counting = async move {
        loop {
            signals.end().await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    };
    let forced = tokio::select! {
        forced = up.end(|| hurry.load(Ordering::Relaxed) > 0) => forced,
        () = counting => 0,
    };
    let forced = match forced {
        0 => String::new(),
        1 => ", 1 process by force".into(),
        many => format!(", {many} processes by force"),
    };
    console.err.write(&format!(" ended after {}s{forced}\n", begin.elapsed().as_secs()))
}

/// What a signal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// To end.
    End,
    /// That another seed was applied.
    Renew,
}

/// What this process is told.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    renew: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::new(format!("cannot listen to signals: {}", reason(&error))));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            renew: listen(SignalKind::user_defined1())?,
        })
    }

    /// What it is told next.
    async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.interrupt.recv() => Told::End,
            _ = self.terminate.recv() => Told::End,
            _ = self.hang_up.recv() => Told::End,
            _ = self.renew.recv() => Told::Renew,
        }
    }

    /// Ready when it is to end.
    async fn end(&mut self) {
        while self.next().await != Told::End {}
    }
}

impl From<UpError> for Failure {
    fn from(error: UpError) -> Self {
        let text = error.to_string();
        match error {
            UpError::Parameters { names, unknown } => {
                let mut failure = unknown.into_iter().fold(Self::usage(text), Self::note);
                for (name, is_secret) in &names {
                    let kind = if *is_secret { ", a secret" } else { "" };
                    failure = failure.note(format!("`{name}`{kind}"));
                }
                let flags: Vec<String> = names.keys().map(|name| format!("--parameter {name}=VALUE")).collect();
                failure = failure.help(format!("add `{}`", flags.join(" ")));
                if names.values().any(|is_secret| *is_secret) {
                    failure = failure.help("or `--generate-secrets`, which makes up secrets");
                }
                failure.help("or fill in `environment.yaml` beside the seed")
            }
            UpError::Attributes { names } => {
                let mut failure = Self::usage(text);
                for (name, server) in &names {
                    failure = failure.note(format!("`{name}`, which {server} is told"));
                }
                let flags: Vec<String> = names.keys().map(|name| format!("--attribute {name}=VALUE")).collect();
                failure.help(format!("add `{}`", flags.join(" ")))
            }
            UpError::Seed(error) => error.into(),
            UpError::Space(error) => error.into(),
            UpError::Network { .. } => Self::new(text).help("`--network loopback` does without"),
            UpError::File { path, source } => {
                Self::new(format!("cannot use `{}`: {}", path.display(), reason(&source)))
            }
            _ => Self::new(text),
        }
    }
}
