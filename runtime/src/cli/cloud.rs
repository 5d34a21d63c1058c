//! `wattle cloud`: a simulated cloud for trying out `wattle deploy`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use clap::builder::{PossibleValuesParser, StyledStr};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use wattle::manners::{read, reason};
use wattle::shown;
use wattle_cloud::{Rule, Setting, services};

use crate::local::{Boot, UpError, write_whole};
use crate::openstack::Simulated;

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit};
use super::signals::Signals;
use super::up::on_this_machine;

pub(super) fn command() -> Command {
    Command::new("cloud")
        .about("Serve a simulated OpenStack cloud on which to try `deploy`")
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:5000")
                .value_parser(value_parser!(SocketAddr))
                .help("Address to listen on; port 0 chooses a free port"),
        )
        .arg(
            Arg::new("clouds")
                .long("clouds")
                .value_name("FILE")
                .default_value("clouds.yaml")
                .value_parser(value_parser!(PathBuf))
                .help("File to write the login to; OpenStack's clients read ./clouds.yaml"),
        )
        .arg(
            Arg::new("takes")
                .long("takes")
                .value_name("TIME")
                .default_value("2s")
                .value_parser(args::duration)
                .help("How long it takes to create or delete a server or a volume"),
        )
        .arg(
            Arg::new("quota")
                .long("quota")
                .value_name("N")
                .value_parser(args::number(0, u64::MAX))
                .help("Maximum number of servers, of ports and of volumes"),
        )
        .arg(
            Arg::new("fault")
                .long("fault")
                .value_name("RULE")
                .value_parser(Rule::from_str)
                .action(ArgAction::Append)
                .help(
                    "Make requests go wrong, such as 'POST /servers: lost reply'; each rule applies once, or as often \
                     as it says",
                ),
        )
        .arg(
            Arg::new("token")
                .long("token")
                .value_name("TIME")
                .default_value("1h")
                .value_parser(args::duration)
                .help("How long a token is valid"),
        )
        .arg(
            Arg::new("without")
                .long("without")
                .value_name("SERVICE")
                .value_parser(PossibleValuesParser::new(services()))
                .action(ArgAction::Append)
                .help("Service to leave out of the catalogue"),
        )
        .arg(args::flag("admin", "Make its user an administrator, who sees its hosts and may name them"))
        .arg(args::flag("boot", "Run an agent for each server, as a process on this machine"))
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .requires("boot")
                .help("Folder for the servers' folders, which then stay when it ends. Defaults to a temporary folder"),
        )
        .after_help(help())
}

/// The help on the options, with an example.
fn help() -> StyledStr {
    args::section(&[
        (
            "Example",
            "  wattle cloud --boot &
  wattle deploy out/shop --cloud simulated --space zookeeper://127.0.0.1:2181

  Whatever is created there is gone when it ends. The data space is a ZooKeeper that runs already:
  for example, Debian's package `zookeeperd` starts one at that address.",
        ),
        (
            "Servers",
            "  Without `--boot`, servers exist only in the cloud's answers. With it, each server is a folder and
  an agent, which does what the server's user data asks for: recipes run on this machine, as with
  `wattle up`. Whatever a server has started ends when it is deleted, rebuilt or stopped. Ports and
  floating IPs get addresses within 127.0.0.0/8, whatever their subnets are, unless the template
  chooses them. Security groups and routers block nothing.",
        ),
        (
            "Hosts",
            "  It has five hosts in three racks and two availability zones, and one of them is disabled. With
  `--admin`, `wattle hosts` reads them, and templates may name them. A host takes any number of
  servers, and a server group separates its members only as long as there are hosts.",
        ),
        (
            "Faults",
            "  A rule says which requests go wrong and how: `[METHOD] PATH: WHAT`. PATH is a part of their paths.

  lost request        It never arrives
  lost reply          It is carried out, but the reply is lost
  late by 30s         It is carried out that much later, and the reply is lost
  409, 429, 500, ...  It is refused; `503 retry after 5s` also says when to try again
  quota               It is refused because it exceeds the quota
  ERROR               What it creates is broken
  fails later         It is accepted but never takes effect; only for requests to a server
                      (`/os-interface`, `/os-volume_attachments` and `POST /action`)
  vanishes after 30s  What it creates is gone after that time

  A rule applies to the next such request; `, 3 times` or `, always` say to how many,
  and `, after 2` how many are let through first.

  wattle cloud --fault 'POST /servers: lost reply' --fault '/ports: 503 retry after 2s, 5 times'",
        ),
    ])
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let address = *matches.get_one::<SocketAddr>("listen").expect("INVARIANT: it has a default");
    let file = matches.get_one::<PathBuf>("clouds").expect("INVARIANT: it has a default");
    if file.exists() && !read(file).is_ok_and(|text| text.starts_with(MADE)) {
        return Err(CommandError::usage(format!("the file `{}` already exists", file.display()))
            .help(format!("choose another one with `--clouds FILE`, and set `OS_CLIENT_CONFIG_FILE={}`", "FILE")));
    }
    if !address.ip().is_loopback() {
        return Err(CommandError::usage(format!("`{address}` is not an address of this machine alone"))
            .note("anyone who can reach a simulated cloud can use it")
            .help("give a loopback address: `--listen 127.0.0.1:5000`"));
    }
    let refuse = |error: std::io::Error| {
        CommandError::new(format!("cannot listen on {address}: {}", reason(&error)))
            .help("choose a free port with `--listen 127.0.0.1:0`")
    };
    let mut signals = Signals::listen()?;
    let listener = std::net::TcpListener::bind(address).map_err(refuse)?;
    let takes = *matches.get_one::<Duration>("takes").expect("INVARIANT: it has a default");
    let quota = matches.get_one::<u64>("quota").map(|quota| usize::try_from(*quota).unwrap_or(usize::MAX));
    let boot = if matches.get_flag("boot") { Some(boot(matches).await?) } else { None };
    let addresses = boot.as_ref().map(Boot::addresses);
    let token = *matches.get_one::<Duration>("token").expect("INVARIANT: it has a default");
    let lacks = matches.get_many::<String>("without").unwrap_or_default().cloned().collect();
    // The ids are unique to this cloud, so that clouds cannot be confused.
    let is_admin = matches.get_flag("admin");
    let setting = Setting { number: number(), takes, quota, addresses, token, lacks, is_admin, ..Setting::default() };
    let clouds = |url: &str| {
        let Setting { user, password, project, .. } = &setting;
        format!(
            "{MADE}clouds:\n  simulated:\n    auth:\n      auth_url: {url}\n      username: {user}\n      password: {password}\n      \
             project_name: {project}\n      user_domain_id: default\n      project_domain_id: default\n"
        )
    };
    let (cloud, serving) = Simulated::serve(listener, setting.clone()).map_err(refuse)?;
    matches.get_many::<Rule>("fault").unwrap_or_default().for_each(|rule| cloud.world().befall(rule.clone()));
    write_whole(file, clouds(&cloud.auth_url()).as_bytes(), 0o600)
        .map_err(|error| CommandError::new(format!("cannot write `{}`: {}", file.display(), reason(&error))))?;
    if boot.is_some() {
        console.err.write(&format!("{}\n", on_this_machine()))?;
    }
    console.out.write(&format!(
        "a cloud is at {}, and {} says how to log in: `--cloud simulated`\nCtrl-C ends it and everything in it\n",
        cloud.auth_url(),
        shown::path(file.display())
    ))?;
    let Some(mut boot) = boot else {
        tokio::select! {
            never = serving => match never {},
            () = signals.end() => {}
        }
        let _ = std::fs::remove_file(file);
        return Ok(Exit::Fine);
    };
    let kept = tokio::select! {
        never = serving => match never {},
        kept = keep(&cloud, &mut boot, console) => kept,
        () = signals.end() => Ok(()),
    };
    let _ = std::fs::remove_file(file);
    let ended = end(boot, signals, console).await;
    kept.and(ended)
}

/// A number unique to this cloud.
fn number() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("INVARIANT: the system has random numbers once it has booted");
    u64::from_le_bytes(bytes)
}

/// Reconciles the servers with the cloud, and reports changes.
async fn keep(cloud: &Simulated, boot: &mut Boot, console: &mut Console) -> Result<(), CommandError> {
    loop {
        let notes = {
            let mut world = cloud.world();
            world.pass(SystemTime::now());
            boot.follow(&world)
        };
        for note in notes {
            console.err.write(&format!("{note}\n"))?;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Starts the runtime of the servers' agents.
async fn boot(matches: &ArgMatches) -> Result<Boot, CommandError> {
    let program =
        std::env::current_exe().map_err(|error| CommandError::new(format!("who am I? {}", reason(&error))))?;
    Boot::start(matches.get_one::<PathBuf>("state").map(PathBuf::as_path), program).await.map_err(|error| match error {
        UpError::File { .. } => CommandError::usage(error.to_string()),
        other => other.into(),
    })
}

/// Ends everything that was started. A second signal kills it at once.
async fn end(boot: Boot, mut signals: Signals, console: &mut Console) -> Result<Exit, CommandError> {
    let hurry = AtomicUsize::new(0);
    let counting = async {
        loop {
            signals.end().await;
            hurry.fetch_add(1, Ordering::Relaxed);
        }
    };
    let forced = tokio::select! {
        forced = boot.end(|| hurry.load(Ordering::Relaxed) > 0) => forced,
        () = counting => 0,
    };
    let forced = match forced {
        0 => String::new(),
        1 => ", 1 process by force".into(),
        many => format!(", {many} processes by force"),
    };
    console.err.write(&format!("all servers have been stopped{forced}\n"))?;
    Ok(Exit::Fine)
}

/// How often to check for new and deleted servers.
const LOOK: Duration = Duration::from_millis(200);

/// The first line of the file, by which it is recognized.
const MADE: &str = "# Written by `wattle cloud`, and removed when that ends.\n";
