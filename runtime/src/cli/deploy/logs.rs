//! `wattle logs --console`: the console output of a server in the cloud, for as long as no agent reports for it.

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;
use wattle::model::Name;
use wattle::names::{meant, some};
use wattle::shown::on_terminal;
use wattle_openstack::Method;
use wattle_openstack::session::Call;

use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure};
use crate::cli::{args, target};

use super::display::SERVER;
use super::site::Site;
use super::{cloud, software};

/// Where the logs of agents are. No other machine can read them.
const ELSEWHERE: &str = "the log of an agent is on its server, in `journalctl -u wattle-agent`; with `wattle up` it is \
                         in `DIR/.wattle/servers/SERVER/agent.log`; `wattle status --why` shows the last words of what \
                         failed";

pub(in crate::cli) fn command() -> Command {
    Command::new("logs")
        .about("Show what a deployed server has written to its console")
        .arg(Arg::new("server").value_name("SERVER").required(true).help("Name of the server in the blueprint"))
        .arg(args::flag("console", "Show the console, for a server that boots and has no agent yet"))
        .arg(
            Arg::new("lines")
                .long("lines")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("100")
                .help("Show at most the last N lines"),
        )
        .arg(cloud::argument())
        .args(args::target())
        .after_help(args::section(&[("Other logs", &format!("  {}", ELSEWHERE.replace("; ", ";\n  ")))]))
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let server = matches.get_one::<String>("server").expect("INVARIANT: it is required");
    if !matches.get_flag("console") {
        return Err(Failure::usage("only a server's console can be read from here")
            .help(format!("`wattle logs {} --console` shows it", wattle::shown::argument(server)))
            .help(ELSEWHERE));
    }
    let target = target::find(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let session = cloud::session(matches, console).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session.clone()).await?;
    let things = site.deployment.things(SERVER).await?;
    let is_meant = |name: &Name| **name == **server || *software::own(name) == **server;
    let Some((_, phys)) = things.iter().find(|(name, _)| is_meant(name)) else {
        let failure = match things.len() {
            0 => Failure::new(format!("no server of `{stack}` is deployed")),
            _ => Failure::new(format!("no server `{server}` of `{stack}` is deployed"))
                .note(format!("there is {}", some(things.keys().map(|name| &**name), 10))),
        };
        return Err(failure.help_if(meant(server, things.keys().map(|name| &**name))));
    };
    let lines = matches.get_one::<u32>("lines").copied().unwrap_or_default();
    let call = Call::new("compute", Method::Post, format!("/servers/{phys}/action"));
    let asked = session.call(call.body(json!({ "os-getConsoleOutput": { "length": lines } })));
    let answer = cloud::answered(&session, console, asked).await?.map_err(cloud::of_fault)?;
    let text = answer["output"].as_str().unwrap_or_default();
    if text.trim().is_empty() {
        console.err.write(&format!("`{server}` has written nothing to its console\n"))?;
        return Ok(Exit::Fine);
    }
    // A serial console ends lines as a terminal does.
    let text = on_terminal(&text.replace("\r\n", "\n"), console.out.color);
    console.out.write(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Fine)
}
