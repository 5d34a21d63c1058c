//! `wattle status`: shows the state of a stack.

use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::json;
use wattle::diagram::State as Shown;
use wattle_agent_core::time::Time;

use crate::clock;
use crate::deploy::Onlooker;
use crate::local::{self, Folder};
use crate::report::{
    Building, Condition, FEW, Infrastructure, StackSnapshot, Standing, Stands, between, json_of_condition,
    json_of_root, json_of_tally, roots, silent, still_runs,
};
use crate::space::{Revision, State, Status, Waiting};
use crate::ui::Ui;

use super::console::{Console, size};
use super::entries::one_line;
use super::error::{CommandError, Exit, exit_codes};
use super::paint::{self, Cell, Tone, cut, paint, said, table, width};
use super::signals::Signals;
use super::{args, ls, target, timeline, ui, why};
use wattle::names::{count, some};
use wattle::shown::{argument, on_terminal, option};

/// How often to refresh.
const PAUSE: Duration = Duration::from_secs(1);
/// The largest width of the name of a component that leaves, in columns. Its server chooses that name.
const NAME: usize = 36;

pub(super) fn command() -> Command {
    Command::new("status")
        .about("Show how servers and components are doing, and what they wait for")
        .arg(args::flag("watch", "Keep showing it until everything is done, or until Ctrl-C"))
        .arg(args::flag("why", "Show the root cause of whatever is stuck"))
        .arg(args::flag("timeline", "Draw a timeline of what waited and ran, and its critical path"))
        .arg(ui::option().conflicts_with_all(["watch", "why", "timeline"]))
        .arg(args::format(&["plain", "json"]))
        .arg(args::directory())
        .arg(args::directory_as_option())
        .args(args::data_space())
        .after_help(args::section(&[(
            "Exit codes",
            &exit_codes(&[
                (Exit::Fine, "everything is done or in progress"),
                (Exit::Failed, "something has failed, or the data space does not answer"),
                (Exit::Usage, "wrong usage"),
            ]),
        )]))
}

/// The infrastructure, or why its state is unknown.
type Built = Result<Option<Arc<Infrastructure>>, String>;

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let listening = ui::listen(matches).await?;
    let target = target::find(matches, console)?;
    let space = target.space(console).await?;
    if let Some(listening) = listening {
        let view = ui::show(listening, &space, target.key().ok(), target.folder.as_ref(), None, console)?;
        return serve(view, target.folder.as_ref(), console).await;
    }
    let is_watching = matches.get_flag("watch");
    let mut before: Option<StackSnapshot> = None;
    let mut shown: Option<(String, Time)> = None;
    let is_redrawn = is_watching && console.out.is_terminal && !args::is_json(matches);
    let (color, is_terminal) = (console.out.color, console.out.is_terminal);
    let key = target.key().ok();
    let newer = |snapshot: &StackSnapshot| {
        let newest = key.as_ref()?.newest_of(&snapshot.stack)?;
        (snapshot.desired.is_some() && newest > snapshot.of()).then_some(newest)
    };
    let mut stands = Stands::default();
    let mut building =
        Building::new(Onlooker::new(space.store(), space.layout().stack(), target.key().ok().map(ui::opens)));
    let render = |snapshot: &StackSnapshot, built: &Built, stands: &Stands, now: Time| {
        if args::is_json(matches) {
            let newer = newer(snapshot);
            let mut snapshot = json(snapshot, built, stands, now);
            if let Some(newer) = newer {
                snapshot["newer"] = json!(newer);
            }
            return if is_watching { format!("{snapshot}\n") } else { format!("{snapshot:#}\n") };
        }
        let mut text = show(snapshot, stands, now, color, width(is_terminal));
        if let Err(why) = built {
            text.extend([format!("{} infrastructure: {why}\n", paint("!", Tone::Bad, color))]);
        }
        if let Ok(Some(built)) = built {
            let tone = if built.wrong().next().is_some() { Tone::Bad } else { Tone::Plain };
            text.extend([format!("infrastructure: {}\n", paint(&built.in_one_line(), tone, color))]);
            if let Some(line) = silent(snapshot, built, now) {
                text.extend([format!("{} {line}\n", paint("!", Tone::Bad, color))]);
            }
        }
        if let Some(newer) = newer(snapshot) {
            text.extend([format!("{} {}\n", paint("!", Tone::Bad, color), put_back(snapshot, &newer))]);
        }
        if matches.get_flag("why") {
            text.push('\n');
            text.push_str(&why::why(snapshot, now, color));
        }
        if matches.get_flag("timeline") {
            text.push('\n');
            text.push_str(&timeline::timeline(snapshot, now, color, width(is_terminal).min(timeline::WIDTH)));
        }
        text
    };
    loop {
        let snapshot =
            target::patiently(&target.address, console, StackSnapshot::read(&space, before.as_ref())).await?;
        // Show the software even if the infrastructure cannot be read.
        let look = async {
            match building.look().await {
                Err(error) if error.is_of_what_stands_there() => Ok(Err(error.to_string())),
                looked => looked.map(Ok),
            }
        };
        let built: &Built = &target::patiently(&target.address, console, look).await?;
        // Without a terminal, time alone is not worth a line.
        stands.look(&space, &snapshot).await;
        let is_new =
            is_redrawn || shown.as_ref().is_none_or(|(text, then)| render(&snapshot, built, &stands, *then) != *text);
        if is_new {
            let now = clock::now();
            let text = render(&snapshot, built, &stands, now);
            let goes_on = if is_redrawn {
                console.out.put(&redraw(&on_terminal(&text, color)))
            } else {
                console.out.try_write(&text)
            };
            if !goes_on? {
                return Ok(Exit::Fine);
            }
            shown = Some((text, now));
        }
        let tally = snapshot.tally();
        if !is_watching || (tally.is_over() && tally.all > 0) {
            let has_failed = tally.has_failed()
                || built.as_ref().map_or(true, |built| built.as_ref().is_some_and(|built| built.tally.failed > 0));
            return Ok(if has_failed { Exit::Failed } else { Exit::Fine });
        }
        before = Some(snapshot);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Serves the view to browsers, until Ctrl-C or until the `up` that it belongs to has ended.
async fn serve(view: Ui, folder: Option<&Folder>, console: &mut Console) -> Result<Exit, CommandError> {
    let gone = async {
        match folder {
            Some(folder) => local::gone(folder).await,
            None => std::future::pending().await,
        }
    };
    let mut signals = Signals::listen()?;
    console.err.write("Ctrl-C ends it\n")?;
    let is_gone = tokio::select! {
        () = signals.end() => false,
        () = gone => true,
    };
    view.end(if is_gone { "what was up has ended" } else { "`wattle status --ui` was stopped" }).await;
    if is_gone {
        console.err.write("what was up has ended\n")?;
    }
    Ok(Exit::Fine)
}

/// Redraws from the top of the screen. Clears the rest of each line and everything below, to avoid flicker, and omits
/// what does not fit, to avoid scrolling.
fn redraw(text: &str) -> String {
    let (height, width) = size();
    let rows = |line: &str| paint::columns(line).div_ceil(width).max(1);
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.iter().map(|line| rows(line)).sum::<usize>() >= height {
        let mut room = height.saturating_sub(2);
        let has_room = |line: &&&str| room.checked_sub(rows(line)).map(|left| room = left).is_some();
        lines.truncate(lines.iter().take_while(has_room).count());
        lines.push("...");
    }
    format!("\x1b[H{}\x1b[K\n\x1b[J", lines.join("\x1b[K\n"))
}

/// The stack in one line.
pub(super) fn headline(snapshot: &StackSnapshot, color: bool) -> String {
    let tally = snapshot.tally();
    let stack = paint(&snapshot.stack, Tone::Head, color);
    let Some(desired) = &snapshot.desired else { return format!("{stack}  no seed has been applied yet\n") };
    let mut parts = vec![format!("{} of {} done", tally.done, count(tally.all, "component"))];
    let of = |number, state: Shown| (number, state.word(), Tone::of(state));
    for (number, word, tone) in [
        of(tally.running, Shown::Running),
        of(tally.waiting, Shown::Waiting),
        of(tally.failed, Shown::Failed),
        of(tally.blocked, Shown::Blocked),
        (tally.leaving, "leaving", Tone::Busy),
        (tally.left_over, "not torn down", Tone::Bad),
    ] {
        if number > 0 {
            parts.push(paint(&format!("{number} {word}"), tone, color));
        }
    }
    let mut line = format!("{stack}  revision {}: {}\n", desired.revision, parts.join(", "));
    if let Some(applying) = desired.applying {
        line.extend([format!("revision {applying} is being applied\n")]);
    }
    line
}

fn show(snapshot: &StackSnapshot, stands: &Stands, now: Time, color: bool, width: usize) -> String {
    let (mut rows, mut lists): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = (Vec::new(), Vec::new());
    let head = |text: &str| (text.to_owned(), Tone::Faint);
    let has_hosts = snapshot.servers.keys().any(|server| stands.host(server).is_some());
    let columns = ["SERVER", "HOST", "AGENT", "COMPONENT", "STATE", "SINCE", ""];
    rows.push(columns.into_iter().filter(|column| has_hosts || *column != "HOST").map(head).collect());
    for (server, standing) in &snapshot.servers {
        let mut first = vec![(server.to_string(), Tone::Head)];
        first.extend(has_hosts.then(|| match stands.host(server) {
            Some(host) => (host.to_owned(), Tone::Plain),
            None => ("-".to_owned(), Tone::Faint),
        }));
        first.push(agent(standing, now));
        let next = || vec![(String::new(), Tone::Plain); 2 + usize::from(has_hosts)];
        for name in standing.components.keys() {
            let Some(part) = snapshot.find(&format!("{server}/{name}")) else { continue };
            let mut row = std::mem::replace(&mut first, next());
            row.push((name.to_string(), Tone::Plain));
            row.push(match part.condition {
                Condition::Said(status) if standing.alive.is_none() && status.state == State::Running => {
                    ("stopped".into(), Tone::Waiting)
                }
                condition => ls::state(condition),
            });
            if let Condition::Said(status) = part.condition {
                row.push((between(status.since, now), Tone::Plain));
                row.push(detail(status));
            }
            rows.push(row);
        }
        if standing.components.is_empty() {
            rows.push(first);
        }
        // Servers report these counts themselves.
        let mut first = next();
        first[0] = (server.to_string(), Tone::Head);
        for leaving in standing.some_leaving() {
            let mut row = std::mem::replace(&mut first, next());
            let name = leaving.component.rsplit_once('/').map_or(&*leaving.component, |(_, name)| name);
            row.push((cut(name, NAME), Tone::Plain));
            row.push(match &leaving.failure {
                None => ("leaving".into(), Tone::Busy),
                Some(_) => ("not torn down".into(), Tone::Bad),
            });
            row.push((between(leaving.since, now), Tone::Plain));
            row.extend(leaving.failure.iter().map(|failure| (said(&failure.message), Tone::Bad)));
            lists.push(row);
        }
        if standing.more_leaving() > 0 {
            let mut row = next();
            row.push((format!("and {} more", standing.more_leaving()), Tone::Faint));
            lists.push(row);
        }
    }
    rows.extend(lists);
    let mut text = format!("{}\n{}", headline(snapshot, color), table(&rows, color, width));
    for line in admission(snapshot) {
        text.extend([format!("{} {line}\n", paint("!", Tone::Waiting, color))]);
    }
    for finishing in snapshot.servers.values().flat_map(|standing| standing.finishing.iter().take(FEW)) {
        text.extend([format!("{} {}\n", paint("!", Tone::Waiting, color), said(&still_runs(finishing, now)))]);
    }
    for (server, standing) in &snapshot.servers {
        for trouble in standing.some_troubles() {
            text.extend([format!("{} {server}: {}\n", paint("!", Tone::Waiting, color), said(&trouble))]);
        }
    }
    text
}

/// The message that the present revision is not the newest that has existed.
fn put_back(snapshot: &StackSnapshot, newer: &Revision) -> String {
    one_line(&format!(
        "this is {}, and this operator knows of {newer}: someone has put back an earlier state, or the store has lost \
         what came after it; `wattle seed diff DIR` names the command that continues from here",
        snapshot.of()
    ))
}

/// Advice on the servers' identities.
fn admission(snapshot: &StackSnapshot) -> Vec<String> {
    let stack = option("--stack", &*snapshot.stack);
    let on_credentials = &snapshot.admission.on_credentials;
    let mut lines = Vec::new();
    if !on_credentials.is_empty() {
        let (live, whose) = if on_credentials.len() == 1 { ("uses", "its") } else { ("use", "their") };
        lines.push(format!(
            "{} still {live} the credential of {whose} user data: `wattle seed admit --wait {stack}` ends that",
            some(on_credentials.iter().map(|name| &**name), 3),
        ));
    }
    lines.extend(snapshot.admission.others.iter().map(|other| {
        format!(
            "{}: a second server has come with the credential of its user data, at {:.0}, and its key is {}. If {} was \
             rebuilt, and the log of its agent names that key, `wattle seed admit {} --fingerprint {} {stack}` admits \
             it, and everything on it runs again; if not, someone else has that credential",
            other.server,
            other.since,
            other.key,
            other.server,
            argument(&*other.server),
            other.key,
        )
    }));
    lines
}

fn agent(standing: &Standing, now: Time) -> Cell {
    match &standing.alive {
        Some(alive) => (format!("up {}", between(alive.since, now)), Tone::Good),
        None if standing.was_heard => ("gone".into(), Tone::Bad),
        None => ("not started".into(), Tone::Faint),
    }
}

/// What a component waits for, or how it ended.
pub(super) fn detail(status: &Status) -> Cell {
    match &status.state {
        State::Waiting(waits) => (format!("for {}", waits_for(waits)), Tone::Plain),
        State::Failed(failure) if failure.through.is_empty() => (said(&failure.message), Tone::Bad),
        State::Failed(failure) => (format!("because {} failed", failure.component), Tone::Plain),
        State::Running | State::Done => (String::new(), Tone::Plain),
    }
}

/// The awaited entries, with a few names.
pub(super) fn waits_for(waits: &[Waiting]) -> String {
    let shown: Vec<String> = waits.iter().take(3).map(|wait| one_line(&wait.what)).collect();
    match waits.len().saturating_sub(3) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The JSON for programs. Keys are stable, and further ones may be added.
fn json(snapshot: &StackSnapshot, built: &Built, stands: &Stands, now: Time) -> serde_json::Value {
    let tally = snapshot.tally();
    let servers: serde_json::Map<_, _> = snapshot
        .servers
        .iter()
        .map(|(server, standing)| {
            let components: serde_json::Map<_, _> = standing
                .components
                .keys()
                .filter_map(|name| snapshot.find(&format!("{server}/{name}")))
                .map(|part| (part.name.to_string(), json_of_condition(part.condition)))
                .collect();
            let mut one = json!({
                "agent": standing.alive,
                "troubles": standing.troubles,
                "leaving": standing.leaving,
                "finishing": standing.finishing,
                "components": components,
            });
            if let Some(place) = stands.place(server) {
                one["place"] = json!(place);
            }
            (server.to_string(), one)
        })
        .collect();
    let infrastructure = match built {
        Ok(built) => built.as_ref().map(|built| {
            let resources = built.resources.iter().map(|resource| (resource.key.to_string(), resource.to_json()));
            let mut object = built.to_json();
            object["resources"] = serde_json::Value::Object(resources.collect());
            object
        }),
        Err(why) => Some(json!({"trouble": why})),
    };
    json!({
        "stack": snapshot.stack,
        "infrastructure": infrastructure,
        "revision": snapshot.revision(),
        "applying": snapshot.desired.as_ref().and_then(|desired| desired.applying),
        "components": json_of_tally(tally),
        "servers": servers,
        "admission": {
            "on_credentials": snapshot.admission.on_credentials,
            "others": snapshot.admission.others.iter().map(|other| json!({"server": other.server, "since": other.since, "key": other.key.to_string()}))
                .collect::<Vec<_>>(),
        },
        "causes": roots(snapshot).iter().map(|root| json_of_root(root, now)).collect::<Vec<_>>(),
    })
}
