//! `wattle logs`: shows the log of a server's agent, about one component or about all of them, wherever the server is.

use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use wattle::model::Name;
use wattle::names::{list, meant, some};
use wattle::shown::argument;
use wattle_agent_core::time::Time;

use crate::clock;
use crate::seed::{LogRequested, ask_for_log, ask_no_more};
use crate::space::{Answered, Ask, Log, OperatorKey, Space, SpaceError};

use super::console::Console;
use super::deploy::{boot_log, cloud};
use super::entries::{one_line, tidy};
use super::error::{CommandError, Exit};
use super::log::plain;
use super::signals::Signals;
use super::{args, target};

/// How long a request is valid. The server's clock may be off by this, less the interval between two requests.
const STANDS: Duration = Duration::from_mins(1);

/// How often a request is renewed.
const RENEW: Duration = Duration::from_secs(5);

/// How long an agent may take to respond.
const PATIENCE: Duration = Duration::from_secs(6);

/// How long to wait before reading again.
const AGAIN: Duration = Duration::from_millis(500);

/// How long withdrawing the request may take. It also expires by itself.
const LAST: Duration = Duration::from_secs(2);

/// How to read the whole log.
const WHOLE: &str = "the whole log is on the server, in `journalctl -u wattle-agent`; with `wattle up` it is in \
                     `DIR/.wattle/servers/SERVER/agent.log`";

pub(super) fn command() -> Command {
    Command::new("logs")
        .about("Show what a server's agent logs, about one component or all, or the console of a server")
        .arg(
            Arg::new("of")
                .value_name("SERVER[/COMPONENT]")
                .required(true)
                .help("Server in the blueprint, and a component on it; without a component, all that its agent logs"),
        )
        .arg(args::flag("follow", "Show further lines as they come, until Ctrl-C").short('f'))
        .arg(args::flag("console", "Show the console output of a server in the cloud").conflicts_with("follow"))
        .arg(
            Arg::new("lines")
                .long("lines")
                .value_name("N")
                .value_parser(args::number(1, u64::MAX))
                .default_value("100")
                .help("Show at most the last N lines"),
        )
        .arg(cloud::argument())
        .args(args::target())
        .after_help(args::section(&[
            (
                "What is shown",
                "  The last lines, of 8 KiB at most, since the agent began. The agent writes them to the data space
  while this command asks for them, encrypted for the operator, and masks secrets as in its own log.
  Lines that come faster than the agent passes them on are left out, and counted.",
            ),
            (
                "Other logs",
                &format!(
                    "  {};\n  `wattle status --why` shows the last lines of what failed",
                    WHOLE.replace("; ", ";\n  ")
                ),
            ),
        ]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let of = tidy(matches.get_one::<String>("of").expect("INVARIANT: it is required"));
    let lines = matches.get_one::<u64>("lines").map_or(0, |lines| usize::try_from(*lines).unwrap_or(usize::MAX));
    if matches.get_flag("console") {
        return boot_log::run(of, lines, matches, console).await;
    }
    let target = target::find(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let (server, component) = target::patiently(&target.address, console, find(&space, of)).await?;
    let ask = Ask::new(component, &key, Time::EPOCH);
    let mut reading = Reading { of: of.into(), space, key, server, ask, follows: matches.get_flag("follow"), lines };
    let mut signals = Signals::listen()?;
    let shown = tokio::select! {
        shown = reading.show(console) => shown,
        () = signals.end() => Ok(Exit::Fine),
    };
    let _ = timeout(LAST, reading.end()).await;
    shown
}

/// The server and the component that `of` names.
async fn find(space: &Space, of: &str) -> Result<(Name, Option<Name>), CommandError> {
    let (server, component) = of.split_once('/').map_or((of, None), |(server, part)| (server, Some(part)));
    let stack = space.layout().stack();
    // An unknown name never becomes a path.
    let servers = space.store().children(&space.layout().servers()).await?;
    let plan = if servers.iter().any(|known| *known == server) { space.plan(server).await? } else { None };
    let Some(plan) = plan.filter(|plan| !plan.retired) else {
        return Err(CommandError::usage(format!("the stack `{stack}` has no server `{server}`"))
            .help_if(meant(server, servers.iter().map(String::as_str)))
            .note(format!("it has {}", some(servers.iter().map(String::as_str), 6))));
    };
    if let Some(component) = component.filter(|component| !plan.components.contains_key(*component)) {
        let known = || plan.components.keys().map(|name| &**name);
        return Err(CommandError::usage(format!("the server `{server}` has no component `{component}`"))
            .help_if(meant(component, known()))
            .note(format!(
                "it has {}",
                if plan.components.is_empty() { "none".to_owned() } else { list(known(), "and") }
            )));
    }
    Ok((server.into(), component.map(|_| of.into())))
}

/// The state of reading a log.
struct Reading {
    of: Name,
    space: Space,
    key: OperatorKey,
    server: Name,
    ask: Ask,
    follows: bool,
    /// The maximum number of lines at the start.
    lines: usize,
}

/// The part of a log that has been shown.
#[derive(Debug, Default)]
struct Shown {
    since: Option<Time>,
    /// The number of lines.
    count: u64,
}

impl Reading {
    /// Requests the log, and shows the responses.
    async fn show(&mut self, console: &mut Console) -> Result<Exit, CommandError> {
        let (mut seen, mut shown, mut odd) = (None, Shown::default(), None);
        let opener = self.key.opener();
        let patient = Instant::now() + PATIENCE;
        let mut is_waiting = true;
        loop {
            // The server may have a new key since the last time, and its agent another place.
            self.renew().await?;
            self.space.plan(&self.server).await?;
            let place = self.space.place(&self.server).await?;
            let renew = Instant::now() + RENEW;
            loop {
                let heard = tokio::select! {
                    heard = self.space.answered(&place, (&self.ask, &opener), seen) => heard?,
                    () = sleep_until(patient), if is_waiting => {
                        is_waiting = false;
                        let failure = self.unanswered(odd.as_ref()).await?;
                        if !self.follows {
                            return Err(failure);
                        }
                        let text = wattle::view::failure(&failure.message, &failure.notes, &failure.help, &console.err.options());
                        console.err.write(&format!("{text}waiting for `{}`, until Ctrl-C\n", self.server))?;
                        continue;
                    }
                    () = sleep_until(renew) => break,
                };
                let Answered { version, log } = heard;
                let log = match log {
                    Ok(Some(log)) => log,
                    Ok(None) => {
                        seen = version;
                        continue;
                    }
                    // Only the server itself can have written it.
                    Err(error @ SpaceError::Malformed { .. }) => return Err(CommandError::from(error).help(WHOLE)),
                    Err(error) => {
                        odd = Some(error);
                        seen = version;
                        sleep(AGAIN).await;
                        continue;
                    }
                };
                (seen, is_waiting, odd) = (version, false, None);
                if !self.print(&mut shown, &log, console)? || !self.follows {
                    return Ok(Exit::Fine);
                }
                // Limits the rate, however often the server writes.
                sleep(AGAIN).await;
            }
        }
    }

    /// Prints the new lines of `log`. Returns whether the output still has a reader.
    fn print(&self, shown: &mut Shown, log: &Log, console: &mut Console) -> Result<bool, CommandError> {
        let is_first = shown.since.is_none();
        let mut text = String::new();
        for line in shown.news(log, self.lines) {
            text += &format!("{}\n", plain(&line));
        }
        if text.is_empty() && is_first && !self.follows {
            let since = format!("nothing is logged about `{}` since its agent began at {:.0}\n", self.of, log.since);
            console.err.write(&since)?;
        }
        console.out.try_write(&text)
    }

    async fn renew(&mut self) -> Result<(), CommandError> {
        self.ask.until = clock::now() + STANDS;
        let (stack, server) = (self.space.layout().stack(), &self.server);
        match ask_for_log(self.space.store(), stack, &self.key, server, &self.ask).await? {
            LogRequested::Asked => Ok(()),
            LogRequested::Full => {
                Err(CommandError::new(format!("too many commands read the log of `{server}` at the same time"))
                    .help("end another `wattle logs`; one that was killed counts for a minute"))
            }
            LogRequested::Nobody => Err(CommandError::new(format!("`{server}` cannot be asked for its log"))
                .note("it has left the model, or an earlier version of wattle has applied the seed")
                .help(WHOLE)),
        }
    }

    async fn end(&self) {
        let stack = self.space.layout().stack();
        // The request also expires by itself.
        let _ = ask_no_more(self.space.store(), stack, &self.key, &self.server, &self.ask.id).await;
    }

    /// Why there is no response. `odd` is the error about an invalid one.
    async fn unanswered(&self, odd: Option<&SpaceError>) -> Result<CommandError, CommandError> {
        let server = &self.server;
        let failure = match self.space.alive(server).await {
            Ok(None) => CommandError::new(format!("no agent acts for `{server}`: it has not started, or has ended"))
                .help("`wattle status` shows what is known of it")
                .help(format!("`wattle logs {} --console` shows the console of a server that boots", argument(server))),
            Ok(Some(agent)) if !agent.logs => CommandError::new(format!(
                "the agent of `{server}` is of an earlier version of wattle ({}), which does not pass on its log",
                one_line(&agent.version)
            )),
            Ok(Some(agent)) => {
                let host = one_line(&agent.host);
                CommandError::new(format!("the agent of `{server}` does not answer"))
                    .note(format!("it is process {} on host `{host}`, since {:.0}", agent.pid, agent.since))
                    .help("it may be cut off from the data space, or the clock of its server may be wrong")
            }
            Err(error @ (SpaceError::Malformed { .. } | SpaceError::Untrusted { .. })) => {
                CommandError::new(format!("`{server}` does not answer")).note(error.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        let failure = odd.into_iter().fold(failure, |failure, odd| failure.note(odd.to_string()));
        Ok(failure.help(WHOLE))
    }
}

impl Shown {
    /// The lines of `log` that have not been shown: at most `first` the first time.
    fn news(&mut self, log: &Log, first: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let all = log.lines.len();
        let skipped = if self.since == Some(log.since) {
            let missing = log.before.saturating_sub(self.count);
            if missing > 0 {
                let are = if missing == 1 { "line is" } else { "lines are" };
                lines.push(format!("… {missing} {are} left out here: they came faster than they are passed on"));
            }
            usize::try_from(self.count.saturating_sub(log.before)).unwrap_or(all).min(all)
        } else if self.since.is_some() {
            lines.push(format!("… the agent has begun again, at {:.0}", log.since));
            0
        } else {
            all.saturating_sub(first)
        };
        lines.extend(log.lines[skipped..].iter().cloned());
        *self = Self { since: Some(log.since), count: log.before.saturating_add(all as u64) };
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(since: u64, before: u64, lines: &[&str]) -> Log {
        Log { since: Time::from_secs(since), before, lines: lines.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn each_line_is_shown_once_and_what_is_missing_is_counted() {
        let mut shown = Shown::default();
        assert_eq!(shown.news(&log(1, 7, &["a", "b", "c"]), 2), ["b", "c"]);
        assert_eq!(shown.news(&log(1, 7, &["a", "b", "c"]), 2), [""; 0]);
        assert_eq!(shown.news(&log(1, 8, &["b", "c", "d", "e"]), 2), ["d", "e"]);
        let after = shown.news(&log(1, 15, &["p"]), 2);
        assert!(after[0].starts_with("… 3 lines are left out here"), "{after:?}");
        assert_eq!(after[1..], ["p"]);
        let again = shown.news(&log(2, 0, &["a"]), 2);
        assert!(again[0].starts_with("… the agent has begun again"), "{again:?}");
        assert_eq!(again[1..], ["a"]);
        // Whatever a server sends.
        assert_eq!(shown.news(&log(2, u64::MAX, &["x"]), 2).len(), 2);
        assert_eq!(shown.news(&log(2, 0, &["y"]), 2), [""; 0]);
    }
}
